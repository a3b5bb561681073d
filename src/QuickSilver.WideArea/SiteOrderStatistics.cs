namespace QuickSilver.WideArea;

/// <summary>How the order of all sites is, as one member sees it. A copy that no longer changes.</summary>
public sealed record SiteOrderStatistics
{
    /// <summary>Name of the own site; empty until the gateway has named the sites.</summary>
    public string Site { get; init; } = "";

    /// <summary>True once the own site takes part: each other site knows of it. Sends wait for that.</summary>
    public bool HasBegun { get; init; }

    /// <summary>The sites that take part; empty before the order has begun.</summary>
    public IReadOnlyList<string> Sites { get; init; } = [];

    /// <summary>The site that the order waits for: the next message is delivered when it has told that it sends nothing
    /// before it. Or, before the own site has begun, the site that does not know of it yet. Null while it waits for
    /// none.</summary>
    public string? WaitsFor { get; init; }

    /// <summary>Events delivered to this member.</summary>
    public long Delivered { get; init; }

    /// <summary>Messages that wait for their turn in the order.</summary>
    public long Waiting { get; init; }

    /// <summary>Messages of the own site that some other site lacks, as far as is known. Sends wait from 2,048 on.
    /// </summary>
    public long Unacknowledged { get; init; }

    /// <summary>Records of other sites that came again, as after a takeover of a gateway, and were dropped.</summary>
    public long Duplicates { get; init; }

    /// <summary>Messages of the ring that were dropped: malformed, of an unknown site, or behind one that is missing.
    /// </summary>
    public long Rejected { get; init; }
}
