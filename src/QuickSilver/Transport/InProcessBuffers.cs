namespace QuickSilver.Transport;

/// <summary>
/// The buffers of one in-process node, rented by its senders' threads and returned by its core thread: short ones for control datagrams, so that they
/// do not occupy 64 KiB each, and long ones for trains. One lock.
/// </summary>
internal sealed class InProcessBuffers
{
    private const int ShortBytes = 2048;

    private readonly Lock _lock = new();
    private readonly ReadBufferPool _long = new();
    private readonly Stack<byte[]> _short = new();

    /// <summary>A buffer for so many bytes.</summary>
    public byte[] Rent(int bytes)
    {
        lock (_lock) return bytes > ShortBytes ? _long.Rent() : _short.TryPop(out byte[]? kept) ? kept : new byte[ShortBytes];
    }

    /// <summary>Gives a buffer back.</summary>
    public void Return(byte[] buffer)
    {
        lock (_lock)
        {
            if (buffer.Length == ShortBytes) _short.Push(buffer);
            else _long.Return(buffer);
        }
    }
}
