using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;

namespace QuickSilver.Runtime;

/// <summary>
/// What the nodes of this process hold in pooled memory, against the heap that the process may have. Beyond five eighths of it memory is tight: caches
/// take no more than they must, memory that comes home is let go, and the inbox that holds most acts as full. So limits that were set too high cost a
/// reader its group, and not the process its heap. Any thread.
/// </summary>
/// <param name="most">Bytes above which memory is tight.</param>
internal sealed class ProcessMemory(long most) : IMemoryBudget
{
    private long _bytes;

    /// <summary>That of this process.</summary>
    public static ProcessMemory Shared { get; } = new(HeapShares.Heap / 8 * 5);

    /// <inheritdoc/>
    public bool IsTight => Volatile.Read(ref _bytes) > most;

    /// <summary>Bytes held now.</summary>
    public long Bytes => Volatile.Read(ref _bytes);

    /// <inheritdoc/>
    public void Add(long bytes) => Interlocked.Add(ref _bytes, bytes);
}
