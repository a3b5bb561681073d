namespace QuickSilver.Protocol.Delivery;

/// <summary>
/// Buffers and reassemblies that are not in use, pooled so that holding messages allocates nothing in steady state.
/// Keeps a bounded number of entries, so that one peak does not occupy memory until the node stops.
/// </summary>
internal sealed class HeldPool
{
    private const int MaxEntries = 1 << 16;

    private readonly Stack<ReorderBuffer> _buffers = new();
    private readonly Stack<Reassembly> _reassemblies = new();
    private int _entries;

    public ReorderBuffer RentBuffer()
    {
        if (!_buffers.TryPop(out ReorderBuffer? buffer)) return new ReorderBuffer();
        _entries -= buffer.Capacity;
        return buffer;
    }

    /// <summary>Takes back an empty buffer.</summary>
    public void Return(ReorderBuffer buffer)
    {
        System.Diagnostics.Debug.Assert(buffer.Count == 0, "a buffer in the pool must be empty");
        if (_entries + buffer.Capacity > MaxEntries) return;
        _entries += buffer.Capacity;
        _buffers.Push(buffer);
    }

    public Reassembly RentReassembly(int messageLength, bool isOfPiece)
    {
        if (_reassemblies.TryPop(out Reassembly? parts)) _entries -= parts.Capacity;
        else parts = new Reassembly();
        parts.Begin(messageLength, isOfPiece);
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
