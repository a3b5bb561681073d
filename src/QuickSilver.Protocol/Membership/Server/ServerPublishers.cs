using System.Diagnostics;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// The nodes that publish to groups, and the regions that each reaches so: those with nodes that are members of one of
/// the groups. A publisher is permitted to send, and is no member: it makes no region and moves in none. So the regions
/// do not know it, and it is tracked here, by differences as they are.
/// <para>
/// A node may be a member of a group and publish to it. Both count by themselves: what it reaches is the union.
/// </para>
/// <para>
/// Use, beside <see cref="RegionCalculator"/> and in one batch with it: <see cref="Begin"/>, any number of
/// <see cref="Change"/>, then <see cref="End"/> after the regions' own end. Then <see cref="Concerned"/> and the
/// reaches before and after describe the batch, until the next begins.
/// </para>
/// <para>
/// Cost: a change visits the regions of all groups that the node publishes to. A region that gets its first node visits
/// the publishers of its groups; without publishers that is a look at each group.
/// </para>
/// </summary>
/// <param name="groups">All groups, with their regions and publishers.</param>
/// <param name="regions">The regions of the same batch.</param>
internal sealed class ServerPublishers(ServerGroups groups, RegionCalculator regions)
{
    private static readonly Comparer<ServerRegion> ByNumber =
        Comparer<ServerRegion>.Create((a, b) => a.Number.CompareTo(b.Number));

    private readonly List<(ServerNode Node, uint[] Before)> _changes = [];
    private readonly Dictionary<ServerNode, ServerRegion[]> _reachBefore = [];
    private readonly HashSet<ServerRegion> _isNew = [];
    private readonly List<ServerRegion> _newSenders = [];
    private readonly HashSet<ServerNode> _touched = [];
    private int _count;

    /// <summary>Nodes that publish to some group.</summary>
    public int Count => _count;

    /// <summary>The nodes whose groups to publish to have changed in the batch, in the order of the changes.</summary>
    public IReadOnlyList<(ServerNode Node, uint[] Before)> Changes => _changes;

    /// <summary>Regions with nodes that publishers have begun, or ceased, to reach in the batch.</summary>
    public IReadOnlyList<ServerRegion> NewSenders => _newSenders;

    /// <summary>True when publishers have begun, or ceased, to reach the region in the batch.</summary>
    public bool HasNewSenders(ServerRegion region) => _isNew.Contains(region);

    /// <summary>Begins a batch and drops the record of the previous one.</summary>
    public void Begin()
    {
        _changes.Clear();
        _reachBefore.Clear();
        _isNew.Clear();
        _newSenders.Clear();
        _touched.Clear();
    }

    /// <summary>Sets the groups that a node publishes to, once in a batch. The array is kept.</summary>
    public void Change(ServerNode node, uint[] published)
    {
        Debug.Assert(published.AsSpan().IndexOf(0u) < 0, "groups have numbers");
        _changes.Add((node, node.Published));
        groups.Retain(published);
        foreach (uint group in node.Published) groups.Find(group).RemovePublisher(node);
        foreach (uint group in published) groups.Find(group).AddPublisher(node);
        _count += (published.Length > 0 ? 1 : 0) - (node.Published.Length > 0 ? 1 : 0);
        node.Published = published;
    }

    /// <summary>
    /// Ends the batch: finds what each publisher reaches now. Call it when the regions' batch has ended.
    /// </summary>
    public void End()
    {
        if (_count + _changes.Count == 0) return;
        foreach (ServerRegion region in regions.Touched) _touched.UnionWith(region.Senders);
        foreach (ServerRegion region in regions.Touched)
        {
            bool isInhabited = region.Population > 0;
            if (isInhabited == region.WasInhabited) continue;
            if (!isInhabited)
            {
                foreach (ServerNode sender in region.Senders) Lose(sender, region);
                continue;
            }
            foreach (uint group in region.Groups)
            {
                foreach (ServerNode publisher in groups.Find(group).Publishers) Gain(publisher, region);
            }
        }
        foreach ((ServerNode node, _) in _changes) Update(node);
        foreach ((_, uint[] before) in _changes) groups.Release(before);
    }

    /// <summary>
    /// Nodes that publish, or did before the batch, and that the batch concerns: their groups changed, or a region that
    /// they reach was touched. Call it when no further region will be touched.
    /// </summary>
    public IReadOnlySet<ServerNode> Concerned()
    {
        if (_count + _changes.Count == 0) return _touched;
        foreach (ServerRegion region in regions.Touched) _touched.UnionWith(region.Senders);
        foreach ((ServerNode node, _) in _changes) _touched.Add(node);
        return _touched;
    }

    /// <summary>True when the node publishes, or did before the batch.</summary>
    public bool IsPublisher(ServerNode node) => node.Published.Length > 0 || _reachBefore.ContainsKey(node);

    /// <summary>The regions that a node could send to before the batch, by number.</summary>
    /// <param name="node">The node.</param>
    /// <param name="from">Its region before the batch; null when it had none.</param>
    public IReadOnlyList<ServerRegion> ReachedBefore(ServerNode node, ServerRegion? from)
    {
        IReadOnlyList<ServerRegion> neighbours = from is null ? [] : regions.NeighboursBefore(from);
        return Union(neighbours, _reachBefore.TryGetValue(node, out ServerRegion[]? saved) ? saved : node.Reach);
    }

    /// <summary>The regions that a node can send to after the batch, by number.</summary>
    public static IReadOnlyList<ServerRegion> Reached(ServerNode node) =>
        Union(node.Region is { } region ? region.Neighbours : [], node.Reach);

    private static IReadOnlyList<ServerRegion> Union(
        IReadOnlyList<ServerRegion> neighbours, IReadOnlyList<ServerRegion> reach)
    {
        if (reach.Count == 0) return neighbours;
        if (neighbours.Count == 0) return reach;
        var union = new List<ServerRegion>(neighbours.Count + reach.Count);
        for (int n = 0, r = 0; n < neighbours.Count || r < reach.Count;)
        {
            if (r == reach.Count || (n < neighbours.Count && neighbours[n].Number < reach[r].Number))
            {
                union.Add(neighbours[n++]);
                continue;
            }
            if (n < neighbours.Count && neighbours[n] == reach[r]) n++;
            union.Add(reach[r++]);
        }
        return union;
    }

    private void Update(ServerNode node)
    {
        var reach = new HashSet<ServerRegion>();
        foreach (uint group in node.Published)
        {
            object? found = groups.Find(group).Regions;
            if (found is ServerRegion one) Reach(one);
            for (int index = 0; found is List<ServerRegion> several && index < several.Count; index++)
                Reach(several[index]);
        }
        for (int index = node.Reach.Count - 1; index >= 0; index--)
        {
            if (!reach.Contains(node.Reach[index])) Lose(node, node.Reach[index]);
        }

        void Reach(ServerRegion region)
        {
            if (reach.Add(region)) Gain(node, region);
        }
    }

    private void Gain(ServerNode node, ServerRegion region)
    {
        int index = node.Reach.BinarySearch(region, ByNumber);
        if (index >= 0) return;
        Save(node);
        node.Reach.Insert(~index, region);
        int place = region.Senders.Count;
        while (place > 0 && region.Senders[place - 1].Info.Number > node.Info.Number) place--;
        region.Senders = [.. region.Senders.Take(place), node, .. region.Senders.Skip(place)];
        if (_isNew.Add(region)) _newSenders.Add(region);
    }

    private void Lose(ServerNode node, ServerRegion region)
    {
        int index = node.Reach.BinarySearch(region, ByNumber);
        if (index < 0) return;
        Save(node);
        node.Reach.RemoveAt(index);
        region.Senders = [.. region.Senders.Where(sender => sender != node)];
        if (_isNew.Add(region)) _newSenders.Add(region);
    }

    private void Save(ServerNode node) => _reachBefore.TryAdd(node, [.. node.Reach]);
}
