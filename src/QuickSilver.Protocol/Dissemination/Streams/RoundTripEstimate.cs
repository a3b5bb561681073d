using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Packing;

namespace QuickSilver.Protocol.Dissemination.Streams;

/// <summary>
/// How long it takes until feedback names a packet: smoothed like TCP's (an eighth of each sample; Jacobson, 1988),
/// between a millisecond and a second. Measured only where the packet was sent once, and only the first time that
/// feedback names it: otherwise the sample is ambiguous (Karn's rule). A field of <see cref="StreamSender"/>, never
/// copied. Core thread only.
/// </summary>
/// <param name="initial">The value before the first sample.</param>
internal struct RoundTripEstimate(TimeSpan initial)
{
    private static readonly TimeSpan Shortest = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(1);

    private ulong _named;

    /// <summary>The present estimate.</summary>
    public TimeSpan Value { get; private set; } = initial;

    /// <summary>Takes a sample from feedback that names packets up to a sequence.</summary>
    public void OnFeedback(ulong highest, PendingPackets pending, Instant now)
    {
        if (highest <= _named) return;
        _named = highest;
        if (!pending.Contains(highest) || pending[highest].Repaired != Instant.Zero) return;
        TimeSpan value = Value + ((now - pending[highest].Sent - Value) / 8);
        Value = value < Shortest ? Shortest : value > Longest ? Longest : value;
    }
}
