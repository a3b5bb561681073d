namespace QuickSilver.Protocol.Core;

/// <summary>
/// How much of a turn each queue may take. The papers used 50 ms for I/O, 5 ms for alarms and no limit for requests;
/// shorter quanta keep tokens and pacing on time.
/// </summary>
internal sealed record LoopQuanta
{
    /// <summary>
    /// How long completions are handled in a turn; the remainder waits for the next turn, and is sorted again with
    /// newer ones. The papers: 50 ms.
    /// </summary>
    public TimeSpan IoQuantum { get; init; } = TimeSpan.FromMilliseconds(1);

    /// <summary>How long alarms are fired in a turn. The papers: 5 ms.</summary>
    public TimeSpan AlarmQuantum { get; init; } = TimeSpan.FromMilliseconds(1);

    /// <summary>A phase that takes longer is reported as a stall.</summary>
    public TimeSpan StallWarning { get; init; } = TimeSpan.FromMilliseconds(10);
}
