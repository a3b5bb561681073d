namespace QuickSilver.Protocol.Flow.Repairs;

/// <summary>How long who repairs, or asks for a repair, waits before it does so again: doubled each time, up to a second.</summary>
internal static class RepairPause
{
    /// <summary>The longest pause that doubling leads to.</summary>
    public static readonly TimeSpan Longest = TimeSpan.FromSeconds(1);

    private const int MostDoublings = 20;

    /// <summary>A pause after so many doublings; never shorter than the first, even when that is longer than <see cref="Longest"/>.</summary>
    public static TimeSpan After(TimeSpan first, int doublings)
    {
        if (doublings <= 0 || first >= Longest) return first;
        long ticks = first.Ticks << Math.Min(doublings, MostDoublings);
        return ticks < Longest.Ticks ? TimeSpan.FromTicks(ticks) : Longest;
    }
}
