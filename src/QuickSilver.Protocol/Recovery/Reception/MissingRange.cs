using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Repairs;

namespace QuickSilver.Protocol.Recovery.Reception;

/// <summary>Consecutive missing sequences in one state.</summary>
/// <param name="Start">First sequence.</param>
/// <param name="End">The sequence after the last.</param>
/// <param name="When">When the gap was seen, or when somebody was asked last.</param>
/// <param name="Attempts">How often somebody was asked.</param>
internal readonly record struct MissingRange(ulong Start, ulong End, Instant When, int Attempts)
{
    /// <summary>So often somebody is asked at the usual distance; then the distance doubles.</summary>
    public const int FreeAttempts = 4;

    /// <summary>How many sequences there are.</summary>
    public ulong Length => End - Start;

    /// <summary>True once somebody was asked.</summary>
    public bool IsRequested => Attempts > 0;

    /// <summary>True when somebody was asked so recently that the answer may be on its way.</summary>
    public bool IsUnderWay(Instant now, TimeSpan patience) => Attempts > 0 && now - When < patience;

    /// <summary>True until it is asked for again: nobody need push it, nor ask for it on this member's behalf.</summary>
    public bool IsAwaited(Instant now, TimeSpan patience) => Attempts > 0 && now - When < Pause(patience);

    /// <summary>When to ask (again). After some attempts in vain ever later, up to a second.</summary>
    public Instant DueAt(TimeSpan grace, TimeSpan patience) => When + (Attempts > 0 ? Pause(patience) : grace);

    private TimeSpan Pause(TimeSpan patience) => RepairPause.After(patience, Attempts - FreeAttempts);
}
