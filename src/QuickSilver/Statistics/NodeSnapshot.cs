namespace QuickSilver;

/// <summary>What one node says of itself, once a second while a <see cref="ClusterMonitor"/> is open in its cluster. At
/// most 64 KiB as JSON: what does not fit is left out, the least first. It does not change.</summary>
public sealed record NodeSnapshot
{
    /// <summary>The node. At a monitor it is the sender of the message, by the membership's word and not by the node's
    /// own.</summary>
    public required Member Member { get; init; }

    /// <summary>Number of the snapshot, from 1 on, since the node began to publish.</summary>
    public long Number { get; init; }

    /// <summary>Version of the package that the node runs.</summary>
    public string Version { get; init; } = "";

    /// <summary>The node's counters and gauges.</summary>
    public required NodeStatistics Statistics { get; init; }

    /// <summary>The members that are behind in the node's regions, slowest first; at most eight.</summary>
    public IReadOnlyList<MemberLag> Slowest { get; init; } = [];

    /// <summary>The groups with the most bytes since the snapshot before, sent and received; at most 32.
    /// <see cref="NodeStatistics.Groups"/> says how many there are. The group of the snapshots is not among
    /// them.</summary>
    public IReadOnlyList<GroupStatistics> Groups { get; init; } = [];

    /// <summary>Regions that the node is in or sends to, those with the most members first; at most 64.
    /// <see cref="NodeStatistics.Regions"/> says how many there are.</summary>
    public IReadOnlyList<RegionReport> Regions { get; init; } = [];

    /// <summary>The last changes of views, newest first; at most 16. They are noted while a monitor is open in the
    /// cluster.</summary>
    public IReadOnlyList<ViewChangeReport> Views { get; init; } = [];

    /// <summary>The fullest inboxes by bytes; at most eight.</summary>
    public IReadOnlyList<InboxReport> Inboxes { get; init; } = [];

    /// <summary>Share of the last second during which the core thread worked, from 0 to 1.</summary>
    public double LoopUse { get; init; }

    /// <summary>Smoothed duration of the token rounds that the node leads; null while it has led none.</summary>
    public TimeSpan? TokenRoundTrip { get; init; }
}
