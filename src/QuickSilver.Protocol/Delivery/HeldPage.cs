namespace QuickSilver.Protocol.Delivery;

/// <summary>A few neighbours of a <see cref="ReorderBuffer"/>, in the order of their numbers.</summary>
internal sealed class HeldPage
{
    /// <summary>
    /// Limit on the entries of a page: it bounds the moves of an insertion, and the memory of a single message.
    /// </summary>
    public const int Capacity = 16;

    private readonly HeldBatch[] _entries = new HeldBatch[Capacity];
    private int _start;
    private int _end;

    public int Count => _end - _start;

    public bool IsFull => Count == Capacity;

    public ref HeldBatch First => ref _entries[_start];

    public ref readonly HeldBatch Last => ref _entries[_end - 1];

    public ref HeldBatch this[int index] => ref _entries[_start + index];

    /// <summary>The index of the entry that has a number, or the complement of the index to insert it at.</summary>
    public int IndexOf(ulong number)
    {
        int index = Count;
        while (index > 0 && _entries[_start + index - 1].Number > number) index--;
        return index > 0 && _entries[_start + index - 1].Covers(number) ? index - 1 : ~index;
    }

    /// <summary>Inserts an entry in order; the page must not be full.</summary>
    public void Insert(int index, in HeldBatch batch)
    {
        if (_end == Capacity)
        {
            Array.Copy(_entries, _start, _entries, 0, Count);
            Array.Clear(_entries, Count, _start);
            _end -= _start;
            _start = 0;
        }
        int offset = _start + index;
        if (offset < _end) Array.Copy(_entries, offset, _entries, offset + 1, _end - offset);
        _entries[offset] = batch;
        _end++;
    }

    /// <summary>Removes and returns the lowest entry.</summary>
    public HeldBatch TakeFirst()
    {
        HeldBatch first = _entries[_start];
        _entries[_start++] = default;
        if (_start == _end) _start = _end = 0;
        return first;
    }

    /// <summary>Moves the upper half to an empty page.</summary>
    public void SplitTo(HeldPage upper)
    {
        int kept = Count / 2;
        int from = _start + kept;
        Array.Copy(_entries, from, upper._entries, 0, _end - from);
        upper._end = _end - from;
        Array.Clear(_entries, from, _end - from);
        _end = from;
    }
}
