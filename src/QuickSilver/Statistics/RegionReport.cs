namespace QuickSilver;

/// <summary>One region as a node sees it. Part of <see cref="NodeSnapshot"/>.</summary>
public sealed record RegionReport
{
    /// <summary>Number of the region, as in <see cref="RegionView.Id"/>.</summary>
    public ulong Number { get; init; }

    /// <summary>Number of its view.</summary>
    public ulong View { get; init; }

    /// <summary>True when the node is a member; false when it only sends there.</summary>
    public bool IsMember { get; init; }

    /// <summary>Number of members.</summary>
    public int MemberCount { get; init; }

    /// <summary>Number of groups that the region belongs to.</summary>
    public int GroupCount { get; init; }

    /// <summary>Some of the members, at most 16, in the order of the view. Empty but for the node's eight largest
    /// regions.</summary>
    public IReadOnlyList<Member> Members { get; init; } = [];

    /// <summary>Smoothed duration of the token rounds in this view; null unless the node leads them.</summary>
    public TimeSpan? TokenRoundTrip { get; init; }

    /// <summary>Packets a second that the node has sent there since its snapshot before; null when it does not send
    /// there.</summary>
    public double? Rate { get; init; }

    /// <summary>Packets a second that the node may send there; null when it does not.</summary>
    public double? RateLimit { get; init; }

    /// <summary>Packets that the node has sent there and that are not known to be held by all members; null when it
    /// does not send there.</summary>
    public long? Unstable { get; init; }
}
