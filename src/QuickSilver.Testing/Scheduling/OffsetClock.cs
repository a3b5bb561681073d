using QuickSilver.Protocol.Core;

namespace QuickSilver.Testing.Scheduling;

/// <summary>
/// One machine's clock: the simulation's time plus an offset of its own, because the origin of a monotonic clock means
/// nothing to another machine, and a little too fast or too slow. An instant that leaked from one node to another would
/// show at once.
/// </summary>
/// <param name="clock">The simulation's clock.</param>
/// <param name="offset">Added to its time; positive, so that <see cref="Instant.Zero"/> stays in the past.</param>
/// <param name="drift">How much too fast it goes, in parts per million; negative: too slow.</param>
internal sealed class OffsetClock(IClock clock, TimeSpan offset, int drift = 0) : IClock
{
    private const long Million = 1_000_000;

    private TimeSpan _offset = offset;

    /// <inheritdoc/>
    public Instant Now => ToLocal(clock.Now + Ahead);

    /// <summary>How far the node is ahead of the simulation's time, in the middle of a turn whose work takes
    /// time.</summary>
    public TimeSpan Ahead { get; set; }

    /// <summary>The same clock with the simulation's origin and pace: what the node's interface tells the time
    /// by.</summary>
    public IClock Global => field ??= new GlobalClock(this, clock);

    /// <summary>The first instant of the simulation at which this clock shows at least this.</summary>
    public Instant ToGlobal(Instant local)
    {
        if (local == Instant.Never) return Instant.Never;
        if (drift == 0) return local - _offset;
        long passed = (local - _offset).Ticks;
        long ticks = (long)((Int128)passed * Million / (Million + drift));
        while (ticks + Gained(ticks) < passed) ticks++;
        return new Instant(ticks);
    }

    /// <summary>Lets the clock stand still for a while, as a suspended virtual machine's may.</summary>
    public void LoseTime(TimeSpan time) => _offset -= time;

    private Instant ToLocal(Instant global) => global + _offset + new TimeSpan(drift == 0 ? 0 : Gained(global.Ticks));

    private long Gained(long ticks) => (long)((Int128)ticks * drift / Million);

    private sealed class GlobalClock(OffsetClock node, IClock clock) : IClock
    {
        public Instant Now => clock.Now + node.Ahead;
    }
}
