namespace QuickSilver.Sending;

/// <summary>The free waiters of a node, shared by its gates. Any thread.</summary>
internal sealed class SendWaiterPool
{
    private const int Kept = 1_024;

    private readonly Lock _lock = new();
    private readonly Stack<SendWaiter> _free = new();

    /// <summary>Takes a waiter or creates one, and begins its use.</summary>
    public SendWaiter Rent(SendGate gate, ISendOwner owner, object? request, int bytes)
    {
        SendWaiter? waiter;
        lock (_lock) _free.TryPop(out waiter);
        waiter ??= new SendWaiter(this);
        waiter.Begin(gate, owner, request, bytes);
        return waiter;
    }

    /// <summary>Returns a waiter. Excess waiters are left to the garbage collector.</summary>
    public void Return(SendWaiter waiter)
    {
        lock (_lock)
        {
            if (_free.Count < Kept) _free.Push(waiter);
        }
    }
}
