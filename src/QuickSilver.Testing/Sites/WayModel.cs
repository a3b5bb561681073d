namespace QuickSilver.Testing.Sites;

/// <summary>One direction of a link between sites.</summary>
internal sealed record WayModel
{
    /// <summary>The least time that a datagram takes.</summary>
    public TimeSpan Delay { get; init; } = TimeSpan.FromMilliseconds(20);

    /// <summary>What it may take longer, evenly.</summary>
    public TimeSpan Jitter { get; init; }

    /// <summary>How often the receiver takes what has come, on average: a host with too much to do. Zero: at once.
    /// </summary>
    public TimeSpan TakenEvery { get; init; }

    /// <summary>Share of datagrams that is lost, each by itself.</summary>
    public double Loss { get; init; }

    /// <summary>Share of datagrams that come twice, the second up to a second later.</summary>
    public double Duplicates { get; init; }

    /// <summary>Mean time between stretches in which all is lost; zero: there are none.</summary>
    public TimeSpan BurstEvery { get; init; }

    /// <summary>How long such a stretch lasts.</summary>
    public TimeSpan BurstLength { get; init; }

    /// <summary>Bytes a second.</summary>
    public double Rate { get; init; } = 1_250_000;

    /// <summary>Bytes that wait at the narrow place, at most; what does not fit is lost.</summary>
    public int Queue { get; init; } = 256 << 10;

    /// <summary>What the network adds to a datagram, in bytes.</summary>
    public int Overhead { get; init; } = 28;
}
