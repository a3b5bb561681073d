using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Flow.Control;

/// <summary>
/// Credits that grow with elapsed time, up to a cap.
/// <para>
/// Idea: credits are computed from elapsed time, not added by a timer. So a late alarm or a long turn costs nothing:
/// the missed credits are there at once (the papers' overshoot). The cap bounds the catching up, and with it the burst
/// after a pause. A full bucket may be overdrawn beyond its capacity and goes into debt, so a train longer than the cap
/// is late rather than stuck. O(1), allocates nothing, core thread only. Source: first paper, section 3, rate control;
/// its implementation's cap was 500 packets.
/// </para>
/// </summary>
internal sealed class TokenBucket
{
    // Waiting exactly until ReadyAt may yield credits that fall short of the request by rounding; a millionth of a
    // credit is tolerated.
    private const double Rounding = 1e-6;

    private double _credits;
    private Instant _asOf;

    /// <summary>Makes a full bucket.</summary>
    /// <param name="ratePerSecond">Credits per second; more than 0.</param>
    /// <param name="capacity">The most credits that can be saved up; at least 1.</param>
    /// <param name="now">The present instant, from which credits grow.</param>
    public TokenBucket(double ratePerSecond, double capacity, Instant now)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(ratePerSecond);
        ArgumentOutOfRangeException.ThrowIfLessThan(capacity, 1);
        Rate = ratePerSecond;
        Capacity = capacity;
        _credits = capacity;
        _asOf = now;
    }

    /// <summary>Credits per second.</summary>
    public double Rate { get; private set; }

    /// <summary>The most credits that can be saved up.</summary>
    public double Capacity { get; private set; }

    /// <summary>
    /// Changes rate and cap from now on. Credits for the time until now are earned at the old rate; credits above the
    /// new cap are lost.
    /// </summary>
    public void Change(double ratePerSecond, double capacity, Instant now)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(ratePerSecond);
        ArgumentOutOfRangeException.ThrowIfLessThan(capacity, 1);
        Refill(now);
        Rate = ratePerSecond;
        Capacity = capacity;
        _credits = Math.Min(_credits, capacity);
    }

    /// <summary>Whole credits there now; 0 while in debt.</summary>
    public int Available(Instant now)
    {
        Refill(now);
        return _credits < 1 - Rounding ? 0 : (int)Math.Min(_credits + Rounding, int.MaxValue);
    }

    /// <summary>
    /// Takes <paramref name="count"/> credits, whether or not they are there: the missing ones become a debt.
    /// </summary>
    public void Take(int count, Instant now)
    {
        Refill(now);
        _credits -= count;
    }

    /// <summary>Takes <paramref name="count"/> credits if they are there, or if the bucket is full.</summary>
    /// <returns>False when they are not; nothing is taken then.</returns>
    public bool TryTake(int count, Instant now)
    {
        Refill(now);
        if (_credits < Math.Min(count, Capacity) - Rounding) return false;
        _credits -= count;
        return true;
    }

    /// <summary>
    /// When <paramref name="count"/> credits (or a full bucket) will be there; <paramref name="now"/> when they are.
    /// </summary>
    public Instant ReadyAt(int count, Instant now)
    {
        Refill(now);
        double missing = Math.Min(count, Capacity) - _credits;
        if (missing <= Rounding) return now;
        double ticks = Math.Ceiling(missing / Rate * TimeSpan.TicksPerSecond);
        return ticks >= long.MaxValue - _asOf.Ticks ? Instant.Never : new Instant(_asOf.Ticks + (long)ticks);
    }

    private void Refill(Instant now)
    {
        if (now <= _asOf) return;
        _credits = Math.Min(Capacity, _credits + ((now - _asOf).Ticks * Rate / TimeSpan.TicksPerSecond));
        _asOf = now;
    }
}
