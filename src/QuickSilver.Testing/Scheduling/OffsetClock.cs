using QuickSilver.Protocol.Core;

namespace QuickSilver.Testing.Scheduling;

/// <summary>
/// One node's clock: the simulation's time plus an offset of its own, because the origin of a monotonic clock means nothing to another machine. An
/// instant that leaked from
/// one node to another would show at once.
/// </summary>
/// <param name="clock">The simulation's clock.</param>
/// <param name="offset">Added to its time; positive, so that <see cref="Instant.Zero"/> stays in the past.</param>
internal sealed class OffsetClock(IClock clock, TimeSpan offset) : IClock
{
    /// <inheritdoc/>
    public Instant Now => clock.Now + offset;

    /// <summary>An instant of this clock as the simulation's.</summary>
    public Instant ToGlobal(Instant local) => local == Instant.Never ? Instant.Never : local - offset;
}
