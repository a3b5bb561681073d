namespace QuickSilver.Protocol.Delivery;

/// <summary>A few neighbours of a <see cref="ReorderBuffer"/>, in the order of their numbers.</summary>
internal sealed class HeldPage
{
    /// <summary>Most entries of a page: what a middle insertion moves at most, and what a lonely message costs at most.</summary>
    public const int Capacity = 16;

    private readonly HeldBatch[] _entries = new HeldBatch[Capacity];
    private int _start;
    private int _end;

    public int Count => _end - _start;

    public bool IsFull => Count == Capacity;

    public ref HeldBatch First => ref _entries[_start];

    public ref readonly HeldBatch Last => ref _entries[_end - 1];

    public ref HeldBatch this[int index] => ref _entries[_start + index];

    /// <summary>Which entry has a number, or the complement of where it belongs.</summary>
    public int IndexOf(ulong number)
    {
        int index = Count;
        while (index > 0 && _entries[_start + index - 1].Number > number) index--;
        return index > 0 && _entries[_start + index - 1].Covers(number) ? index - 1 : ~index;
    }

    /// <summary>Puts an entry at its place in the order; the page must not be full.</summary>
    public void Insert(int index, in HeldBatch run)
    {
        if (_end == Capacity)
        {
            Array.Copy(_entries, _start, _entries, 0, Count);
            Array.Clear(_entries, Count, _start);
            _end -= _start;
            _start = 0;
        }
        int at = _start + index;
        if (at < _end) Array.Copy(_entries, at, _entries, at + 1, _end - at);
        _entries[at] = run;
        _end++;
    }

    /// <summary>Takes the lowest entry out.</summary>
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
