namespace QuickSilver.Protocol.Flow.Repairs;

/// <summary>The pause before a repair, or a request for one, is repeated: doubled each time, up to a second.</summary>
internal static class RepairPause
{
    /// <summary>The longest pause that doubling leads to.</summary>
    public static readonly TimeSpan Longest = TimeSpan.FromSeconds(1);

    private const int MaxDoublings = 20;

    /// <summary>
    /// The pause after <paramref name="doublings"/> doublings; never shorter than the first, even when that is longer
    /// than <see cref="Longest"/>.
    /// </summary>
    public static TimeSpan After(TimeSpan first, int doublings)
    {
        if (doublings <= 0 || first >= Longest) return first;
        long ticks = first.Ticks << Math.Min(doublings, MaxDoublings);
        return ticks < Longest.Ticks ? TimeSpan.FromTicks(ticks) : Longest;
    }
}
