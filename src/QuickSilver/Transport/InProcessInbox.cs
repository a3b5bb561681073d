using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// The receive buffer of one in-process endpoint. The threads of senders fill it, and its node's core thread empties
/// it. Its size is limited in bytes, like that of a kernel's buffer.
/// </summary>
/// <param name="buffers">The buffers of the receiving node.</param>
/// <param name="capacityBytes">The capacity in bytes; trains beyond it are dropped and counted.</param>
/// <param name="arrived">Called after a delivery, outside the lock, on the sender's thread.</param>
internal sealed class InProcessInbox(InProcessBuffers buffers, int capacityBytes, Action arrived)
{
    private const int PerReadOverhead = 512;

    private readonly Lock _lock = new();
    private readonly Queue<(byte[] Buffer, int Length, NetEndpoint Source)> _reads = new();
    private int _heldBytes;
    private int _count;
    private ulong _drops;

    /// <summary>True when no read waits. Any thread.</summary>
    public bool IsEmpty => Volatile.Read(ref _count) == 0;

    /// <summary>The number of trains dropped for lack of room. Any thread.</summary>
    public ulong Drops => Volatile.Read(ref _drops);

    /// <summary>Copies a train into the buffer, or drops it. Any thread.</summary>
    public void Deliver(NetEndpoint source, ReadOnlySpan<byte> train)
    {
        lock (_lock)
        {
            int charge = train.Length + PerReadOverhead;
            if (_heldBytes + charge > capacityBytes)
            {
                Volatile.Write(ref _drops, _drops + 1);
                return;
            }
            byte[] buffer = buffers.Rent(train.Length);
            train.CopyTo(buffer);
            _heldBytes += charge;
            _reads.Enqueue((buffer, train.Length, source));
            Volatile.Write(ref _count, _reads.Count);
        }
        arrived();
    }

    /// <summary>Takes the oldest read; the caller returns its buffer.</summary>
    public bool TryTake(out byte[] buffer, out int length, out NetEndpoint source)
    {
        lock (_lock)
        {
            if (!_reads.TryDequeue(out (byte[] Buffer, int Length, NetEndpoint Source) read))
            {
                buffer = [];
                length = 0;
                source = default;
                return false;
            }
            (buffer, length, source) = read;
            _heldBytes -= length + PerReadOverhead;
            Volatile.Write(ref _count, _reads.Count);
            return true;
        }
    }
}
