using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Finds the nodes that hold others up for good: alive on their connection to the server, but without datagrams to or
/// from other members.
/// <para>
/// A suspicion needs confirmation, and a slow node is not dead. A node is removed on two conditions. A member has
/// reported in every report for the whole failure timeout that it asked the node without answer. And there is a second
/// witness: a member whose reports list the node as skipped, or the node itself, if it finds two or more others silent.
/// One witness is enough when no other node could see it. One answer, or a gap in the reports, starts the time again.
/// Only those count who exchange datagrams with the node, and nodes of one identity once: see <see cref="Concern"/>.
/// </para>
/// <para>
/// The accuser may be deaf itself, and then finds all others silent. So its finding is divided by the number of nodes
/// it accuses. It does not count while it is accused by a node that accuses fewer. Of nodes confirmed at about the same
/// time a single one goes: first one that reports that it gets no answers, else the one with the most against it. The
/// others are judged again without it. A tie goes against the younger node.
/// One node may accuse one other for two failure timeouts without any possible witness. Then the way between the two is
/// broken, and the views they share cannot proceed. The one with more against it goes, or the younger.
/// </para>
/// <para>
/// <see cref="DrainJudge"/> judges senders that wait for a view in vain, and members that are alone and deaf.
/// <see cref="BlockedJudge"/> judges ways on which control datagrams pass and packets do not.
/// </para>
/// <para>
/// Cost: reading a report is linear in its length; its first 64 findings count, its own before hearsay. All reports are
/// judged together at most ten times a second, at a cost linear in their findings for each node that goes. Nothing
/// while nothing is reported. Source: confirmed suspicion is SWIM's (Das and others, DSN 2002); the rest is new here.
/// </para>
/// </summary>
internal sealed class ReachabilityMonitor
{
    // The least time between two judgements of reports.
    private static readonly TimeSpan JudgeEvery = TimeSpan.FromMilliseconds(100);

    private readonly ServerParts _parts;
    private readonly QuorumLossGuard _sight;
    private readonly Action<ServerNode, MembershipRefusal, Instant> _remove;
    private readonly SortedDictionary<ulong, ReachReport> _reports = [];
    private readonly List<ReachReport> _unjudged = [];
    private readonly ReachEvidence _evidence = new();
    private readonly BlockedJudge _blocked;
    private readonly DrainJudge _drains;
    private readonly Concern _concern;
    private readonly Dictionary<object, double> _voices = [];
    private readonly List<ServerNode> _witnesses = [];
    private readonly Alarm _judge;
    private Instant _judgedAt;

    /// <summary>Makes a monitor without reports.</summary>
    /// <param name="parts">The server's state.</param>
    /// <param name="sight">Decides whether one more node may be removed.</param>
    /// <param name="remove">Removes a node.</param>
    public ReachabilityMonitor(
        ServerParts parts, QuorumLossGuard sight, Action<ServerNode, MembershipRefusal, Instant> remove)
    {
        _parts = parts;
        _sight = sight;
        _remove = remove;
        _judge = new Alarm(parts.Alarms, Judge);
        _concern = new Concern(parts);
        _blocked = new BlockedJudge(Witnesses);
        _drains = new DrainJudge(parts, _reports, IsFresh, TryRemove);
    }

    /// <summary>Number of examinations of findings since the start: the cost of judging.</summary>
    public ulong Work => _evidence.Work;

    private TimeSpan Period => _parts.Settings.FailureTimeout;

    /// <summary>A node has reported the members that hold it up.</summary>
    public void OnObserved(ServerNode node, NodeObservations observed, Instant now)
    {
        if (Period <= TimeSpan.Zero) return;
        _reports.Remove(node.Key, out ReachReport? before);
        if (before is not null && !IsFresh(before, now)) before = null;
        if (observed.HasNoFindings) return;
        IEnumerable<ulong> removed = _reports.Where(pair => pair.Value.Node.Info.IsRemoved).Select(pair => pair.Key);
        foreach (ulong gone in (List<ulong>)[.. removed])
        {
            _reports.Remove(gone);
        }
        var report = new ReachReport(node, now)
        {
            UnheardSince = observed.UnheardFor > TimeSpan.Zero ? now - observed.UnheardFor : Instant.Never,
            UnansweredSince = observed.UnansweredFor > TimeSpan.Zero ? now - observed.UnansweredFor : Instant.Never,
        };
        _reports.Add(node.Key, report);
        if (observed.Silent.Count + observed.Blocked.Count > 0)
        {
            IReadOnlySet<ServerNode> concerned = _concern.Of(node);
            AddFindings(report, before, observed.Silent, isOwn: true, concerned, now);
            AddFindings(report, before, observed.Silent, isOwn: false, concerned, now);
            AddBlocked(report, before, observed.Blocked, concerned, now);
        }
        _drains.Note(report, before, observed.Draining, now);
        _unjudged.Add(report);
        if (now - _judgedAt >= JudgeEvery) Judge(now);
        else _judge.SetIfEarlier(_judgedAt + JudgeEvery);
    }

    /// <summary>Stops judging.</summary>
    public void Stop() => _judge.Cancel();

    /// <summary>A node is removed: its report is dropped, and the nodes that it may have held up get time.</summary>
    public void OnRemoved(ServerNode node, Instant now)
    {
        _reports.Remove(node.Key);
        foreach (ReachReport report in _reports.Values)
        {
            report.Remove(node);
            _drains.OnRemoved(node, report, now);
        }
    }

    // Heartbeats are at most half of the period apart, so a node with an older report has fallen silent.
    private bool IsFresh(ReachReport report, Instant now) => now - report.At <= Period * 0.6;

    // Findings beyond the limit are dropped, not judged later: a node that accuses that many is most likely cut off
    // itself. So are findings on nodes that the reporting node exchanges no datagrams with.
    private void AddFindings(
        ReachReport report,
        ReachReport? before,
        List<SilentMember> silents,
        bool isOwn,
        IReadOnlySet<ServerNode> concerned,
        Instant now)
    {
        foreach (SilentMember silent in silents)
        {
            if (report.IsFull) return;
            if (silent.IsOwnFinding != isOwn) continue;
            if (_parts.Nodes.Find(silent.Node) is not { } accused || !concerned.Contains(accused)) continue;
            ReachFinding? last = before?.Find(accused);
            Instant since = last is { } old && old.IsOwn == isOwn ? old.Since : now;
            if (isOwn && now - silent.SilentFor > since) since = now - silent.SilentFor;
            report.Add(new ReachFinding(accused, isOwn, since));
        }
    }

    private void AddBlocked(
        ReachReport report,
        ReachReport? before,
        List<BlockedPath> paths,
        IReadOnlySet<ServerNode> concerned,
        Instant now)
    {
        foreach (BlockedPath path in paths)
        {
            if (report.Blocked.Count == ReachReport.MostFindings) return;
            if (_parts.Nodes.Find(path.From) is not { } from || !concerned.Contains(from)) continue;
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
            // Only the last report of a node counts, and it is removed with the node.
            if (_reports.GetValueOrDefault(report.Node.Key) == report) _drains.JudgeSender(report, now);
            if (_reports.GetValueOrDefault(report.Node.Key) == report) _drains.JudgeDeaf(report, now);
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
                int order = worst is null ? 1 : against.CompareTo(most);
                if (order < 0 || (order == 0 && accused.Info.Number < worst!.Info.Number)) continue;
                worst = accused;
                most = against;
            }
            if (worst is null || !isDue) worst = FindLone(now);
            if (worst is null || !TryRemove(worst, now)) return;
        }
    }

    // In a broken network all may accuse all. A server that awaits a majority does not create a minority by removals.
    private bool TryRemove(ServerNode node, Instant now)
    {
        if (!_sight.MayRemove(node, now)) return false;
        _sight.OnRemoved(node, now);
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

    // A finding is due when it was repeated at the end of the period. One that is nearly due may wait for a report on
    // its way. The search ends once the result is certain.
    private bool IsConfirmed(ReachCharge charge, Instant now, bool isDue)
    {
        ServerNode accused = charge.Accused;
        bool isOld = false;
        bool hasOwn = _reports.TryGetValue(accused.Key, out ReachReport? own) && IsFresh(own, now);
        bool isTwo = false;
        _witnesses.Clear();
        if (hasOwn && own!.Accused(Period / 2) >= 2) _witnesses.Add(accused);
        bool isAnswered = IsAnswered(own, now);
        foreach ((ReachReport report, ReachFinding finding) in charge.Findings)
        {
            _evidence.Look();
            isTwo |= _witnesses.Count > 0
                && !Concern.VoiceOf(_witnesses[0], accused).Equals(Concern.VoiceOf(report.Node, accused));
            _witnesses.Add(report.Node);
            bool isLong = isDue
                ? report.At - finding.Since >= Period : now - finding.Since >= Period * ReachReport.Nearly;
            bool isOutweighed = isAnswered && report.IsUnanswered(now, Period * ReachReport.Nearly);
            isOld |= finding.IsOwn && isLong && !isOutweighed && !IsDoubtful(report);
            if (isOld && isTwo) return true;
        }
        return isOld && Concern.IsEnough(accused, _witnesses, Witnesses(accused));
    }

    // A node that others answer is not at fault when its accuser gets no answers at all.
    private bool IsAnswered(ReachReport? report, Instant now) =>
        report is not null && IsFresh(report, now) && report.UnansweredSince == Instant.Never;

    // True for the report of a node that is accused by one that accuses fewer. Passing findings count here: an accuser
    // that was right at first may have gone deaf since.
    private bool IsDoubtful(ReachReport report) =>
        _evidence.Find(report.Node) is { } charge && charge.LeastAccusing < report.Accused(TimeSpan.Zero);

    // One of two nodes between which nothing passes, without other witnesses; null when there are none.
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

    // The findings against a node, by rank: its report that it gets no answers, or the lack of a report. Then others'
    // own findings, each divided by the number that its finder accuses. Then its report that it reads no datagrams,
    // and the number that see it skipped. Of nodes that are one voice, the weightiest finding counts.
    private (bool IsUnanswered, double Weight, bool IsDeaf, int Observers) Against(ServerNode accused, Instant now)
    {
        double weight = 0;
        _voices.Clear();
        foreach ((ReachReport report, ReachFinding finding) in _evidence.Find(accused)?.Findings ?? [])
        {
            _evidence.Look();
            double own = finding.IsOwn ? 1.0 / report.Accused((report.At - finding.Since) / 2) : 0;
            object voice = Concern.VoiceOf(report.Node, accused);
            double before = _voices.GetValueOrDefault(voice);
            weight += Math.Max(0, own - before);
            _voices[voice] = Math.Max(own, before);
        }
        ReachReport? said = _reports.GetValueOrDefault(accused.Key) is { } found && IsFresh(found, now) ? found : null;
        TimeSpan period = Period * ReachReport.Nearly;
        return (said?.IsUnanswered(now, period) ?? true, weight, said?.IsDeaf(now, period) ?? false, _voices.Count);
    }

    // Live nodes that share a view with this one; in views of a former server, those that have reported.
    private HashSet<ServerNode> Witnesses(ServerNode accused)
    {
        var witnesses = new HashSet<ServerNode>();
        _parts.Inherited.AddNeighbours(accused, witnesses);
        foreach (ServerView view in _parts.Ledger.Unretired)
        {
            if (Array.IndexOf(view.Members, accused) < 0) continue;
            foreach (ServerNode member in view.Members)
            {
                if (member != accused && !member.Info.IsRemoved) witnesses.Add(member);
            }
        }
        return witnesses;
    }
}
