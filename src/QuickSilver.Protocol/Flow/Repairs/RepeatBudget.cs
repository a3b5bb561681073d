using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Flow.Repairs;

/// <summary>
/// How many packets may be repaired again for an asker that was sent them before: a burst, a slow trickle, and earned
/// credits. A first repair earns half a repeat; every packet that becomes stable where the asker is a member earns two.
/// So a member that loses much and still progresses has its repeats. A member that never progresses costs a trickle.
/// O(1), allocates nothing.
/// </summary>
internal struct RepeatBudget
{
    /// <summary>
    /// Repeats earned by a packet that becomes stable. More than one, so that a recovering member catches up ever
    /// faster.
    /// </summary>
    public const double ByStable = 2;

    /// <summary>Repeats earned by a packet's first repair.</summary>
    public const double ByFirst = 0.5;

    private const double AskerBurst = 2_048;
    private const double AskerPerSecond = 50;
    private const double TotalShare = 4;

    private readonly double _burst;
    private readonly double _perSecond;
    private double _credit;
    private double _earned;
    private Instant _asOf;

    private RepeatBudget(double share, Instant now, double earned)
    {
        _burst = AskerBurst * share;
        _perSecond = AskerPerSecond * share;
        _credit = _burst;
        _earned = earned;
        _asOf = now;
    }

    /// <summary>True once the budget was made; false for the default value.</summary>
    public readonly bool IsOpen => _burst > 0;

    /// <summary>The budget of one asker.</summary>
    /// <param name="now">The present instant.</param>
    /// <param name="earned">The total that all askers have earned by now.</param>
    public static RepeatBudget ForAsker(Instant now, double earned) => new(1, now, earned);

    /// <summary>The budget of all askers of a node.</summary>
    public static RepeatBudget ForAll(Instant now, double earned) => new(TotalShare, now, earned);

    /// <summary>Takes one repeat.</summary>
    /// <param name="now">The present instant.</param>
    /// <param name="earned">The total earned by now, counted from the beginning; the increase since the last call is
    /// added.</param>
    /// <returns>False when there is none left.</returns>
    public bool TryTake(Instant now, double earned)
    {
        double grown = _credit + ((now - _asOf).TotalSeconds * _perSecond) + (earned - _earned);
        _credit = Math.Min(_burst, grown);
        _asOf = now;
        _earned = earned;
        if (_credit < 1) return false;
        _credit--;
        return true;
    }

    /// <summary>Returns taken repeats, or adds those that one asker has earned for itself.</summary>
    public void Add(double repeats) => _credit = Math.Min(_burst, _credit + repeats);
}
