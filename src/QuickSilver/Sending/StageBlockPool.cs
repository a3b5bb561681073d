namespace QuickSilver.Sending;

/// <summary>The free blocks of a node, shared by its stages: what came back last is lent first, since it is still in a cache. Any thread.</summary>
/// <param name="mostKept">How many are kept; more are left to the collector.</param>
internal sealed class StageBlockPool(int mostKept)
{
    private readonly Lock _lock = new();
    private readonly Stack<StageBlock> _free = new();
    private int _rented;

    /// <summary>Blocks that are lent.</summary>
    public int Rented => Volatile.Read(ref _rented);

    /// <summary>Takes an empty block, or makes one.</summary>
    public StageBlock Rent()
    {
        lock (_lock)
        {
            _rented++;
            if (_free.TryPop(out StageBlock? block)) return block;
        }
        return new StageBlock();
    }

    /// <summary>Takes back a block whose slots are all free.</summary>
    public void Return(StageBlock block)
    {
        block.Renew();
        lock (_lock)
        {
            _rented--;
            if (_free.Count < mostKept) _free.Push(block);
        }
    }
}
