using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Repairs;

namespace QuickSilver.Protocol.Recovery.Reception;

/// <summary>Consecutive missing sequences in one state.</summary>
/// <param name="Start">First sequence.</param>
/// <param name="End">The sequence after the last.</param>
/// <param name="When">Time when the gap was seen, or of the last request.</param>
/// <param name="Attempts">Number of requests so far.</param>
internal readonly record struct MissingRange(ulong Start, ulong End, Instant When, int Attempts)
{
    /// <summary>Number of requests at the usual interval; after them the interval doubles.</summary>
    public const int FreeAttempts = 4;

    /// <summary>Number of sequences in the range.</summary>
    public ulong Length => End - Start;

    /// <summary>True once the range was requested.</summary>
    public bool IsRequested => Attempts > 0;

    /// <summary>True when the last request is so recent that its answer may be on the way.</summary>
    public bool IsUnderWay(Instant now, TimeSpan patience) => Attempts > 0 && now - When < patience;

    /// <summary>
    /// True until the range is due to be requested again: no peer need push it, or request it on this member's behalf.
    /// </summary>
    public bool IsAwaited(Instant now, TimeSpan patience) => Attempts > 0 && now - When < Pause(patience);

    /// <summary>Time of the next request. After some unanswered requests the interval grows, up to a second.</summary>
    public Instant DueAt(TimeSpan grace, TimeSpan patience) => When + (Attempts > 0 ? Pause(patience) : grace);

    private TimeSpan Pause(TimeSpan patience) => RepairPause.After(patience, Attempts - FreeAttempts);
}
