using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Removes members that hold their senders at the limit for longer than these wait.
/// <para>
/// Who may accuse: a node that may send in a view of the accused. It says so only after its own patience, an option of
/// that node. Of several members that it accuses, the one furthest behind goes. Then a second must pass, and the sender
/// itself begins all times again.
/// </para>
/// <para>
/// What confirms it: the word of the accused that it is behind. Without that word another member of a view with the
/// accused must name it, too. If the accused is heard and says nothing, more than half of the other members must, and
/// at least three. An identity counts once (<see cref="Concern.VoiceOf"/>). So neither a sender alone nor a pair can
/// have a member removed that keeps up.
/// </para>
/// <para>
/// Who is spared: the last one. Somebody else who gets the sender's messages must keep up: heard lately, not named by
/// the sender, not behind by its own word, with handlers that do not take most of its time. Those of the others are
/// idle while the accused holds the sender up, unless all are about as slow. Where the accused says that its handlers
/// take most of its time, one that keeps up is enough. Otherwise more must keep up than are behind: on a starved
/// machine many are behind, and nobody is at fault.
/// </para>
/// Core thread only. Cost: nothing while nobody accuses; else linear in the members of the views concerned.
/// </summary>
/// <param name="parts">The server's state.</param>
/// <param name="sight">Decides whether one more node may be removed.</param>
/// <param name="remove">Removes a node.</param>
internal sealed class SlowMemberJudge(
    ServerParts parts, QuorumLossGuard sight, Action<ServerNode, MembershipRefusal, Instant> remove)
{
    // How long a sender is held up before it may accuse, and the pause after a removal.
    private static readonly TimeSpan LeastHeld = TimeSpan.FromSeconds(1);
    // How long a member says that it is behind before that confirms an accusation.
    private static readonly TimeSpan LeastBehind = TimeSpan.FromSeconds(1);
    // How long the word of a node about itself is valid, at least.
    private static readonly TimeSpan ValidFor = TimeSpan.FromSeconds(5);

    private readonly SortedDictionary<ulong, SlowReport> _reports = [];
    private readonly List<ServerView> _views = [];
    private readonly List<ServerNode> _others = [];
    private readonly HashSet<object> _voices = [];
    private Instant _removedAt;

    /// <summary>A node has reported which members are behind, and whether it is itself.</summary>
    public void OnObserved(ServerNode node, NodeObservations observed, Instant now)
    {
        _reports.Remove(node.Key);
        if (observed.Slow.Count == 0 && observed.BehindFor == TimeSpan.Zero && !observed.IsHandling) return;
        SlowMember[] slow = [.. observed.Slow.Take(SlowReport.MostMembers)];
        var report = new SlowReport(node, now, slow, observed.BehindFor, observed.IsHandling);
        _reports.Add(node.Key, report);
        if (_removedAt != Instant.Zero && now - _removedAt < LeastHeld) return;
        if (FindWorst(report, now) is not { } worst || !sight.MayRemove(worst, now)) return;
        _removedAt = now;
        sight.OnRemoved(worst, now);
        parts.Settings.Probes.Reached("a server removes a member that is too slow");
        remove(worst, MembershipRefusal.TooSlow, now);
    }

    /// <summary>A node is removed: its report is dropped.</summary>
    public void OnRemoved(ServerNode node) => _reports.Remove(node.Key);

    private ServerNode? FindWorst(SlowReport report, Instant now)
    {
        ServerNode? worst = null;
        ulong most = 0;
        foreach (SlowMember slow in report.Slow)
        {
            if (slow.HeldFor < LeastHeld || (worst is not null && slow.Packets <= most)) continue;
            if (parts.Nodes.Find(slow.Node) is not { } accused || accused == report.Node) continue;
            FindViews(report.Node, accused);
            if (_views.Count == 0 || !IsConfirmed(report, accused, now)) continue;
            if (!OthersKeepUp(report, accused, now)) continue;
            worst = accused;
            most = slow.Packets;
        }
        return worst;
    }

    // The views of the accused in which the sender may send.
    private void FindViews(ServerNode sender, ServerNode accused)
    {
        _views.Clear();
        foreach (ServerView view in parts.Ledger.Unretired)
        {
            if (view.Awaited.Contains(sender.Slot) && Array.IndexOf(view.Members, accused) >= 0) _views.Add(view);
        }
    }

    private bool IsConfirmed(SlowReport report, ServerNode accused, Instant now)
    {
        if (OwnWord(accused, now) is { } own && own.BehindFor >= LeastBehind) return true;
        FindOthers(report.Node, accused);
        int witnesses = 0;
        _voices.Clear();
        foreach (ServerNode other in _others)
        {
            if (OwnWord(other, now) is not { } word || !word.Names(accused)) continue;
            witnesses++;
            _voices.Add(Concern.VoiceOf(other, accused));
        }
        // The sender's own voice is no second one.
        _voices.Remove(Concern.VoiceOf(report.Node, accused));
        if (!IsHeard(accused, now)) return _voices.Count >= 1;
        return _voices.Count >= 2 && (witnesses + 1) * 2 > _others.Count + 1;
    }

    private bool OthersKeepUp(SlowReport report, ServerNode accused, Instant now)
    {
        FindOthers(report.Node, accused);
        if (_others.Count == 0) FindElsewhere(report.Node, accused);
        int keeping = 0;
        int behind = 0;
        foreach (ServerNode other in _others)
        {
            SlowReport? word = OwnWord(other, now);
            if (report.Names(other) || word is { BehindFor.Ticks: > 0 }) behind++;
            else if (word is not { IsHandling: true } && IsHeard(other, now)) keeping++;
        }
        bool isHandling = OwnWord(accused, now) is { IsHandling: true };
        return keeping > 0 && (isHandling || keeping > behind);
    }

    private void FindOthers(ServerNode sender, ServerNode accused)
    {
        _others.Clear();
        foreach (ServerView view in _views) AddMembers(view, sender, accused);
    }

    // Sender and accused are alone in their views: the sender's other regions count.
    private void FindElsewhere(ServerNode sender, ServerNode accused)
    {
        foreach (ServerView view in parts.Ledger.Unretired)
        {
            if (view.EndStep == 0 && view.Sending.Contains(sender.Slot)) AddMembers(view, sender, accused);
        }
    }

    private void AddMembers(ServerView view, ServerNode sender, ServerNode accused)
    {
        foreach (ServerNode member in view.Members)
        {
            if (member == sender || member == accused || member.Info.IsRemoved) continue;
            if (!_others.Contains(member)) _others.Add(member);
        }
    }

    private SlowReport? OwnWord(ServerNode node, Instant now) =>
        _reports.TryGetValue(node.Key, out SlowReport? report) && now - report.At <= Max(ValidFor, node.Pace * 2)
            ? report : null;

    private bool IsHeard(ServerNode node, Instant now)
    {
        TimeSpan pace = Max(node.Pace, parts.Settings.HeartbeatInterval);
        return node.Connection is not null && parts.KnownTo(now) - node.LastHeard <= pace * 3;
    }

    private static TimeSpan Max(TimeSpan left, TimeSpan right) => left > right ? left : right;
}
