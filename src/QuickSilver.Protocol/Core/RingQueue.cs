namespace QuickSilver.Protocol.Core;

/// <summary>
/// A queue in a ring that doubles when it is full. It returns its items by reference, so an item can be consumed in
/// place, which the framework's queue does not allow. Allocates only to grow. Core thread only.
/// </summary>
internal sealed class RingQueue<T>
{
    private const int FirstCapacity = 16;

    private T[] _items = [];
    private int _head;

    public int Count { get; private set; }

    /// <summary>The oldest item, in place; the reference is valid until the next <see cref="Enqueue"/>.</summary>
    public ref T First
    {
        get
        {
            System.Diagnostics.Debug.Assert(Count > 0, "an empty queue has no first item");
            return ref _items[_head];
        }
    }

    /// <summary>The newest item, in place; the reference is valid until the next <see cref="Enqueue"/>.</summary>
    public ref T Last
    {
        get
        {
            System.Diagnostics.Debug.Assert(Count > 0, "an empty queue has no last item");
            return ref _items[(_head + Count - 1) & (_items.Length - 1)];
        }
    }

    /// <summary>An item by its position, 0 for the oldest.</summary>
    public T this[int index] => _items[(_head + index) & (_items.Length - 1)];

    public void Enqueue(in T item)
    {
        if (Count == _items.Length) Grow();
        _items[(_head + Count) & (_items.Length - 1)] = item;
        Count++;
    }

    public T Dequeue()
    {
        T item = First;
        First = default!;
        _head = (_head + 1) & (_items.Length - 1);
        Count--;
        return item;
    }

    private void Grow()
    {
        var items = new T[Math.Max(FirstCapacity, _items.Length * 2)];
        for (int index = 0; index < Count; index++) items[index] = _items[(_head + index) & (_items.Length - 1)];
        _items = items;
        _head = 0;
    }
}
