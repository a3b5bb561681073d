using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Timed;

/// <summary>
/// Draws the waits of receivers that lack the same packet, so that one or two of them ask and the others hear it. O(1),
/// allocates nothing. Sources: RFC 5401, section 3.2.3 (exponential); the VE paper (uniform); SRM (distance).
/// </summary>
internal static class NakWait
{
    private const double SrmFrom = 2;
    private const double SrmWidth = 2;

    /// <summary>Draws a wait.</summary>
    /// <param name="timers">The law.</param>
    /// <param name="longest">The longest wait of the first two laws.</param>
    /// <param name="roundTrip">Round trip to the sender: twice the distance of the third.</param>
    /// <param name="members">Members that may lack the same packet; at least 1.</param>
    /// <param name="tries">How often it was asked for in vain: each doubles the wait.</param>
    /// <param name="random">The randomness.</param>
    public static TimeSpan Draw(
        NakTimers timers, TimeSpan longest, TimeSpan roundTrip, int members, int tries, SeededRandom random)
    {
        double doubling = 1 << Math.Min(tries, 6);
        double share = random.NextDouble();
        double ticks = timers switch
        {
            NakTimers.Uniform => longest.Ticks * share,
            NakTimers.Distance => roundTrip.Ticks / 2.0 * (SrmFrom + (SrmWidth * share)),
            _ => longest.Ticks * Exponential(share, members),
        };
        return new TimeSpan((long)(ticks * doubling));
    }

    // With lambda = ln(members) + 1: the inverse of a distribution whose density grows with e^(lambda t).
    private static double Exponential(double share, int members)
    {
        double lambda = Math.Log(Math.Max(1, members)) + 1;
        double spread = Math.Exp(lambda) - 1;
        return Math.Log((share * spread) + 1) / lambda;
    }
}
