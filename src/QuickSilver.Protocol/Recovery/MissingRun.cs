using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Recovery;

/// <summary>Consecutive missing sequences in one state.</summary>
/// <param name="Start">First sequence.</param>
/// <param name="End">The sequence after the last.</param>
/// <param name="When">When the gap was seen, or when somebody was asked last.</param>
/// <param name="Attempts">How often somebody was asked.</param>
internal readonly record struct MissingRun(ulong Start, ulong End, Instant When, int Attempts)
{
    /// <summary>How many sequences there are.</summary>
    public ulong Length => End - Start;

    /// <summary>True once somebody was asked.</summary>
    public bool IsRequested => Attempts > 0;

    /// <summary>True when somebody was asked so recently that the answer may be on its way.</summary>
    public bool IsAwaited(Instant now, TimeSpan patience) => Attempts > 0 && now - When < patience;

    /// <summary>When to ask (again).</summary>
    public Instant DueAt(TimeSpan grace, TimeSpan patience) => When + (Attempts > 0 ? patience : grace);
}
