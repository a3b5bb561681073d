namespace QuickSilver.Protocol.Tests;

/// <summary>Exact counts of what the calling thread allocates.</summary>
internal static class AllocatedBytes
{
    private const int Attempts = 5;

    /// <summary>Bytes allocated by one call: the fewest of some attempts. Code that allocates does so in every one; the
    /// runtime, which allocates on whatever thread it happens to be, as where it compiles a loop again, does not: it
    /// was seen once in some hundred runs, with 750 to 8,100 bytes. Call the action before, so that what is made once
    /// (buffers that grow) is there.</summary>
    public static long Of(Action action)
    {
        long fewest = long.MaxValue;
        for (int attempt = 0; attempt < Attempts && fewest > 0; attempt++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            action();
            fewest = Math.Min(fewest, GC.GetAllocatedBytesForCurrentThread() - before);
        }
        return fewest;
    }
}
