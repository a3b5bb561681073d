using System.Diagnostics;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Loop;

/// <summary>
/// The machine's monotonic clock in ticks of 100 ns. All instances in a process share one origin, one hour before first
/// use, so that an instant is never near <see cref="Instant.Zero"/>. Any thread; a reading costs some 25 ns.
/// </summary>
internal sealed class MonotonicClock : IClock
{
    private static readonly long Origin = Stopwatch.GetTimestamp() - (3600 * Stopwatch.Frequency);
    private static readonly long StampsPerTick = Stopwatch.Frequency / TimeSpan.TicksPerSecond;
    private static readonly bool IsWhole = Stopwatch.Frequency % TimeSpan.TicksPerSecond == 0;

    /// <inheritdoc/>
    public Instant Now
    {
        get
        {
            long stamps = Stopwatch.GetTimestamp() - Origin;
            return new Instant(
                IsWhole
                    ? stamps / StampsPerTick
                    : (long)((Int128)stamps * TimeSpan.TicksPerSecond / Stopwatch.Frequency));
        }
    }
}
