namespace QuickSilver.WideArea.Links;

/// <summary>
/// What waits to be written to a connection: one buffer is filled while the other is written. Bounded: beyond its room
/// only what is short and goes in any case finds a place. Allocates nothing after construction. One thread adds, and
/// one task takes.
/// </summary>
internal sealed class StreamBuffer
{
    /// <summary>Bytes from which on there is no room.</summary>
    public const int RoomBytes = 64 << 10;

    // A frame that found room just before, and hellos.
    private const int MoreBytes = 8 << 10;

    private readonly Lock _lock = new();
    private readonly SemaphoreSlim _news = new(0, 1);
    private byte[] _filling = new byte[RoomBytes + MoreBytes];
    private byte[] _written = new byte[RoomBytes + MoreBytes];
    private int _count;
    private bool _isAwaited;
    private bool _isComplete;

    /// <summary>Whether a frame of any length has a place. After no, <see cref="TakeAsync"/> tells of room once.
    /// </summary>
    public bool HasRoom
    {
        get
        {
            lock (_lock)
            {
                if (_count < RoomBytes) return true;
                _isAwaited = true;
                return false;
            }
        }
    }

    /// <summary>Adds a frame.</summary>
    /// <returns>False when it has no place, or no more is taken.</returns>
    public bool TryAdd(ReadOnlySpan<byte> frame)
    {
        lock (_lock)
        {
            if (_isComplete || frame.Length > _filling.Length - _count) return false;
            frame.CopyTo(_filling.AsSpan(_count));
            if (_count == 0) _news.Release();
            _count += frame.Length;
            return true;
        }
    }

    /// <summary>Takes no more; what there is can be taken.</summary>
    public void Complete()
    {
        lock (_lock)
        {
            if (_isComplete) return;
            _isComplete = true;
            if (_count == 0) _news.Release();
        }
    }

    /// <summary>Waits for frames and takes all.</summary>
    /// <param name="onRoom">Called when somebody was told that there is no room.</param>
    /// <param name="stop">Cancels the wait.</param>
    /// <returns>Valid until the next call; empty when no more comes.</returns>
    public async ValueTask<ReadOnlyMemory<byte>> TakeAsync(Action onRoom, CancellationToken stop)
    {
        while (true)
        {
            await _news.WaitAsync(stop).ConfigureAwait(false);
            int count;
            bool isAwaited, isComplete;
            lock (_lock)
            {
                (_filling, _written) = (_written, _filling);
                (count, _count) = (_count, 0);
                (isAwaited, _isAwaited) = (_isAwaited, false);
                isComplete = _isComplete;
                // The end is told by the next call.
                if (isComplete && count > 0) _news.Release();
            }
            if (isAwaited) onRoom();
            if (count > 0 || isComplete) return _written.AsMemory(0, count);
        }
    }
}
