namespace QuickSilver;

/// <summary>
/// What the limits of memory are where nobody set them: so much as the process may have, or less if its heap is small. The heap is what the runtime
/// says that it may use: a hard limit (<c>DOTNET_GCHeapHardLimit</c>), what a container has, or the machine's memory.
/// <para>
/// Shares of one node: an eighth of the heap for all inboxes, an eighth for what is pending, an eighth for the cache. A stalled reader may keep three
/// times its inbox's limit, because messages lie in packets; what is pending is copied once more on its way. So the three come to three quarters.
/// Nodes of one process share the heap: each gets the part that is right for as many as run when it starts.
/// </para>
/// </summary>
/// <param name="heap">Bytes of the heap.</param>
/// <param name="nodes">Nodes that share it, at least 1.</param>
internal readonly struct HeapShares(long heap, int nodes = 1)
{
    private const int LargePart = 8;
    private const int SmallPart = 16;
    private const int BytesPerEntry = 4_096;
    private const int BytesPerPending = 2_048;

    private static int _running;

    /// <summary>The heap of this process, as the runtime says. 0 is not known: then nothing is small.</summary>
    public static long Heap { get; } = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes is > 0 and var available ? available : long.MaxValue;

    /// <summary>Shares of a node that has the heap to itself.</summary>
    public static HeapShares Alone => new(Heap);

    /// <summary>Most unread messages of one inbox.</summary>
    public int InboxMaxMessages => (int)Math.Clamp(Mine / BytesPerEntry, 1_024, 65_536);

    /// <summary>Most unread bytes of one inbox.</summary>
    public long InboxMaxBytes => Math.Clamp(Mine / SmallPart, 256L << 10, 64L << 20);

    /// <summary>Most unread bytes of all inboxes.</summary>
    public long InboxMaxBytesPerNode => Math.Clamp(Mine / LargePart, 512L << 10, 512L << 20);

    /// <summary>Most messages pending per stream.</summary>
    public int PendingMessages => (int)Math.Clamp(Mine / BytesPerPending, 1_024, 100_000);

    /// <summary>Most bytes pending per stream.</summary>
    public long PendingBytes => Math.Clamp(Mine / SmallPart, 256L << 10, 64L << 20);

    /// <summary>Most bytes pending in all streams.</summary>
    public long NodePendingBytes => Math.Clamp(Mine / LargePart, 512L << 10, 256L << 20);

    /// <summary>Most bytes of received packets kept.</summary>
    public long CacheBytes => Math.Clamp(Mine / LargePart, 1L << 20, 256L << 20);

    private long Mine => heap / Math.Max(1, nodes);

    /// <summary>A node starts. Any thread.</summary>
    /// <returns>Shares for as many as there are now.</returns>
    public static HeapShares Enter() => new(Heap, Interlocked.Increment(ref _running));

    /// <summary>A node has ended. Any thread.</summary>
    public static void Leave() => Interlocked.Decrement(ref _running);
}
