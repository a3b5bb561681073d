using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// The receive buffer of one in-process endpoint: filled by senders' threads, emptied by its node's core thread, limited in bytes like a kernel's.
/// </summary>
/// <param name="buffers">The node's buffers.</param>
/// <param name="capacityBytes">Bytes of reads it holds; what does not fit is dropped and counted.</param>
/// <param name="arrived">Called after a delivery, outside the lock, on the sender's thread.</param>
internal sealed class InProcessInbox(InProcessBuffers buffers, int capacityBytes, Action arrived)
{
    private const int PerReadOverhead = 512;

    private readonly Lock _lock = new();
    private readonly Queue<(byte[] Buffer, int Length, NetEndpoint Source)> _reads = new();
    private int _heldBytes;
    private int _count;
    private ulong _drops;

    /// <summary>True when nothing waits.</summary>
    public bool IsEmpty => Volatile.Read(ref _count) == 0;

    /// <summary>Trains dropped because they did not fit.</summary>
    public ulong Drops => Volatile.Read(ref _drops);

    /// <summary>Copies a train in. Any thread.</summary>
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

    /// <summary>Takes the oldest read; its buffer is the node's again.</summary>
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
