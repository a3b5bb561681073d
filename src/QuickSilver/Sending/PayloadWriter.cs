using System.Buffers;

namespace QuickSilver.Sending;

/// <summary>
/// Writes one message directly into pooled memory and moves to larger memory when needed, up to the longest message. A
/// request beyond that gets memory, but the message is refused. Each thread reuses one writer; a send during another
/// write gets its own.
/// </summary>
internal sealed class PayloadWriter : IBufferWriter<byte>
{
    [ThreadStatic]
    private static PayloadWriter? _free;

    private SendBufferPool? _pool;
    private PooledPayload? _payload;
    private int _written;
    private PayloadLimit _limit;

    /// <summary>Begins a message.</summary>
    /// <param name="pool">Source of memory.</param>
    /// <param name="sizeHint">Expected length of the message, in bytes.</param>
    /// <param name="limit">Limit on its length.</param>
    public static PayloadWriter Begin(SendBufferPool pool, int sizeHint, PayloadLimit limit)
    {
        PayloadWriter writer = _free ?? new PayloadWriter();
        _free = null;
        writer._pool = pool;
        writer._limit = limit;
        writer._written = 0;
        writer._payload = pool.Rent(Math.Clamp(sizeHint, 0, limit.Bytes));
        return writer;
    }

    /// <summary>Ends the message. The caller takes ownership of the payload.</summary>
    public PooledPayload Finish()
    {
        PooledPayload payload = _payload!;
        payload.Length = _written;
        Free();
        return payload;
    }

    /// <summary>Discards the message.</summary>
    public void Abandon()
    {
        _payload!.Return();
        Free();
    }

    /// <inheritdoc/>
    public void Advance(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        PooledPayload payload = Payload;
        if (count > payload.Array.Length - _written)
            throw new InvalidOperationException("More was written than there was room for.");
        if (count > _limit.Bytes - _written) throw _limit.Exceeded((long)_written + count);
        _written += count;
    }

    /// <inheritdoc/>
    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        Reserve(sizeHint);
        return Payload.Array.AsMemory(_written);
    }

    /// <inheritdoc/>
    public Span<byte> GetSpan(int sizeHint = 0)
    {
        Reserve(sizeHint);
        return Payload.Array.AsSpan(_written);
    }

    private PooledPayload Payload =>
        _payload ?? throw new InvalidOperationException("A writer is valid during the call only.");

    private void Reserve(int sizeHint)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        PooledPayload payload = Payload;
        long needed = _written + (long)Math.Max(1, sizeHint);
        if (needed <= payload.Array.Length) return;
        if (needed > SendBufferPool.LargestBytes) throw _limit.Exceeded(needed);
        PooledPayload larger = _pool!.Rent(
            (int)Math.Min(SendBufferPool.LargestBytes, Math.Max(needed, payload.Array.Length * 2L)));
        payload.Array.AsSpan(0, _written).CopyTo(larger.Array);
        payload.Return();
        _payload = larger;
    }

    private void Free()
    {
        _payload = null;
        _pool = null;
        _free = this;
    }
}
