using System.Buffers;

namespace QuickSilver.Sending;

/// <summary>
/// Writes one message into memory of the calling thread, and moves to pooled memory once it is longer than what the
/// stage copies. It moves to larger memory when needed, up to the longest message. A request beyond that gets memory,
/// but the message is refused. Each thread reuses one writer; a send during another write gets its own.
/// </summary>
internal sealed class PayloadWriter : IBufferWriter<byte>
{
    [ThreadStatic]
    private static PayloadWriter? _free;

    private readonly byte[] _own = GC.AllocateUninitializedArray<byte>(SendStage.LongestMessage);
    private SendBufferPool? _pool;
    private PooledPayload? _payload;
    private byte[] _memory = [];
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
        sizeHint = Math.Min(sizeHint, limit.Bytes);
        writer._payload = sizeHint > SendStage.LongestMessage ? pool.Rent(sizeHint) : null;
        writer._memory = writer._payload?.Array ?? writer._own;
        return writer;
    }

    /// <summary>What has been written; valid until the next call.</summary>
    public ReadOnlySpan<byte> Written => _memory.AsSpan(0, _written);

    /// <summary>Returns the message in pooled memory, a copy if it is in the thread's own. The caller takes ownership
    /// of it, and ends the writer.</summary>
    public PooledPayload Take()
    {
        PooledPayload payload = _payload ?? _pool!.Copy(Written);
        payload.Length = _written;
        _payload = null;
        return payload;
    }

    /// <summary>Ends the message; discards it unless it was taken.</summary>
    public void End()
    {
        _payload?.Return();
        _payload = null;
        _pool = null;
        _memory = [];
        _written = 0;
        _free = this;
    }

    /// <inheritdoc/>
    public void Advance(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ThrowIfEnded();
        if (count > _memory.Length - _written)
            throw new InvalidOperationException("More was written than there was room for.");
        if (count > _limit.Bytes - _written) throw _limit.Exceeded((long)_written + count);
        _written += count;
    }

    /// <inheritdoc/>
    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        Reserve(sizeHint);
        return _memory.AsMemory(_written);
    }

    /// <inheritdoc/>
    public Span<byte> GetSpan(int sizeHint = 0)
    {
        Reserve(sizeHint);
        return _memory.AsSpan(_written);
    }

    private void ThrowIfEnded()
    {
        if (_pool is null) throw new InvalidOperationException("A writer is valid during the call only.");
    }

    private void Reserve(int sizeHint)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        ThrowIfEnded();
        long needed = _written + (long)Math.Max(1, sizeHint);
        if (needed > _memory.Length) Grow(needed);
    }

    private void Grow(long needed)
    {
        if (needed > SendBufferPool.LargestBytes) throw _limit.Exceeded(needed);
        PooledPayload larger = _pool!.Rent(
            (int)Math.Min(SendBufferPool.LargestBytes, Math.Max(needed, _memory.Length * 2L)));
        Written.CopyTo(larger.Array);
        _payload?.Return();
        _payload = larger;
        _memory = larger.Array;
    }
}
