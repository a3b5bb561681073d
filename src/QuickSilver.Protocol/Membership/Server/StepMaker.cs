using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Probing;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Makes one step from the requests of nodes and the removals. It moves nodes between regions and changes what they
/// publish to, has similar regions merged, replaces the views of the regions touched and those whose keys are old,
/// updates the permissions to send, and writes the notifications.
/// <para>
/// <see cref="ChangeQueue"/> holds the requests, and chooses those of a node that one step may contain. All changes of
/// a node wait when they would touch a region at its limit of unretired views, so that its requests stay together.
/// Removals never wait.
/// </para>
/// </summary>
internal sealed class StepMaker(
    NodeTable nodes,
    ChangeQueue changes,
    RegionCalculator regions,
    ServerPublishers publishers,
    ServerGroups groups,
    ViewLedger ledger,
    NotificationWriter notices,
    RegionMerger? merger,
    KeyRotation? rotation,
    VersionChange versions,
    Probes probes)
{
    private readonly List<uint> _inherited = [];
    private readonly List<NodeMove> _moves = [];
    private readonly List<ServerRegion> _aged = [];
    private readonly List<ServerRegion> _raised = [];

    /// <summary>True when a step could be made of waiting changes or removals.</summary>
    public bool HasWork => changes.Count > 0 || nodes.Removed.Count > 0 || merger is { IsBehind: true }
        || rotation is { IsWanted: true } || versions.IsWanted;

    /// <summary>Makes a step, if anything can be changed now.</summary>
    /// <param name="step">The step's counter.</param>
    /// <param name="now">The time of the step.</param>
    /// <returns>The step with the nodes concerned; null when nothing could be changed, and no step was made.</returns>
    public MadeStep? Make(ulong step, Instant now)
    {
        regions.Begin();
        publishers.Begin();
        _moves.Clear();
        foreach (ServerNode node in nodes.Removed) Move(node, [], []);
        var made = new MadeStep(step, now);
        foreach (ServerNode node in nodes.Live)
        {
            if (node.Inherited is not null && TryInherit(node))
            {
                // Further requests of the node wait for the next step: a node moves once in a step.
                made.Joiners.Add(node);
                continue;
            }
            if (node.WaitingChanges.Count > 0 && TryChange(node, step)) made.Joiners.Add(node);
        }
        if (merger is not null) Merge(merger);
        _aged.Clear();
        _raised.Clear();
        rotation?.AddDue(now, _aged);
        versions.AddDue(_raised);
        if (_moves.Count + _aged.Count + _raised.Count == 0)
        {
            groups.ForgetIdle(nodes, now);
            return null;
        }
        regions.End();
        publishers.End();
        MarkChanged(step);
        HitMarks(made);
        RenewForUnicast();
        RenewForOlder();
        RenewForLesser();
        RenewAged();
        ReplaceViews(step, now);
        foreach (NodeMove move in _moves)
        {
            if (!move.Node.Info.IsRemoved) ChangePermissions(move.Node, move.From, step);
        }
        versions.Look(_moves);
        Notify(made);
        changes.ForgetChoice();
        regions.ForgetEmptied();
        nodes.Release();
        ledger.RetireAll(now);
        groups.ForgetIdle(nodes, now);
        return made;
    }

    private void HitMarks(MadeStep made)
    {
        if (nodes.Removed.Count > 0)
            probes.Reached(
                made.Joiners.Count > 0
                    ? "a step takes removed nodes out and lets others in"
                    : "a step takes removed nodes out");
        if (_moves.Count > 1) probes.Reached("several nodes change their groups in one step");
        foreach (ServerRegion region in regions.Touched)
        {
            if (region.Leavers.Count > 0 && region.Population > 0)
                probes.Reached("some nodes leave a region and others stay");
            if (region.Joiners.Count > 0 && region.WasInhabited) probes.Reached("nodes come to a region that has some");
            if (region.Leavers.Count > 0 && region.Joiners.Count > 0)
                probes.Reached("nodes come to a region and go from it in one step");
            if (region.WasInhabited && region.Population == 0) probes.Reached("a region loses its last node");
        }
    }

    private void Move(ServerNode node, uint[] signature, uint[] published)
    {
        _moves.Add(new NodeMove(node, node.Region, node.Home));
        bool changes = node.Home is null ? signature.Length > 0 : signature != node.Groups;
        if (changes && merger is null) regions.Move(node, signature);
        if (changes && merger is not null)
        {
            ServerRegion? former = node.Home;
            regions.SetHome(node, signature);
            merger.OnMoved(node, former);
        }
        if (published != node.Published) publishers.Change(node, published);
    }

    private void Merge(RegionMerger planned)
    {
        planned.Plan();
        var stayed = new HashSet<ServerNode>();
        foreach (NodeMove move in _moves)
        {
            // It has only changed what it publishes to.
            if (move.Node.Home == move.FromHome) stayed.Add(move.Node);
            else regions.Carry(move.Node, RegionMerger.CarrierOf(move.Node.Home));
        }
        foreach (ServerNode node in planned.TakeCarried())
        {
            if (!stayed.Contains(node)) _moves.Add(new NodeMove(node, node.Region, node.Home));
            regions.Carry(node, RegionMerger.CarrierOf(node.Home));
        }
    }

    private bool TryInherit(ServerNode node)
    {
        uint[] inherited = node.Inherited!;
        uint[] published = node.InheritedPublished;
        bool hasAny = inherited.Length + published.Length > 0;
        if (hasAny)
        {
            Move(node, inherited, published.Length > 0 ? published : node.Published);
            groups.OnJoined(node, inherited);
            groups.OnJoined(node, published);
            _inherited.AddRange(published);
        }
        changes.TakeInherited(node);
        return hasAny;
    }

    /// <summary>
    /// Notes the step for the groups whose members it changes: those that one of two homes has. What is taken over
    /// counts as changed, since members may have gone with the former server.
    /// </summary>
    private void MarkChanged(ulong step)
    {
        foreach (uint group in _inherited) groups.Find(group).ChangedIn = step;
        _inherited.Clear();
        var seen = new HashSet<(ServerRegion?, ServerRegion?)>();
        foreach (NodeMove move in _moves)
        {
            if (move.Node.Home == move.FromHome || !seen.Add((move.FromHome, move.Node.Home))) continue;
            uint[] before = move.FromHome?.Groups ?? [];
            uint[] after = move.Node.Groups;
            foreach (uint group in SortedCounters.Except(before, after)) groups.Find(group).ChangedIn = step;
            foreach (uint group in SortedCounters.Except(after, before)) groups.Find(group).ChangedIn = step;
        }
    }

    private bool TryChange(ServerNode node, ulong step)
    {
        if (changes.Choose(node))
        {
            uint[] target = Changed(node.Groups, changes.Left, changes.Joined);
            node.HeldBackBy = target == node.Groups ? null : FindAtLimit(node.Region, regions.Find(target));
            if (node.HeldBackBy is not null)
            {
                probes.Reached("a change waits for a region with four unretired views");
                return false;
            }
            if (changes.Joined.Count > 0 && changes.Left.Count > 0)
                probes.Reached("a node joins some groups and leaves others in one step");
            NoteLeaves(node, step);
            Move(node, target, Changed(node.Published, changes.Closed, changes.Opened));
            groups.OnJoined(node, changes.Joined);
            groups.OnJoined(node, changes.Opened);
        }
        changes.TakeChosen(node);
        return changes.Joined.Count + changes.Opened.Count > 0;
    }

    private void NoteLeaves(ServerNode node, ulong step)
    {
        foreach (uint group in changes.Left) node.LeftIn[group] = step;
        foreach (uint group in changes.Closed) node.LeftIn[new GroupChange(group, false, true).Subject] = step;
        if (changes.Left.Count + changes.Closed.Count > 0) node.LastLeave = step;
    }

    /// <summary>A set after a change: the same array when nothing changes.</summary>
    private static uint[] Changed(uint[] before, List<uint> removed, List<uint> added)
    {
        if (removed.Count + added.Count == 0) return before;
        removed.Sort();
        added.Sort();
        return SortedCounters.Union(SortedCounters.Except(before, [.. removed]), [.. added]);
    }

    // A region that the change would touch.
    private static ServerRegion? FindAtLimit(ServerRegion? left, ServerRegion? entered)
    {
        if (left is { IsAtLimit: true }) return left;
        if (entered is { IsAtLimit: true }) return entered;
        return RegionMerger.CarrierOf(entered) is { IsAtLimit: true } carrier ? carrier : null;
    }

    /// <summary>
    /// Gives a region that is carried by multicast a new view when a node that cannot use multicast gains permission in
    /// it.
    /// </summary>
    private void RenewForUnicast()
    {
        if (nodes.UnicastOnly == 0) return;
        foreach (NodeMove move in _moves)
        {
            ServerNode node = move.Node;
            if (node.Multicast) continue;
            foreach (ServerRegion neighbour in ServerPublishers.Reached(node))
            {
                if (neighbour.Current is { Multicast.IsNone: false }) regions.Renew(neighbour);
            }
        }
    }

    /// <summary>Gives a region a new view when a node that lacks the view's cipher gains permission in it.</summary>
    private void RenewForLesser()
    {
        if (!nodes.Ciphers.AreMixed) return;
        foreach (NodeMove move in _moves)
        {
            foreach (ServerRegion neighbour in ServerPublishers.Reached(move.Node))
            {
                if (neighbour.Current is not { } view || ViewLedger.HasCipher(view, move.Node)) continue;
                if (!regions.IsTouched(neighbour)) probes.Reached("a view is renewed for a node that lacks its cipher");
                regions.Renew(neighbour);
            }
        }
    }

    /// <summary>
    /// Gives a region a new view when a node gains permission in it that does not speak the version of its view.
    /// </summary>
    private void RenewForOlder()
    {
        foreach (NodeMove move in _moves)
        {
            ServerNode node = move.Node;
            if (node.Info.IsRemoved || node.Versions.Newest >= nodes.Newest) continue;
            foreach (ServerRegion neighbour in ServerPublishers.Reached(node))
            {
                if (neighbour.Current is not { } view || view.Version <= node.Versions.Newest) continue;
                probes.Reached("a region gets an older version of the protocol for a node that comes to send there");
                regions.Renew(neighbour);
            }
        }
    }

    private void RenewAged()
    {
        foreach (ServerRegion region in _raised)
        {
            if (region.Population > 0) regions.Renew(region);
        }
        foreach (ServerRegion region in _aged)
        {
            if (region.Population > 0) regions.Renew(region);
        }
        if (_aged.Count > 0) probes.Reached("the keys of a view are renewed because of their age");
    }

    private void ReplaceViews(ulong step, Instant now)
    {
        foreach (ServerRegion region in regions.Touched) ledger.Replace(region, step);
        foreach (ServerRegion region in regions.Touched)
        {
            if (region.Current is { } view) ledger.Open(view, now);
        }
    }

    /// <summary>
    /// Updates permissions in views that stay current. A node that changed gains those of the regions that it reaches
    /// now and loses those of the others.
    /// </summary>
    private void ChangePermissions(ServerNode node, ServerRegion? from, ulong step)
    {
        IReadOnlyList<ServerRegion> before = publishers.ReachedBefore(node, from);
        IReadOnlyList<ServerRegion> after = ServerPublishers.Reached(node);
        for (int b = 0, a = 0; b < before.Count || a < after.Count;)
        {
            ServerRegion? lost = null;
            ServerRegion? gained = null;
            if (a == after.Count || (b < before.Count && before[b].Number < after[a].Number)) lost = before[b++];
            else if (b == before.Count || after[a].Number < before[b].Number) gained = after[a++];
            else
            {
                a++;
                b++;
            }
            if (lost is { Current: { } end } && !regions.IsTouched(lost)) ViewLedger.Forbid(end, node, step);
            if (gained is { Current: { } begin } && !regions.IsTouched(gained)) ViewLedger.Permit(begin, node);
        }
    }

    /// <summary>
    /// Every registered node gets every step; for nodes that it does not concern it is a bare number.
    /// </summary>
    private void Notify(MadeStep made)
    {
        notices.Begin(made.Step);
        var moves = new Dictionary<ulong, NodeMove>();
        foreach (NodeMove move in _moves) moves[move.Node.Key] = move;
        var concerned = new HashSet<uint>();
        foreach (ServerRegion region in regions.Concerned()) concerned.Add(region.Number);
        foreach (ServerRegion region in publishers.NewSenders) concerned.Add(region.Number);
        IReadOnlySet<ServerNode> publishing = publishers.Concerned();
        foreach (ServerNode node in nodes.Live)
        {
            bool moved = moves.TryGetValue(node.Key, out NodeMove move);
            bool isConcerned = moved || publishing.Contains(node)
                || (node.Region is not null && concerned.Contains(node.Region.Number));
            if (!isConcerned)
            {
                notices.SendEmpty(node);
                continue;
            }
            notices.Send(moved ? move : new NodeMove(node, node.Region, node.Home));
            made.ToInstall.Add(node.Slot);
            made.ToSwitch.Add(node.Slot);
        }
        notices.End();
    }
}
