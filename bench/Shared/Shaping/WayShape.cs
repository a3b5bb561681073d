namespace QuickSilver.Bench.Shaping;

/// <summary>What one direction of a relayed way does to datagrams. It may be changed while datagrams pass.</summary>
internal sealed record WayShape
{
    /// <summary>A way that does nothing.</summary>
    public static WayShape Clear { get; } = new();

    /// <summary>The least time that a datagram takes.</summary>
    public TimeSpan Delay { get; init; }

    /// <summary>What it may take longer, evenly.</summary>
    public TimeSpan Jitter { get; init; }

    /// <summary>True when none overtakes another, whatever the jitter.</summary>
    public bool KeepsOrder { get; init; }

    /// <summary>Share of the datagrams that is lost, each by itself.</summary>
    public double Loss { get; init; }

    /// <summary>True when what is lost has taken room in the narrow place.</summary>
    public bool LosesBehind { get; init; }

    /// <summary>Mean time between stretches in which all is lost; zero: there are none.</summary>
    public TimeSpan BurstEvery { get; init; }

    /// <summary>How long such a stretch lasts.</summary>
    public TimeSpan BurstLength { get; init; }

    /// <summary>Bytes a second, headers of 28 bytes included; 0: no limit.</summary>
    public double BytesPerSecond { get; init; }

    /// <summary>Bytes that wait at the narrow place, at most; what does not fit is lost.</summary>
    public int QueueBytes { get; init; } = 256 << 10;

    /// <summary>Share of the datagrams that come twice.</summary>
    public double Duplicates { get; init; }

    /// <summary>True while nothing passes.</summary>
    public bool IsCut { get; init; }
}
