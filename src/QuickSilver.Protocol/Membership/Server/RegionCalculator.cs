using System.Diagnostics;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Assigns nodes to regions: sets of nodes with the same groups. It works by differences. A batch of moves
/// touches only the regions that nodes leave or enter, and the neighbourhoods in which a region gets its first node or
/// loses its last. Source: first paper, section 2.1.
/// <para>
/// A node has a home, the region of exactly its groups, and a region that carries it. Usually they are the same. A
/// merged region has the groups of several homes, and carries their nodes.
/// </para>
/// <para>
/// Two regions with a group in common are neighbours. A node must know exactly the neighbours of its region. So nodes
/// that move together between the same two regions get the same notification.
/// </para>
/// <para>
/// Cost: a move reads its signature once, O(groups). A region that gets its first node visits, for each of its groups,
/// the regions that have it. Nothing depends on the number of nodes that stay in place.
/// </para>
/// <para>
/// Use: <see cref="Begin"/>, any number of <see cref="Move"/>, <see cref="End"/>. Then <see cref="Touched"/>,
/// <see cref="Concerned"/> and <see cref="NeighboursBefore"/> describe the batch, until the next begins. A node moves
/// at most once in a batch.
/// </para>
/// </summary>
/// <param name="groups">Counts the groups that regions name; null for none.</param>
internal sealed class RegionCalculator(ServerGroups? groups = null)
{
    private static readonly Comparer<ServerRegion> ByNumber =
        Comparer<ServerRegion>.Create((a, b) => a.Number.CompareTo(b.Number));
    private readonly Dictionary<uint[], ServerRegion> _bySignature = new(new SignatureComparer());
    private readonly Dictionary<uint, object> _byGroup = [];
    private readonly List<ServerRegion> _touched = [];
    private readonly List<ServerRegion> _emptied = [];
    private uint _lastNumber;
    private ulong _batch;
    private ulong _mark;

    /// <summary>Regions that have nodes.</summary>
    public int InhabitedCount { get; private set; }

    /// <summary>
    /// Regions that the batch brought nodes to, took nodes from, or renews; by number once the batch has ended.
    /// </summary>
    public IReadOnlyList<ServerRegion> Touched => _touched;

    /// <summary>Begins a batch and drops the record of the previous one.</summary>
    public void Begin()
    {
        foreach (ServerRegion region in _touched)
        {
            region.Joiners.Clear();
            region.Leavers.Clear();
        }
        _touched.Clear();
        _batch++;
    }

    /// <summary>The region of a signature; null when there is none.</summary>
    public ServerRegion? Find(uint[] signature) => _bySignature.GetValueOrDefault(signature);

    /// <summary>
    /// Moves a node to the region of a signature, which is made if necessary and becomes its home, too; an empty one
    /// means no region. The array is kept.
    /// </summary>
    public void Move(ServerNode node, uint[] signature)
    {
        SetHome(node, signature);
        Carry(node, node.Home);
    }

    /// <summary>
    /// Makes the region of a signature a node's home; an empty one means none. The array is kept. The caller then says
    /// which region carries the node.
    /// </summary>
    public void SetHome(ServerNode node, uint[] signature)
    {
        Debug.Assert(
            node.Home is null || node.Home.Residents[node.HomeIndex] == node, "a node knows its place at home");
        ServerRegion? former = node.Home;
        if (former is not null)
        {
            ServerNode last = former.Residents[^1];
            former.Residents[node.HomeIndex] = last;
            last.HomeIndex = node.HomeIndex;
            former.Residents.RemoveAt(former.Residents.Count - 1);
            if (former.Residents.Count == 0) _emptied.Add(former);
        }
        node.Home = null;
        if (signature.Length == 0) return;
        ServerRegion home = Find(signature) ?? Make(signature);
        if (home.IsUnused) home.Origin = former;
        node.HomeIndex = home.Residents.Count;
        home.Residents.Add(node);
        node.Home = home;
    }

    /// <summary>
    /// The region that is to carry the nodes of several homes: the present one if it has just their groups, else
    /// another one, which is made if there is none that may get a further view.
    /// </summary>
    /// <param name="groups">The groups of all homes. The array is kept.</param>
    /// <param name="present">The region that carries them now; null: none.</param>
    public ServerRegion FindCarrier(uint[] groups, ServerRegion? present)
    {
        if (present is not null && present.Groups.AsSpan().SequenceEqual(groups)) return present;
        return Find(groups) is { IsAtLimit: false } found ? found : Make(groups);
    }

    /// <summary>Has a node carried by a region; null: by none.</summary>
    public void Carry(ServerNode node, ServerRegion? target)
    {
        Debug.Assert(node.MovedIn != _batch, "a node moves once in a step");
        Debug.Assert(target is null || !target.IsForgotten, "a forgotten region carries nobody");
        ServerRegion? origin = node.Region;
        node.MovedIn = _batch;
        if (origin is not null)
        {
            Touch(origin);
            origin.Population--;
            origin.Leavers.Add(node);
        }
        node.Region = null;
        if (target is null) return;
        Touch(target);
        if (target.Population == 0 && !target.WasInhabited) target.Origin = origin;
        target.Population++;
        target.Joiners.Add(node);
        node.Region = target;
    }

    /// <summary>Ends the batch: updates neighbourhoods.</summary>
    public void End()
    {
        _touched.Sort(ByNumber);
        foreach (ServerRegion region in _touched)
        {
            if (region.WasInhabited && region.Population == 0) Abandon(region);
        }
        foreach (ServerRegion region in _touched)
        {
            if (!region.WasInhabited && region.Population > 0) Inhabit(region);
        }
    }

    /// <summary>Forgets the homes that the batch has emptied, unless they have views.</summary>
    public void ForgetEmptied()
    {
        foreach (ServerRegion region in _emptied) Forget(region);
        _emptied.Clear();
    }

    /// <summary>
    /// Adds a region to those touched although none of its nodes changed: it needs a new view for another reason. Call
    /// after <see cref="End"/>.
    /// </summary>
    public void Renew(ServerRegion region)
    {
        if (region.TouchedIn == _batch) return;
        Touch(region);
        _touched.Sort(ByNumber);
    }

    /// <summary>
    /// Regions with nodes that the batch concerns: the neighbours, before or after it, of those touched. By number.
    /// </summary>
    public List<ServerRegion> Concerned()
    {
        var concerned = new List<ServerRegion>();
        _mark++;
        foreach (ServerRegion region in _touched)
        {
            Collect(NeighboursBefore(region));
            Collect(region.Neighbours);
        }
        concerned.Sort(ByNumber);
        return concerned;

        void Collect(IReadOnlyList<ServerRegion> neighbours)
        {
            for (int index = 0; index < neighbours.Count; index++)
            {
                ServerRegion neighbour = neighbours[index];
                if (neighbour.Mark == _mark || neighbour.Population == 0) continue;
                neighbour.Mark = _mark;
                concerned.Add(neighbour);
            }
        }
    }

    /// <summary>A region's neighbours before the batch, by number.</summary>
    public IReadOnlyList<ServerRegion> NeighboursBefore(ServerRegion region) =>
        region.SavedIn == _batch ? region.SavedNeighbours : region.Neighbours;

    /// <summary>True when the batch moved the node, to another region or within one to other groups.</summary>
    public bool HasMoved(ServerNode node) => node.MovedIn == _batch;

    /// <summary>True when the batch touched the region.</summary>
    public bool IsTouched(ServerRegion region) => region.TouchedIn == _batch;

    /// <summary>
    /// Forgets a region, unless it has nodes or unretired views: should its signature return, it gets another number.
    /// </summary>
    public void Forget(ServerRegion region)
    {
        if (!region.IsUnused || region.IsForgotten) return;
        region.IsForgotten = true;
        if (_bySignature.GetValueOrDefault(region.Groups) == region) _bySignature.Remove(region.Groups);
        groups?.Release(region.Groups);

        // Other regions may refer to this one, as their origin or in a saved neighbourhood. It must refer to none in
        // turn, or chains of forgotten regions would stay alive.
        region.Origin = null;
        region.SavedNeighbours = [];
    }

    private ServerRegion Make(uint[] signature)
    {
        var region = new ServerRegion(++_lastNumber, signature);
        _bySignature[signature] = region;
        groups?.Retain(signature);
        return region;
    }

    private void Touch(ServerRegion region)
    {
        if (region.TouchedIn == _batch) return;
        region.TouchedIn = _batch;
        region.WasInhabited = region.Population > 0;
        _touched.Add(region);
    }

    // The regions of a group are in its record: most groups have one or two. Without records, in tests, they are here.
    private object? RegionsOf(uint group) =>
        groups is null ? _byGroup.GetValueOrDefault(group) : groups.Find(group).Regions;

    private void SetRegions(uint group, object? regions)
    {
        if (groups is not null) groups.Find(group).Regions = regions;
        else if (regions is null) _byGroup.Remove(group);
        else _byGroup[group] = regions;
    }

    private void Meet(ServerRegion region, ServerRegion neighbour)
    {
        if (neighbour.Mark == _mark) return;
        neighbour.Mark = _mark;
        region.Neighbours.Add(neighbour);
    }

    private void Inhabit(ServerRegion region)
    {
        Debug.Assert(region.Neighbours.Count == 0 && region.Population > 0, "nobody was there");
        InhabitedCount++;
        SaveNeighbours(region);
        _mark++;
        foreach (uint group in region.Groups)
        {
            object? regions = RegionsOf(group);
            if (regions is List<ServerRegion> several)
            {
                foreach (ServerRegion neighbour in several) Meet(region, neighbour);
                several.Add(region);
            }
            else if (regions is ServerRegion one)
            {
                Meet(region, one);
                SetRegions(group, new List<ServerRegion> { one, region });
            }
            else
            {
                SetRegions(group, region);
            }
        }
        foreach (ServerRegion neighbour in region.Neighbours)
        {
            SaveNeighbours(neighbour);
            neighbour.Neighbours.Insert(~neighbour.Neighbours.BinarySearch(region, ByNumber), region);
        }
        region.Neighbours.Add(region);
        region.Neighbours.Sort(ByNumber);
    }

    private void Abandon(ServerRegion region)
    {
        Debug.Assert(region.Neighbours.Contains(region) && region.Population == 0, "somebody was there");
        InhabitedCount--;
        SaveNeighbours(region);
        foreach (uint group in region.Groups)
        {
            if (RegionsOf(group) is not List<ServerRegion> several)
            {
                SetRegions(group, null);
                continue;
            }
            int index = several.IndexOf(region);
            several[index] = several[^1];
            several.RemoveAt(several.Count - 1);
            if (several.Count == 1) SetRegions(group, several[0]);
        }
        foreach (ServerRegion neighbour in region.Neighbours)
        {
            if (neighbour == region) continue;
            SaveNeighbours(neighbour);
            neighbour.Neighbours.RemoveAt(neighbour.Neighbours.BinarySearch(region, ByNumber));
        }
        region.Neighbours.Clear();
    }

    private void SaveNeighbours(ServerRegion region)
    {
        if (region.SavedIn == _batch) return;
        region.SavedIn = _batch;
        region.SavedNeighbours = [.. region.Neighbours];
    }
}
