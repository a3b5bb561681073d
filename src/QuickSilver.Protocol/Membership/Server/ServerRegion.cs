namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// One signature, the set of groups that all nodes of the region have, with its present nodes' count and its views. It keeps its number as long as it
/// has members or unretired views.
/// </summary>
/// <param name="number">Counter of its id.</param>
/// <param name="groups">Counters of its groups, rising; never empty.</param>
internal sealed class ServerRegion(uint number, uint[] groups)
{
    /// <summary>Most unretired views; no step adds a further one, unless for a removal.</summary>
    public const int MaxUnretired = 4;

    /// <summary>Counter of its id.</summary>
    public uint Number { get; } = number;

    /// <summary>Counters of its groups, rising.</summary>
    public uint[] Groups { get; } = groups;

    /// <summary>How many nodes it has.</summary>
    public int Population { get; set; }

    /// <summary>The region that its first node came from: the one it is most like, for those who know that one.</summary>
    public ServerRegion? Origin { get; set; }

    /// <summary>Regions with nodes that have a group in common with it, by number, itself included; none while it has no nodes.</summary>
    public List<ServerRegion> Neighbours { get; } = [];

    /// <summary>The view that is in force; null while it has no nodes.</summary>
    public ServerView? Current { get; set; }

    /// <summary>Its views that have not retired, the current one included, oldest first.</summary>
    public List<ServerView> Unretired { get; } = [];

    /// <summary>Nodes that the present batch brings, in the order of their moves. Written by <see cref="RegionCalculator"/>.</summary>
    public List<ServerNode> Joiners { get; } = [];

    /// <summary>Nodes that the present batch takes, in the order of their moves. Written by <see cref="RegionCalculator"/>.</summary>
    public List<ServerNode> Leavers { get; } = [];

    /// <summary>The batch that last brought or took nodes. Written by <see cref="RegionCalculator"/>.</summary>
    internal ulong TouchedIn { get; set; }

    /// <summary>It had nodes before the batch that last touched it.</summary>
    internal bool WasInhabited { get; set; }

    /// <summary>The batch that <see cref="SavedNeighbours"/> belongs to.</summary>
    internal ulong SavedIn { get; set; }

    /// <summary>The neighbours before the batch that last changed them.</summary>
    internal ServerRegion[] SavedNeighbours { get; set; } = [];

    /// <summary>Last mark of a search through regions.</summary>
    internal ulong Mark { get; set; }

    /// <summary>True when the region may not get a successor to its current view, but for a removal.</summary>
    public bool IsAtLimit => Unretired.Count >= MaxUnretired;
}
