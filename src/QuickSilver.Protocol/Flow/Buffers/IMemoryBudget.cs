namespace QuickSilver.Protocol.Flow.Buffers;

/// <summary>How much memory the pools of one process hold together. Given by the host; any thread.</summary>
internal interface IMemoryBudget
{
    /// <summary>
    /// True while the pools hold so much that each should take only what it must. O(1), asked for every packet.
    /// </summary>
    bool IsTight { get; }

    /// <summary>Counts bytes that a pool has allocated, or, when negative, has released.</summary>
    void Add(long bytes);
}
