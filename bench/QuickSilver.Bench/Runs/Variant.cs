namespace QuickSilver.Bench.Runs;

/// <summary>What can be measured side by side.</summary>
internal enum Variant
{
    /// <summary>QuickSilver.</summary>
    QuickSilver,

    /// <summary>QuickSilver, every packet by a socket.</summary>
    QuickSilverUdp,

    /// <summary>A raw UDP multicast loop, one datagram a call.</summary>
    RawSingle,

    /// <summary>A raw UDP multicast loop with trains of datagrams, cut and joined by the kernel.</summary>
    RawTrains,
}
