namespace QuickSilver.Protocol.Delivery;

/// <summary>
/// Queues and reassemblies that are not in use: what makes holding messages free of allocation in steady state. Keeps a bounded number of entries, so
/// that one bad moment is not paid for until the node stops.
/// </summary>
internal sealed class HeldPool
{
    private const int MaxEntries = 1 << 16;

    private readonly Stack<ReorderBuffer> _queues = new();
    private readonly Stack<Reassembly> _reassemblies = new();
    private int _entries;

    public ReorderBuffer RentQueue()
    {
        if (!_queues.TryPop(out ReorderBuffer? queue)) return new ReorderBuffer();
        _entries -= queue.Capacity;
        return queue;
    }

    /// <summary>Takes back a queue that is empty.</summary>
    public void Return(ReorderBuffer queue)
    {
        System.Diagnostics.Debug.Assert(queue.Count == 0, "a queue in the pool must be empty");
        if (_entries + queue.Capacity > MaxEntries) return;
        _entries += queue.Capacity;
        _queues.Push(queue);
    }

    public Reassembly RentReassembly(int messageLength)
    {
        if (_reassemblies.TryPop(out Reassembly? parts)) _entries -= parts.Capacity;
        else parts = new Reassembly();
        parts.Begin(messageLength);
        return parts;
    }

    /// <summary>Takes a reassembly back and releases its fragments.</summary>
    public void Return(Reassembly parts)
    {
        parts.Clear();
        if (_entries + parts.Capacity > MaxEntries) return;
        _entries += parts.Capacity;
        _reassemblies.Push(parts);
    }
}
