using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Finds the nodes that hold others up for good: alive on their channel to the server, but no datagrams pass between them and other members.
/// <para>
/// Suspicion needs confirmation, and slow is not dead. A node is removed when a member has said in every report for the whole failure timeout that
/// it asked the node and got no answer, and there is a second witness: a member whose reports say that the node is passed over, or the node's own
/// word that it finds two or more others silent; one is enough where nobody else could see it. One answer, or a gap in the reports, and the time
/// begins again. A node may as well be deaf itself: then it finds everybody silent. So an accuser's word is divided among all whom it accuses, does
/// not count while one who accuses fewer accuses it, and of those confirmed at about the same time one goes that by its own word nobody answers, or
/// else the one with the most against it, alone; the others are judged anew without it. A tie goes to the younger. When one accuses one for two
/// failure timeouts and nobody can confirm it, the way between the two is broken, and nothing they share can go on: the one with more against it
/// goes, or the younger.
/// </para>
/// <para>
/// A sender that waits for a view to hold what it sent, and has heard no feedback from there for two failure timeouts, and fifteen seconds at least,
/// is removed too (its beacons are a second apart, and each, or the answer to it, may be lost); but as long as a member of the view is accused,
/// silent or disconnected, it is that member that is waited for, and the sender's time begins after it. Feedback without progress is no reason: then
/// the view's members are slow, not out of reach. When the view has one other member, that member goes instead if several senders hear nothing from
/// there, or if another view has answered the sender meanwhile; then being accused gains it no time.
/// </para>
/// <para>
/// A member that is alone in its view has no neighbour to find it deaf, and its requests still reach the sender. So a node says for how long it has
/// asked and read nothing from anybody. After as long a time as a sender gets it is removed, if some sender waits for it alone; between two that
/// accuse each other, that word decides.
/// </para>
/// <para>
/// <see cref="BlockedJudge"/> judges ways by which control passes and no packet does.
/// </para>
/// <para>
/// Cost: a report is taken in as long as it is, of its findings the first 64, one's own before hearsay. All reports together are judged at most ten
/// times a second, at a cost that is linear in their findings for each node that goes; nothing while nothing is reported. Source: suspicion that others confirm is SWIM's (Das and others, DSN 2002); all else
/// is ours.
/// </para>
/// </summary>
internal sealed class ReachabilityMonitor
{
    private const double AboutTheSame = 0.8;
    private static readonly TimeSpan JudgeEvery = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan LeastSenderPeriod = TimeSpan.FromSeconds(15);

    private readonly ServerParts _parts;
    private readonly QuorumLossGuard _sight;
    private readonly Action<ServerNode, MembershipRefusal, Instant> _remove;
    private readonly SortedDictionary<ulong, ReachReport> _reports = [];
    private readonly List<ReachReport> _unjudged = [];
    private readonly ReachEvidence _evidence = new();
    private readonly BlockedJudge _blocked = new();
    private readonly Alarm _judge;
    private Instant _judgedAt;

    /// <summary>Makes a watch that has heard nothing.</summary>
    /// <param name="parts">The server's state.</param>
    /// <param name="sight">Says whether one more may go.</param>
    /// <param name="remove">Takes a node out.</param>
    public ReachabilityMonitor(
        ServerParts parts, QuorumLossGuard sight, Action<ServerNode, MembershipRefusal, Instant> remove)
    {
        _parts = parts;
        _sight = sight;
        _remove = remove;
        _judge = new Alarm(parts.Alarms, Judge);
    }

    /// <summary>Findings looked at since the start: what judging has cost.</summary>
    public ulong Work => _evidence.Work;

    private TimeSpan Period => _parts.Settings.FailureTimeout;

    private TimeSpan SenderPeriod => Period * 2 > LeastSenderPeriod ? Period * 2 : LeastSenderPeriod;

    /// <summary>A node has reported what holds it up.</summary>
    public void OnObserved(ServerNode node, NodeObservations observed, Instant now)
    {
        if (Period <= TimeSpan.Zero) return;
        _reports.Remove(node.Key, out ReachReport? before);
        if (before is not null && !IsFresh(before, now)) before = null;
        if (observed.IsEmpty) return;
        foreach (ulong gone in (List<ulong>)[.. _reports.Where(pair => pair.Value.Node.Info.IsRemoved).Select(pair => pair.Key)])
        {
            _reports.Remove(gone);
        }
        var report = new ReachReport(node, now)
        {
            UnheardSince = observed.UnheardFor > TimeSpan.Zero ? now - observed.UnheardFor : Instant.Never,
            UnansweredSince = observed.UnansweredFor > TimeSpan.Zero ? now - observed.UnansweredFor : Instant.Never,
        };
        _reports.Add(node.Key, report);
        AddFindings(report, before, observed.Silent, isOwn: true, now);
        AddFindings(report, before, observed.Silent, isOwn: false, now);
        AddBlocked(report, before, observed.Blocked, now);
        Dictionary<ViewNumber, ReachDrain> drainsBefore = before?.DrainsByView() ?? [];
        var told = new HashSet<ViewNumber>();
        foreach (DrainingView draining in observed.Draining)
        {
            // Of what is made up, or said twice, nothing is kept.
            if (!IsAwaited(node, draining.View) || !told.Add(draining.View)) continue;
            ReachDrain? last = drainsBefore.GetValueOrDefault(draining.View);
            bool isStill = last is { } old && old.Heard == draining.Heard && !IsExcused(node, draining, now);
            report.Drains.Add(new ReachDrain(draining, isStill ? last!.Since : now));
        }
        _unjudged.Add(report);
        if (now - _judgedAt >= JudgeEvery) Judge(now);
        else _judge.SetIfEarlier(_judgedAt + JudgeEvery);
    }

    /// <summary>Judges no more.</summary>
    public void Stop() => _judge.Cancel();

    /// <summary>A node has been removed: what it said counts no more, and whoever may have been held up by it gets time.</summary>
    public void OnRemoved(ServerNode node, Instant now)
    {
        _reports.Remove(node.Key);
        foreach (ReachReport report in _reports.Values)
        {
            report.Remove(node);
            foreach (ReachDrain drain in report.Drains)
            {
                if (IsMember(node, drain.View)) drain.Since = now;
            }
        }
    }

    // Heartbeats are at most half of the period apart, so a report that is older was followed by none.
    private bool IsFresh(ReachReport report, Instant now) => now - report.At <= Period * 0.6;

    // Findings beyond the most that count are left out, not judged later: a node that accuses so many is most likely cut off itself.
    private void AddFindings(ReachReport report, ReachReport? before, List<SilentMember> silents, bool isOwn, Instant now)
    {
        foreach (SilentMember silent in silents)
        {
            if (report.IsFull) return;
            if (silent.IsOwnFinding != isOwn || _parts.Nodes.Find(silent.Node) is not { } accused || accused == report.Node) continue;
            ReachFinding? last = before?.Find(accused);
            Instant since = last is { } old && old.IsOwn == isOwn ? old.Since : now;
            if (isOwn && now - silent.SilentFor > since) since = now - silent.SilentFor;
            report.Add(new ReachFinding(accused, isOwn, since));
        }
    }

    private void AddBlocked(ReachReport report, ReachReport? before, List<BlockedPath> paths, Instant now)
    {
        foreach (BlockedPath path in paths)
        {
            if (report.Blocked.Count == ReachReport.MostFindings) return;
            if (_parts.Nodes.Find(path.From) is not { } from || from == report.Node) continue;
            Instant since = before is not null && before.Blocked.TryGetValue(from, out Instant last) ? last : now;
            report.Blocked[from] = now - path.BlockedFor > since ? now - path.BlockedFor : since;
        }
    }

    private void Judge(Instant now)
    {
        _judge.Cancel();
        _judgedAt = now;
        JudgeAccused(now);
        while (_blocked.FindWorst(_reports.Values.Where(report => IsFresh(report, now)), Period) is { } blocked)
        {
            _remove(blocked, MembershipRefusal.PacketsBlocked, now);
        }
        foreach (ReachReport report in _unjudged)
        {
            // Of a node's reports the last counts, and it is removed with the node.
            if (_reports.GetValueOrDefault(report.Node.Key) == report) JudgeSender(report, now);
            if (_reports.GetValueOrDefault(report.Node.Key) == report) JudgeDeaf(report, now);
        }
        _unjudged.Clear();
    }

    private void JudgeAccused(Instant now)
    {
        while (true)
        {
            Gather(now);
            ServerNode? worst = null;
            (bool IsUnanswered, double Weight, bool IsDeaf, int Observers) most = default;
            bool isDue = false;
            foreach (ReachCharge charge in _evidence.Charges)
            {
                if (charge.LeastAccusing == int.MaxValue || !IsConfirmed(charge, now, isDue: false)) continue;
                ServerNode accused = charge.Accused;
                isDue |= IsConfirmed(charge, now, isDue: true);
                (bool, double, bool, int) against = Against(accused, now);
                if (worst is not null && against.CompareTo(most) < 0) continue;
                if (worst is not null && against.CompareTo(most) == 0 && accused.Info.Number < worst.Info.Number) continue;
                worst = accused;
                most = against;
            }
            if (worst is null || !isDue) worst = FindLone(now);
            if (worst is null || !TryRemove(worst, now)) return;
        }
    }

    // A network may be so broken that all accuse all. A server that awaits a majority does not make a minority by that.
    private bool TryRemove(ServerNode node, Instant now)
    {
        if (!_sight.MayRemove(now)) return false;
        _sight.OnRemoved(now);
        _remove(node, MembershipRefusal.Unreachable, now);
        return true;
    }

    private void Gather(Instant now)
    {
        _evidence.Clear();
        foreach (ReachReport report in _reports.Values)
        {
            if (IsFresh(report, now)) _evidence.Add(report);
        }
    }

    // What is due was said at the end of the period; what is nearly due may wait for a report that is on its way. Nobody is asked any more once it is
    // sure.
    private bool IsConfirmed(ReachCharge charge, Instant now, bool isDue)
    {
        ServerNode accused = charge.Accused;
        bool isOld = false;
        int observers = _reports.TryGetValue(accused.Key, out ReachReport? own) && IsFresh(own, now) && own.Accused(Period / 2) >= 2 ? 1 : 0;
        bool isAnswered = IsAnswered(own, now);
        foreach ((ReachReport report, ReachFinding finding) in charge.Words)
        {
            _evidence.Look();
            observers++;
            bool isLong = isDue ? report.At - finding.Since >= Period : now - finding.Since >= Period * AboutTheSame;
            isOld |= finding.IsOwn && isLong && !IsDoubtful(report) && !(report.IsUnanswered(now, Period * AboutTheSame) && isAnswered);
            if (isOld && observers >= 2) return true;
        }
        return isOld && observers >= Witnesses(accused);
    }

    // Whoever is answered by others, and accused by one whom nobody answers, is not the one at fault.
    private bool IsAnswered(ReachReport? report, Instant now) =>
        report is not null && IsFresh(report, now) && report.UnansweredSince == Instant.Never;

    /// <summary>True for the word of a node that is accused itself, by one that accuses fewer. Passing findings count here: an accuser that was right
    /// at first may have gone deaf since.</summary>
    private bool IsDoubtful(ReachReport report) =>
        _evidence.Find(report.Node) is { } charge && charge.LeastAccusing < report.Accused(TimeSpan.Zero);

    /// <summary>One of two nodes between which nothing passes, and of which nobody else complains; null while there are none.</summary>
    private ServerNode? FindLone(Instant now)
    {
        foreach (ReachReport report in _reports.Values)
        {
            if (!IsFresh(report, now)) continue;
            foreach (ReachFinding finding in report.Findings)
            {
                if (!finding.IsOwn || report.At - finding.Since < Period * 2) continue;
                int more = Against(finding.Accused, now).CompareTo(Against(report.Node, now));
                bool isAccused = more > 0 || (more == 0 && finding.Accused.Info.Number > report.Node.Info.Number);
                return isAccused ? finding.Accused : report.Node;
            }
        }
        return null;
    }

    /// <summary>
    /// What is said against a node: first its own word that nobody answers it, or that it gives no word; own findings of others, each divided by how
    /// many its finder accuses; its word that it reads nothing; how many see it passed over.
    /// </summary>
    private (bool IsUnanswered, double Weight, bool IsDeaf, int Observers) Against(ServerNode accused, Instant now)
    {
        double weight = 0;
        int observers = 0;
        foreach ((ReachReport report, ReachFinding finding) in _evidence.Find(accused)?.Words ?? [])
        {
            _evidence.Look();
            observers++;
            if (finding.IsOwn) weight += 1.0 / report.Accused((report.At - finding.Since) / 2);
        }
        ReachReport? own = _reports.TryGetValue(accused.Key, out ReachReport? found) && IsFresh(found, now) ? found : null;
        TimeSpan period = Period * AboutTheSame;
        return (own?.IsUnanswered(now, period) ?? true, weight, own?.IsDeaf(now, period) ?? false, observers);
    }

    /// <summary>How many live nodes share a view with this one; those of a server before count as far as they have reported.</summary>
    private int Witnesses(ServerNode accused)
    {
        if (accused.IsInherited && _parts.Inherited.Count > 0) return _parts.Nodes.Live.Count - 1;
        var witnesses = new HashSet<ServerNode>();
        foreach (ServerView view in _parts.Ledger.Unretired)
        {
            if (Array.IndexOf(view.Members, accused) < 0) continue;
            foreach (ServerNode member in view.Members)
            {
                if (member != accused && !member.Info.IsRemoved) witnesses.Add(member);
            }
        }
        return witnesses.Count;
    }

    private void JudgeSender(ReachReport report, Instant now)
    {
        foreach (ReachDrain drain in report.Drains)
        {
            if (now - drain.Since < SenderPeriod || !IsAwaited(report.Node, drain.View)) continue;
            List<ServerNode> others = Others(report.Node, drain.View);
            bool isOthersFault = others.Count == 1 && (drain.IsAnsweredElsewhere || IsAnotherStuck(report.Node, drain.View, now));
            TryRemove(isOthersFault ? others[0] : report.Node, now);
            return;
        }
    }

    /// <summary>
    /// A member that is alone in its view, asks a sender, and reads nothing from anybody: it goes, unless another member is alone and deaf to the
    /// same sender, whom nobody else answers either; then that one's words do not get out.
    /// </summary>
    private void JudgeDeaf(ReachReport report, Instant now)
    {
        if (!report.IsDeaf(now, SenderPeriod)) return;
        foreach (ReachReport sender in _reports.Values)
        {
            if (!IsFresh(sender, now) || FindAlone(sender, report.Node) is not { } drain) continue;
            bool isSendersFault = !drain.IsAnsweredElsewhere && IsAnotherDeaf(sender, report.Node, now);
            TryRemove(isSendersFault ? sender.Node : report.Node, now);
            return;
        }
    }

    /// <summary>What a sender waits for in a view of which a node is the only other live member; null when there is none.</summary>
    private ReachDrain? FindAlone(ReachReport sender, ServerNode member) =>
        sender.Node == member ? null : sender.Drains.Find(drain => Others(sender.Node, drain.View) is [var only] && only == member);

    private bool IsAnotherDeaf(ReachReport sender, ServerNode member, Instant now)
    {
        foreach (ReachReport report in _reports.Values)
        {
            if (report.Node == member || !IsFresh(report, now) || !report.IsDeaf(now, SenderPeriod * AboutTheSame)) continue;
            if (FindAlone(sender, report.Node) is not null) return true;
        }
        return false;
    }

    private bool IsAnotherStuck(ServerNode node, ViewNumber view, Instant now) => _reports.Values.Any(report =>
        report.Node != node && IsFresh(report, now)
        && report.Drains.Exists(drain => drain.View == view && report.At - drain.Since >= SenderPeriod * AboutTheSame));

    private bool IsAwaited(ServerNode node, ViewNumber number)
    {
        if (number.Epoch != _parts.ServerEpoch.Epoch) return _parts.Inherited.IsAwaited(node, number);
        return _parts.Ledger.Find(number.Counter) is { } view && view.Awaited.Contains(node.Slot);
    }

    // Who is accused is waited for, so that the sender does not go in its place. A lone member that would go itself gets no such time: if it is mute,
    // it may have one neighbour after another removed, and each accuses it until then.
    private bool IsExcused(ServerNode node, in DrainingView draining, Instant now)
    {
        List<ServerNode> others = Others(node, draining.View);
        bool isOthersFault = others.Count == 1 && draining.IsAnsweredElsewhere;
        foreach (ServerNode other in others)
        {
            if (other.Connection is null || now - other.LastHeard > Period * 0.6) return true;
            if (isOthersFault) return false;
            foreach (ReachReport report in _reports.Values)
            {
                if (IsFresh(report, now) && report.Find(other) is { IsOwn: true }) return true;
            }
        }
        return false;
    }

    /// <summary>Live members of a view beside a node; of an inherited view, all that know it.</summary>
    private List<ServerNode> Others(ServerNode node, ViewNumber number)
    {
        var others = new List<ServerNode>();
        IReadOnlyList<ServerNode> members = number.Epoch != _parts.ServerEpoch.Epoch
            ? _parts.Inherited.KnowingOf(number)
            : _parts.Ledger.Find(number.Counter)?.Members ?? [];
        foreach (ServerNode member in members)
        {
            if (member != node && !member.Info.IsRemoved) others.Add(member);
        }
        return others;
    }

    private bool IsMember(ServerNode node, ViewNumber number)
    {
        if (number.Epoch != _parts.ServerEpoch.Epoch) return _parts.Inherited.KnowingOf(number).Contains(node);
        return _parts.Ledger.Find(number.Counter) is { } view && Array.IndexOf(view.Members, node) >= 0;
    }
}
