namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// One region: a set of groups, with the number of its nodes and its views. It keeps its number as long as it has
/// members, residents or unretired views.
/// <para>
/// Residents are in exactly its groups: it is their home. Its members are the nodes that it carries. Both are the same,
/// unless it is merged with others (<see cref="RegionMerger"/>): then its members are in some of its groups each.
/// </para>
/// </summary>
/// <param name="number">Counter of the region's id.</param>
/// <param name="groups">Counters of its groups, rising; never empty.</param>
internal sealed class ServerRegion(uint number, uint[] groups)
{
    /// <summary>Limit on unretired views; no step adds a further one, except for a removal.</summary>
    public const int MaxUnretired = 4;

    /// <summary>Counter of the region's id.</summary>
    public uint Number { get; } = number;

    /// <summary>Counters of its groups, rising.</summary>
    public uint[] Groups { get; } = groups;

    /// <summary>Number of its members.</summary>
    public int Population { get; set; }

    /// <summary>The nodes that are in exactly its groups, in no order.</summary>
    public List<ServerNode> Residents { get; } = [];

    /// <summary>The regions that share a carrier with it; null while it has no residents, or nothing is merged.
    /// Written by <see cref="RegionMerger"/>.</summary>
    public RegionBundle? Bundle { get; set; }

    /// <summary>The region that its first node came from: the most similar one, for receivers that know it.</summary>
    public ServerRegion? Origin { get; set; }

    /// <summary>
    /// Regions with nodes that have a group in common with it, by number, itself included; none while it has no nodes.
    /// </summary>
    public List<ServerRegion> Neighbours { get; } = [];

    /// <summary>The view that is in force; null while it has no nodes.</summary>
    public ServerView? Current { get; set; }

    /// <summary>Its views that have not retired, the current one included, oldest first.</summary>
    public List<ServerView> Unretired { get; } = [];

    /// <summary>
    /// Nodes that publish to a group of it, by number; members of it and of its neighbours may be among them. Written
    /// by <see cref="ServerPublishers"/>.
    /// </summary>
    public IReadOnlyList<ServerNode> Senders { get; internal set; } = [];

    /// <summary>
    /// Nodes that the present batch adds, in the order of their moves. Written by <see cref="RegionCalculator"/>.
    /// </summary>
    public List<ServerNode> Joiners { get; } = [];

    /// <summary>
    /// Nodes that the present batch takes away, in the order of their moves. Written by <see cref="RegionCalculator"/>.
    /// </summary>
    public List<ServerNode> Leavers { get; } = [];

    /// <summary>The batch that last added or took away nodes. Written by <see cref="RegionCalculator"/>.</summary>
    internal ulong TouchedIn { get; set; }

    /// <summary>True when it had nodes before the batch that last touched it.</summary>
    internal bool WasInhabited { get; set; }

    /// <summary>The batch that <see cref="SavedNeighbours"/> belongs to.</summary>
    internal ulong SavedIn { get; set; }

    /// <summary>The neighbours before the batch that last changed them.</summary>
    internal ServerRegion[] SavedNeighbours { get; set; } = [];

    /// <summary>Last mark of a search through regions.</summary>
    internal ulong Mark { get; set; }

    /// <summary>True once the region is forgotten; its number is not used again.</summary>
    internal bool IsForgotten { get; set; }

    /// <summary>True when nothing refers to the region's number.</summary>
    public bool IsUnused => Population + Residents.Count + Unretired.Count == 0;

    /// <summary>The view that was in force before a step that is being made; null when there was none.</summary>
    public ServerView? ViewBefore(ulong step)
    {
        foreach (ServerView view in Unretired)
        {
            if (view.FirstStep < step && (view.EndStep == 0 || view.EndStep == step)) return view;
        }
        return null;
    }

    /// <summary>True when the region may not get a successor to its current view, except for a removal.</summary>
    public bool IsAtLimit => Unretired.Count >= MaxUnretired;
}
