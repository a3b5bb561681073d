namespace QuickSilver.Bench;

/// <summary>Statistics that include all that has happened up to the call: a node's are at most 100 ms old.</summary>
internal static class SettledStatistics
{
    private static readonly TimeSpan OldestCut = TimeSpan.FromMilliseconds(150);

    /// <summary>Waits for a cut made after the call.</summary>
    public static async Task<NodeStatistics> ReadAsync(QuickSilverNode node)
    {
        await Task.Delay(OldestCut);
        return node.GetStatistics();
    }
}
