namespace QuickSilver.Sending;

/// <summary>The free blocks of a node, shared by its stages. The last returned block is rented first, since it is still
/// in a cache. Any thread, except for collecting. Uses a short lock, on which the core never blocks.</summary>
/// <param name="maxKept">Number of blocks to keep; more are left to the garbage collector.</param>
internal sealed class StageBlockPool(int maxKept)
{
    private readonly Lock _lock = new();
    private readonly Stack<StageBlock> _free = new();

    // Core thread only: blocks returned while another thread held the lock.
    private readonly Stack<StageBlock> _collected = new();
    private int _rented;

    /// <summary>Number of rented blocks.</summary>
    public int Rented => Volatile.Read(ref _rented);

    /// <summary>Takes an empty block, or creates one.</summary>
    public StageBlock Rent()
    {
        Interlocked.Increment(ref _rented);
        lock (_lock)
        {
            if (_free.TryPop(out StageBlock? block)) return block;
        }
        return new StageBlock();
    }

    /// <summary>Returns an unused block.</summary>
    public void Return(StageBlock block)
    {
        Interlocked.Decrement(ref _rented);
        lock (_lock) Keep(block);
    }

    /// <summary>Returns a block that is read out. Core thread only.</summary>
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
        if (_free.Count < maxKept) _free.Push(block);
    }
}
