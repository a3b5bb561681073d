namespace QuickSilver.Sending;

/// <summary>The waiters of one <see cref="SendGate"/> in the order of their calls, as an intrusive linked list. A field
/// of the gate, never copied; guarded by its lock. O(1) per operation.</summary>
internal struct SendWaiterList
{
    private SendWaiter? _last;

    /// <summary>The longest waiting call; null if there is none.</summary>
    public SendWaiter? First { get; private set; }

    /// <summary>The number of waiters.</summary>
    public int Count { get; private set; }

    /// <summary>Adds a waiter at the end.</summary>
    public void Append(SendWaiter waiter)
    {
        waiter.IsQueued = true;
        waiter.Previous = _last;
        if (_last is null) First = waiter;
        else _last.Next = waiter;
        _last = waiter;
        Count++;
    }

    /// <summary>Removes a waiter.</summary>
    public void Remove(SendWaiter waiter)
    {
        if (waiter.Previous is null) First = waiter.Next;
        else waiter.Previous.Next = waiter.Next;
        if (waiter.Next is null) _last = waiter.Previous;
        else waiter.Next.Previous = waiter.Previous;
        waiter.Next = null;
        waiter.Previous = null;
        waiter.IsQueued = false;
        Count--;
    }
}
