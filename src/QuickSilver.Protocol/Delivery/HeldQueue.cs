namespace QuickSilver.Protocol.Delivery;

/// <summary>
/// Messages of one (sender, group) that wait for what precedes them, sorted by number, at most one for each.
/// </summary>
/// <remarks>
/// A circular array sorted by number rather than a ring indexed by number: its memory follows what is held, whatever numbers a peer makes up.
/// Messages mostly come with rising numbers and leave from below, both O(1); one in between moves the shorter side.
/// </remarks>
internal sealed class HeldQueue
{
    private const int FirstCapacity = 8;

    private HeldMessage[] _ring = new HeldMessage[FirstCapacity];
    private int _head;

    public int Count { get; private set; }

    public int Capacity => _ring.Length;

    /// <summary>The entry at a place in ascending order.</summary>
    public ref readonly HeldMessage this[int index] => ref At(index);

    /// <summary>The lowest entry; the queue must not be empty.</summary>
    public ref readonly HeldMessage First => ref At(0);

    /// <summary>Where a number is, or the complement of where it belongs. O(1) above all others, else O(log n).</summary>
    public int IndexOf(ulong number)
    {
        if (Count == 0 || At(Count - 1).Number < number) return ~Count;
        int low = 0, high = Count;
        while (low < high)
        {
            int middle = (low + high) >>> 1;
            if (At(middle).Number < number) low = middle + 1;
            else high = middle;
        }
        return At(low).Number == number ? low : ~low;
    }

    /// <summary>Puts an entry at its place in the order.</summary>
    public void Insert(int index, in HeldMessage message)
    {
        if (Count == _ring.Length) Grow();
        if (index < Count - index)
        {
            _head = (_head - 1) & (_ring.Length - 1);
            for (int moved = 0; moved < index; moved++) At(moved) = At(moved + 1);
        }
        else
        {
            for (int moved = Count; moved > index; moved--) At(moved) = At(moved - 1);
        }
        Count++;
        At(index) = message;
    }

    /// <summary>Takes the lowest entry out; its references pass to the caller.</summary>
    public HeldMessage TakeFirst()
    {
        System.Diagnostics.Debug.Assert(Count > 0, "nothing is held");
        ref HeldMessage first = ref At(0);
        HeldMessage message = first;
        first = default;
        _head = (_head + 1) & (_ring.Length - 1);
        Count--;
        return message;
    }

    private ref HeldMessage At(int index) => ref _ring[(_head + index) & (_ring.Length - 1)];

    private void Grow()
    {
        var larger = new HeldMessage[_ring.Length * 2];
        int upper = _ring.Length - _head;
        Array.Copy(_ring, _head, larger, 0, upper);
        Array.Copy(_ring, 0, larger, upper, _head);
        _ring = larger;
        _head = 0;
    }
}
