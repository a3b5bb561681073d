namespace QuickSilver.Transport;

/// <summary>
/// The buffers of one in-process node. The threads of its senders rent them, and its core thread returns them. Short
/// ones hold control datagrams, which would otherwise occupy 64 KiB each; long ones hold trains. Any thread; one lock.
/// </summary>
internal sealed class InProcessBuffers
{
    private const int ShortBytes = 2048;

    private readonly Lock _lock = new();
    private readonly ReadBufferPool _long = new();
    private readonly Stack<byte[]> _short = new();

    /// <summary>Rents a buffer of at least a number of bytes, at most 64 KiB.</summary>
    public byte[] Rent(int bytes)
    {
        lock (_lock)
        {
            if (bytes > ShortBytes) return _long.Rent();
            return _short.TryPop(out byte[]? kept) ? kept : new byte[ShortBytes];
        }
    }

    /// <summary>Returns a rented buffer.</summary>
    public void Return(byte[] buffer)
    {
        lock (_lock)
        {
            if (buffer.Length == ShortBytes) _short.Push(buffer);
            else _long.Return(buffer);
        }
    }
}
