using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Finds who is at fault when a sender waits in vain for a view to hold its packets: the sender, or the view's only
/// other member.
/// <para>
/// A sender may wait for a view to hold its packets, without feedback from there for two failure timeouts, and at least
/// fifteen seconds. Then the sender is removed too. Its beacons are a second apart, and each beacon or answer may be
/// lost. While a member of the view is accused, silent or disconnected, that member is waited for, and the sender's
/// time begins afterwards. That ends after twice the sender's time: deaf nodes that come back for ever accuse everybody
/// again and again. Feedback without progress is no reason: the view's members are then slow, not out of reach.
/// When the view has one other member, that member goes instead in two cases. Several senders get nothing from the
/// view, or another view has answered the sender meanwhile. Then an accusation against the member gains it no time.
/// </para>
/// <para>
/// A member alone in its view has no neighbour to find it deaf, and its requests still reach the sender. So a node
/// reports for how long it has asked others without reading any datagram. After the time of a sender it is removed, if
/// some sender waits for it alone. Between two nodes that accuse each other, this report decides.
/// </para>
/// Core thread only. Cost: linear in the reports, for each view that a sender waits for.
/// </summary>
/// <param name="parts">The server's state.</param>
/// <param name="reports">The last report of each node.</param>
/// <param name="isFresh">True for a report that counts.</param>
/// <param name="tryRemove">Removes a node, unless too many are gone.</param>
internal sealed class DrainJudge(
    ServerParts parts,
    SortedDictionary<ulong, ReachReport> reports,
    Func<ReachReport, Instant, bool> isFresh,
    Func<ServerNode, Instant, bool> tryRemove)
{
    // Periods in which accused members gain a sender time.
    private const int ExcusedPeriods = 2;
    // The least time for which a sender hears nothing before it is removed.
    private static readonly TimeSpan LeastPeriod = TimeSpan.FromSeconds(15);

    private TimeSpan Period
    {
        get
        {
            TimeSpan twice = parts.Settings.FailureTimeout * 2;
            return twice > LeastPeriod ? twice : LeastPeriod;
        }
    }

    /// <summary>Notes the views that a node waits for. Entries that are invented or repeated are dropped.</summary>
    /// <param name="report">The node's new report.</param>
    /// <param name="before">The one before, if it still counts.</param>
    /// <param name="draining">The views.</param>
    /// <param name="now">The time of the report.</param>
    public void Note(ReachReport report, ReachReport? before, List<DrainingView> draining, Instant now)
    {
        Dictionary<ViewNumber, ReachDrain> drainsBefore = before?.DrainsByView() ?? [];
        var seen = new HashSet<ViewNumber>();
        foreach (DrainingView view in draining)
        {
            if (!IsAwaited(report.Node, view.View) || !seen.Add(view.View)) continue;
            ReachDrain? last = drainsBefore.GetValueOrDefault(view.View);
            if (last is null || last.Heard != view.Heard) last = new ReachDrain(view, now, now);
            bool isExcused = now - last.StuckSince < Period * ExcusedPeriods && IsExcused(report.Node, view, now);
            report.Drains.Add(new ReachDrain(view, last.StuckSince, isExcused ? now : last.Since));
        }
    }

    /// <summary>A node is removed: it may have held up those who wait for a view that it was a member of.</summary>
    public void OnRemoved(ServerNode node, ReachReport report, Instant now)
    {
        foreach (ReachDrain drain in report.Drains)
        {
            if (IsMember(node, drain.View)) drain.BeginAgain(now);
        }
    }

    /// <summary>Removes a sender that waits for a view in vain, or the member at fault.</summary>
    public void JudgeSender(ReachReport report, Instant now)
    {
        foreach (ReachDrain drain in report.Drains)
        {
            if (now - drain.Since < Period || !IsAwaited(report.Node, drain.View)) continue;
            List<ServerNode> others = Others(report.Node, drain.View);
            bool isOthersFault = others.Count == 1
                && (drain.IsAnsweredElsewhere || IsAnotherStuck(report.Node, drain.View, now));
            tryRemove(isOthersFault ? others[0] : report.Node, now);
            return;
        }
    }

    /// <summary>
    /// Removes a member that is alone in its view, asks a sender, and reads no datagrams. If another member is alone
    /// and deaf to the same sender, which no other view answers either, the sender goes: its datagrams do not get out.
    /// </summary>
    public void JudgeDeaf(ReachReport report, Instant now)
    {
        if (!report.IsDeaf(now, Period)) return;
        foreach (ReachReport sender in reports.Values)
        {
            if (!isFresh(sender, now) || FindAlone(sender, report.Node) is not { } drain) continue;
            bool isSendersFault = !drain.IsAnsweredElsewhere && IsAnotherDeaf(sender, report.Node, now);
            tryRemove(isSendersFault ? sender.Node : report.Node, now);
            return;
        }
    }

    // The view in which a sender waits for a node as the only other live member; null when there is none.
    private ReachDrain? FindAlone(ReachReport sender, ServerNode member)
    {
        if (sender.Node == member) return null;
        return sender.Drains.Find(drain => Others(sender.Node, drain.View) is [var only] && only == member);
    }

    private bool IsAnotherDeaf(ReachReport sender, ServerNode member, Instant now)
    {
        foreach (ReachReport report in reports.Values)
        {
            if (report.Node == member || !isFresh(report, now)) continue;
            if (!report.IsDeaf(now, Period * ReachReport.Nearly)) continue;
            if (FindAlone(sender, report.Node) is not null) return true;
        }
        return false;
    }

    private bool IsAnotherStuck(ServerNode node, ViewNumber view, Instant now) => reports.Values.Any(report =>
        report.Node != node && isFresh(report, now)
        && report.Drains.Exists(drain => drain.View == view && report.At - drain.Since >= Period * ReachReport.Nearly));

    private bool IsAwaited(ServerNode node, ViewNumber number)
    {
        if (number.Epoch != parts.ServerEpoch.Epoch) return parts.Inherited.IsAwaited(node, number);
        return parts.Ledger.Find(number.Counter) is { } view && view.Awaited.Contains(node.Slot);
    }

    // Accused members are waited for, so that the sender does not go in their place. A lone member that would go itself
    // gets no such time. If it is mute, it could have one neighbour after another removed, each of which accuses it
    // until then.
    private bool IsExcused(ServerNode node, in DrainingView draining, Instant now)
    {
        List<ServerNode> others = Others(node, draining.View);
        bool isOthersFault = others.Count == 1 && draining.IsAnsweredElsewhere;
        foreach (ServerNode other in others)
        {
            if (other.Connection is null || now - other.LastHeard > parts.Settings.FailureTimeout * 0.6) return true;
            if (isOthersFault) return false;
            foreach (ReachReport report in reports.Values)
            {
                if (isFresh(report, now) && report.Find(other) is { IsOwn: true }) return true;
            }
        }
        return false;
    }

    /// <summary>Live members of a view besides a node; of an inherited view, those that have reported it.</summary>
    private List<ServerNode> Others(ServerNode node, ViewNumber number)
    {
        var others = new List<ServerNode>();
        IReadOnlyList<ServerNode> members = number.Epoch != parts.ServerEpoch.Epoch
            ? parts.Inherited.MembersOf(number)
            : parts.Ledger.Find(number.Counter)?.Members ?? [];
        foreach (ServerNode member in members)
        {
            if (member != node && !member.Info.IsRemoved) others.Add(member);
        }
        return others;
    }

    private bool IsMember(ServerNode node, ViewNumber number)
    {
        if (number.Epoch != parts.ServerEpoch.Epoch) return parts.Inherited.MembersOf(number).Contains(node);
        return parts.Ledger.Find(number.Counter) is { } view && Array.IndexOf(view.Members, node) >= 0;
    }
}
