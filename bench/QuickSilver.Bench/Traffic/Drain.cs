using System.Diagnostics;

namespace QuickSilver.Bench.Traffic;

/// <summary>Waits at the end of a run for what may still come.</summary>
internal static class Drain
{
    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(15);
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(50);

    /// <summary>Waits until nothing has come for a while.</summary>
    /// <param name="count">Messages so far.</param>
    /// <param name="quiet">For how long.</param>
    public static async Task AwaitAsync(Func<long> count, TimeSpan quiet)
    {
        long since = Stopwatch.GetTimestamp();
        long changed = since;
        long before = -1;
        while (Stopwatch.GetElapsedTime(changed) < quiet && Stopwatch.GetElapsedTime(since) < Longest)
        {
            long now = count();
            if (now != before) changed = Stopwatch.GetTimestamp();
            before = now;
            await Task.Delay(Look);
        }
    }
}
