namespace QuickSilver.Protocol.Tests;

/// <summary>Exact counts of what the calling thread allocates.</summary>
internal static class AllocatedBytes
{
    /// <summary>Bytes allocated by one call. Call the action before, so that what is made once (code, buffers that grow) is there.</summary>
    public static long Of(Action action)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        action();
        return GC.GetAllocatedBytesForCurrentThread() - before;
    }
}
