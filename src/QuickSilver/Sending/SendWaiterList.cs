namespace QuickSilver.Sending;

/// <summary>Those who wait at one <see cref="SendGate"/>, in the order of their calls, linked through themselves. A field of the gate, never copied;
/// under its lock. O(1) each.</summary>
internal struct SendWaiterList
{
    private SendWaiter? _last;

    /// <summary>Who waits longest; null when nobody does.</summary>
    public SendWaiter? First { get; private set; }

    /// <summary>Puts one behind the others.</summary>
    public void Append(SendWaiter waiter)
    {
        waiter.IsQueued = true;
        waiter.Previous = _last;
        if (_last is null) First = waiter;
        else _last.Next = waiter;
        _last = waiter;
    }

    /// <summary>Takes one out.</summary>
    public void Remove(SendWaiter waiter)
    {
        if (waiter.Previous is null) First = waiter.Next;
        else waiter.Previous.Next = waiter.Next;
        if (waiter.Next is null) _last = waiter.Previous;
        else waiter.Next.Previous = waiter.Previous;
        waiter.Next = null;
        waiter.Previous = null;
        waiter.IsQueued = false;
    }
}
