namespace QuickSilver.Protocol.Flow.Buffers;

/// <summary>How much memory the pools of one process hold together. Given by the host; any thread.</summary>
public interface IMemoryBudget
{
    /// <summary>True while they hold so much that none should take more than it must. O(1), for every packet.</summary>
    bool IsTight { get; }

    /// <summary>A pool has made, or with a negative count let go, so many bytes.</summary>
    void Add(long bytes);
}
