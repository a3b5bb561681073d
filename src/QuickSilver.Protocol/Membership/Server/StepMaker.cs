using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Probing;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Makes one step from the requests of nodes and the removals. It moves nodes between regions, has similar regions
/// merged, replaces the views of the regions touched, updates the permissions to send, and writes the
/// notifications.
/// <para>
/// A change waits for a later step in three cases: this step already changes that node and group; it is a join of a
/// group whose leave the node has not installed; or it would touch a region at its limit of unretired views. It keeps
/// its place before later changes of the same node and group. In the third case all changes of that node wait, so that
/// its requests stay together. Removals never wait.
/// </para>
/// </summary>
internal sealed class StepMaker(
    NodeTable nodes,
    RegionCalculator regions,
    ServerGroups groups,
    ViewLedger ledger,
    NotificationWriter notices,
    RegionMerger? merger,
    Probes probes)
{
    private readonly HashSet<uint> _changed = [];
    private readonly List<uint> _joined = [];
    private readonly List<uint> _left = [];
    private readonly List<NodeMove> _moves = [];

    /// <summary>Number of requested changes that no step contains yet.</summary>
    public int Waiting { get; private set; }

    /// <summary>True when a step could be made of waiting changes or removals.</summary>
    public bool HasWork => Waiting > 0 || nodes.Removed.Count > 0 || merger is { IsBehind: true };

    /// <summary>Adds a change.</summary>
    public void Add(ServerNode node, GroupChange change)
    {
        node.WaitingChanges.Add(change);
        Waiting++;
        if (!change.IsJoin) return;
        node.WaitingJoins++;
        groups.Retain(change.Group);
    }

    /// <summary>Requests for a node the groups that it had under the former server, with the next step.</summary>
    public void Inherit(ServerNode node, uint[] inherited)
    {
        node.Inherited = inherited;
        groups.Retain(inherited);
        Waiting++;
    }

    /// <summary>Drops the changes that a removed node has requested.</summary>
    public void Drop(ServerNode node)
    {
        Waiting -= node.WaitingChanges.Count + (node.Inherited is null ? 0 : 1);
        Keep(node, []);
        if (node.Inherited is { } inherited) groups.Release(inherited);
        node.Inherited = null;
    }

    /// <summary>Makes a step, if anything can be changed now.</summary>
    /// <param name="step">The step's counter.</param>
    /// <param name="now">The time of the step.</param>
    /// <returns>The step with the nodes concerned; null when nothing could be changed, and no step was made.</returns>
    public MadeStep? Make(ulong step, Instant now)
    {
        regions.Begin();
        _moves.Clear();
        foreach (ServerNode node in nodes.Removed) Move(node, []);
        var made = new MadeStep(step, now);
        foreach (ServerNode node in nodes.Live)
        {
            if (node.Inherited is { } inherited)
            {
                Waiting--;
                node.Inherited = null;
                if (inherited.Length > 0)
                {
                    // Further requests of the node wait for the next step: a node moves once in a step.
                    Move(node, inherited);
                    groups.OnJoined(node, inherited);
                    groups.Release(inherited);
                    made.Joiners.Add(node);
                    continue;
                }
            }
            if (node.WaitingChanges.Count > 0 && TryChange(node, step)) made.Joiners.Add(node);
        }
        if (merger is not null) Merge(merger);
        if (_moves.Count == 0)
        {
            groups.ForgetIdle(nodes);
            return null;
        }
        regions.End();
        HitMarks(made);
        RenewForUnicast();
        ReplaceViews(step, now);
        foreach (NodeMove move in _moves)
        {
            if (!move.Node.Info.IsRemoved) ChangePermissions(move.Node, move.From, step);
        }
        Notify(made);
        Clear();
        regions.ForgetEmptied();
        nodes.Release();
        ledger.RetireAll(now);
        groups.ForgetIdle(nodes);
        return made;
    }

    // A waiting join is itself a reference to its group: a group without others must live until the join is granted.
    private void Keep(ServerNode node, List<GroupChange> kept)
    {
        List<GroupChange> before = node.WaitingChanges;
        node.WaitingChanges = kept;
        node.WaitingJoins = 0;
        foreach (GroupChange change in kept)
        {
            if (!change.IsJoin) continue;
            node.WaitingJoins++;
            groups.Retain(change.Group);
        }
        foreach (GroupChange change in before)
        {
            if (change.IsJoin) groups.Release(change.Group);
        }
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

    private void Move(ServerNode node, uint[] signature)
    {
        _moves.Add(new NodeMove(node, node.Region, node.Home));
        if (merger is null)
        {
            regions.Move(node, signature);
            return;
        }
        ServerRegion? former = node.Home;
        regions.SetHome(node, signature);
        merger.OnMoved(node, former);
    }

    private void Merge(RegionMerger planned)
    {
        planned.Plan();
        foreach (NodeMove move in _moves) regions.Carry(move.Node, RegionMerger.CarrierOf(move.Node.Home));
        foreach (ServerNode node in planned.TakeCarried())
        {
            _moves.Add(new NodeMove(node, node.Region, node.Home));
            regions.Carry(node, RegionMerger.CarrierOf(node.Home));
        }
    }

    private void Clear()
    {
        _changed.Clear();
        _joined.Clear();
        _left.Clear();
        SpareRoom.GiveBack(_changed);
        SpareRoom.GiveBack(_joined);
        SpareRoom.GiveBack(_left);
    }

    private bool TryChange(ServerNode node, ulong step)
    {
        _changed.Clear();
        _joined.Clear();
        _left.Clear();
        uint[] before = node.Groups;
        var kept = new List<GroupChange>();
        foreach (GroupChange change in node.WaitingChanges)
        {
            if (_changed.Contains(change.Group))
            {
                probes.Reached("two changes of one node and group cannot share a step");
                kept.Add(change);
                continue;
            }
            if (SortedCounters.Contains(before, change.Group) == change.IsJoin) continue;
            _changed.Add(change.Group);
            if (change.IsJoin && node.LeftIn.TryGetValue(change.Group, out ulong left) && left > node.Installed)
            {
                probes.Reached("a join waits for its node to install its leave");
                kept.Add(change);
            }
            else (change.IsJoin ? _joined : _left).Add(change.Group);
        }
        if (_joined.Count + _left.Count > 0)
        {
            _joined.Sort();
            _left.Sort();
            uint[] target = SortedCounters.Union(SortedCounters.Except(before, [.. _left]), [.. _joined]);
            node.HeldBackBy = FindAtLimit(node.Region, regions.Find(target));
            if (node.HeldBackBy is not null)
            {
                probes.Reached("a change waits for a region with four unretired views");
                return false;
            }
            if (_joined.Count > 0 && _left.Count > 0)
                probes.Reached("a node joins some groups and leaves others in one step");
            foreach (uint group in _left) node.LeftIn[group] = step;
            if (_left.Count > 0) node.LastLeave = step;
            Move(node, target);
            groups.OnJoined(node, _joined);
        }
        Waiting -= node.WaitingChanges.Count - kept.Count;
        Keep(node, kept);
        return _joined.Count > 0;
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
            if (node.Multicast || node.Region is null) continue;
            foreach (ServerRegion neighbour in node.Region.Neighbours)
            {
                if (neighbour.Current is { Multicast.IsNone: false }) regions.Renew(neighbour);
            }
        }
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
    /// Updates permissions in views that stay current. A node that moved gains those of its new neighbours and loses
    /// those of its former ones.
    /// </summary>
    private void ChangePermissions(ServerNode node, ServerRegion? from, ulong step)
    {
        IReadOnlyList<ServerRegion> before = from is null ? [] : regions.NeighboursBefore(from);
        IReadOnlyList<ServerRegion> after = node.Region is { } to ? to.Neighbours : [];
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
        foreach (ServerNode node in nodes.Live)
        {
            bool moved = moves.TryGetValue(node.Key, out NodeMove move);
            if (!moved && (node.Region is null || !concerned.Contains(node.Region.Number)))
            {
                notices.SendEmpty(node);
                continue;
            }
            notices.Send(moved ? move : new NodeMove(node, node.Region, node.Home));
            made.ToInstall.Add(node.Slot);
            made.ToSwitch.Add(node.Slot);
        }
    }
}
