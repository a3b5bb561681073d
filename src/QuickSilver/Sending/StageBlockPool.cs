namespace QuickSilver.Sending;

/// <summary>The free blocks of a node, shared by its stages: what came back last is lent first, since it is still in a cache. Any thread, but for
/// collecting; a lock held for moments, for which the core never waits.</summary>
/// <param name="mostKept">How many are kept; more are left to the collector.</param>
internal sealed class StageBlockPool(int mostKept)
{
    private readonly Lock _lock = new();
    private readonly Stack<StageBlock> _free = new();

    // The core's own: what came back while somebody had the lock.
    private readonly Stack<StageBlock> _collected = new();
    private int _rented;

    /// <summary>Blocks that are lent.</summary>
    public int Rented => Volatile.Read(ref _rented);

    /// <summary>Takes an empty block, or makes one.</summary>
    public StageBlock Rent()
    {
        Interlocked.Increment(ref _rented);
        lock (_lock)
        {
            if (_free.TryPop(out StageBlock? block)) return block;
        }
        return new StageBlock();
    }

    /// <summary>Takes back a block that was not used.</summary>
    public void Return(StageBlock block)
    {
        Interlocked.Decrement(ref _rented);
        lock (_lock) Keep(block);
    }

    /// <summary>Takes back a block that is read out. Core thread only.</summary>
    public void Collect(StageBlock block)
    {
        block.Renew();
        Interlocked.Decrement(ref _rented);
        _collected.Push(block);
        if (!_lock.TryEnter()) return;
        try
        {
            while (_collected.TryPop(out StageBlock? collected)) Keep(collected);
        }
        finally
        {
            _lock.Exit();
        }
    }

    private void Keep(StageBlock block)
    {
        if (_free.Count < mostKept) _free.Push(block);
    }
}
