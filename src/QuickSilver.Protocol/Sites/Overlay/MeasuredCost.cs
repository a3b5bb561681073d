using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Sites.Overlay;

/// <summary>
/// The cost of a link that this gateway tells: half of the round trip, with hysteresis. A new cost is told when it has
/// differed by a quarter, and by two milliseconds, for five seconds. So trees do not change with every delay.
/// </summary>
internal sealed class MeasuredCost
{
    // How long a cost must differ before another is told.
    private static readonly TimeSpan Settles = TimeSpan.FromSeconds(5);
    private const uint LeastChange = 2_000;

    private Instant _since = Instant.Never;

    /// <summary>The cost that is told, in microseconds; 0 before the first.</summary>
    public uint Told { get; private set; }

    /// <summary>The link has come up: its cost is told at once.</summary>
    public void Begin(TimeSpan roundTrip)
    {
        Told = CostOf(roundTrip);
        _since = Instant.Never;
    }

    /// <summary>Looks at the round trip.</summary>
    /// <returns>True when another cost is told from now on.</returns>
    public bool Update(TimeSpan roundTrip, Instant now)
    {
        uint cost = CostOf(roundTrip);
        uint change = cost > Told ? cost - Told : Told - cost;
        if (change < LeastChange || change < Told / 4)
        {
            _since = Instant.Never;
            return false;
        }
        if (_since == Instant.Never) _since = now;
        if (now - _since < Settles) return false;
        Told = cost;
        _since = Instant.Never;
        return true;
    }

    private static uint CostOf(TimeSpan roundTrip) =>
        (uint)Math.Clamp(roundTrip.TotalMicroseconds / 2, 1, uint.MaxValue);
}
