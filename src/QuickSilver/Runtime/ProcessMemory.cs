using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;

namespace QuickSilver.Runtime;

/// <summary>
/// Accounts the pooled memory of all nodes in this process against the heap limit of the process. Above five eighths of
/// that limit memory is tight. Caches then take only what they must, returned memory is freed, and the fullest inbox
/// acts as full. Limits that are set too high thus cost a reader its group, not the process its heap. Any thread.
/// </summary>
/// <param name="limit">Bytes above which memory is tight.</param>
internal sealed class ProcessMemory(long limit) : IMemoryBudget
{
    private long _bytes;

    /// <summary>The budget of this process.</summary>
    public static ProcessMemory Shared { get; } = new(HeapShares.Heap / 8 * 5);

    /// <inheritdoc/>
    public bool IsTight => Volatile.Read(ref _bytes) > limit;

    /// <summary>Bytes of pooled memory held now.</summary>
    public long Bytes => Volatile.Read(ref _bytes);

    /// <inheritdoc/>
    public void Add(long bytes) => Interlocked.Add(ref _bytes, bytes);
}
