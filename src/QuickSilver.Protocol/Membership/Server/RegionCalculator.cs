namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Assigns nodes to regions: sets of nodes with exactly the same groups. It works by differences. A batch of moves
/// touches only the regions that nodes leave or enter, and the neighbourhoods in which a region gets its first node or
/// loses its last. Source: first paper, section 2.1.
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
    /// Moves a node to the region of a signature, which is made if necessary; an empty one means no region. The array
    /// is kept.
    /// </summary>
    public void Move(ServerNode node, uint[] signature)
    {
        ServerRegion? origin = node.Region;
        if (origin is not null)
        {
            Touch(origin);
            origin.Population--;
            origin.Leavers.Add(node);
        }
        node.Region = null;
        if (signature.Length == 0) return;
        if (!_bySignature.TryGetValue(signature, out ServerRegion? target))
        {
            target = new ServerRegion(++_lastNumber, signature);
            _bySignature.Add(signature, target);
            groups?.Retain(signature);
        }
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

    /// <summary>True when the batch touched the region.</summary>
    public bool IsTouched(ServerRegion region) => region.TouchedIn == _batch;

    /// <summary>
    /// Forgets a region without nodes and unretired views: should its signature return, it gets another number.
    /// </summary>
    public void Forget(ServerRegion region)
    {
        if (_bySignature.GetValueOrDefault(region.Groups) == region) _bySignature.Remove(region.Groups);
        groups?.Release(region.Groups);

        // Other regions may refer to this one, as their origin or in a saved neighbourhood. It must refer to none in
        // turn, or chains of forgotten regions would stay alive.
        region.Origin = null;
        region.SavedNeighbours = [];
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
