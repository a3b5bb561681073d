namespace QuickSilver;

/// <summary>
/// Defaults of the memory limits: fixed values, reduced where the heap is small. The size of the heap is the runtime's
/// figure: a hard limit (<c>DOTNET_GCHeapHardLimit</c>), the memory of the container, or the memory of the machine.
/// <para>
/// Shares of one node: an eighth of the heap for all inboxes, an eighth for pending messages, an eighth for the cache.
/// A stalled reader may keep three times its inbox's limit, because messages lie in packets. Pending messages are
/// copied once more on their way. The three shares therefore amount to at most three quarters of the heap. Nodes of one
/// process share the heap: each gets its part for the number of nodes that run when it starts.
/// </para>
/// </summary>
/// <param name="heap">Size of the heap, in bytes.</param>
/// <param name="nodes">Number of nodes that share it, at least 1.</param>
internal readonly struct HeapShares(long heap, int nodes = 1)
{
    private const int LargePart = 8;
    private const int SmallPart = 16;
    private const int BytesPerEntry = 4_096;
    private const int BytesPerPending = 2_048;

    private static int _running;

    /// <summary>Size of this process's heap, as the runtime reports it. A report of 0 means unknown: no limit is
    /// reduced then.</summary>
    public static long Heap { get; } = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes is > 0 and var available
        ? available
        : long.MaxValue;

    /// <summary>Shares of a node that does not share the heap with others.</summary>
    public static HeapShares Alone => new(Heap);

    /// <summary>Limit on unread messages of one inbox.</summary>
    public int InboxMaxMessages => (int)Math.Clamp(Mine / BytesPerEntry, 1_024, 65_536);

    /// <summary>Limit on unread bytes of one inbox.</summary>
    public long InboxMaxBytes => Math.Clamp(Mine / SmallPart, 256L << 10, 64L << 20);

    /// <summary>Limit on unread bytes of all inboxes.</summary>
    public long InboxMaxBytesPerNode => Math.Clamp(Mine / LargePart, 512L << 10, 512L << 20);

    /// <summary>Limit on pending messages per stream.</summary>
    public int PendingMessages => (int)Math.Clamp(Mine / BytesPerPending, 1_024, 100_000);

    /// <summary>Limit on pending bytes per stream.</summary>
    public long PendingBytes => Math.Clamp(Mine / SmallPart, 256L << 10, 64L << 20);

    /// <summary>Limit on pending bytes in all streams.</summary>
    public long NodePendingBytes => Math.Clamp(Mine / LargePart, 512L << 10, 256L << 20);

    /// <summary>Limit on bytes of cached packets.</summary>
    public long CacheBytes => Math.Clamp(Mine / LargePart, 1L << 20, 256L << 20);

    private long Mine => heap / Math.Max(1, nodes);

    /// <summary>Counts a node that starts. Any thread.</summary>
    /// <returns>Shares for the present number of nodes, the new one included.</returns>
    public static HeapShares Enter() => new(Heap, Interlocked.Increment(ref _running));

    /// <summary>Uncounts a node that has ended. Any thread.</summary>
    public static void Leave() => Interlocked.Decrement(ref _running);
}
