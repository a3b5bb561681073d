namespace QuickSilver.Inboxes;

/// <summary>The slots of a node's leases, taken by readers and returned by the threads that dispose of leases. Any
/// thread.</summary>
/// <param name="returns">Returns memory to the core.</param>
internal sealed class LeaseTable(SliceReturns returns)
{
    private readonly Lock _lock = new();
    private LeaseSlot? _free;
    private long _outstanding;

    /// <summary>Number of undisposed leases.</summary>
    public long Outstanding => Volatile.Read(ref _outstanding);

    /// <summary>Begins a lease on a message that the caller has taken from its inbox.</summary>
    public MessageLease Begin(HandleInbox inbox, in InboxEntry entry)
    {
        LeaseSlot? slot;
        lock (_lock)
        {
            slot = _free;
            _free = slot?.NextFree;
            _outstanding++;
        }
        return (slot ?? new LeaseSlot(this)).Begin(inbox, entry);
    }

    /// <summary>Ends a lease: its memory returns to the core, its slot is free again.</summary>
    public void OnReleased(LeaseSlot slot, HandleInbox inbox, in InboxEntry entry)
    {
        inbox.OnLeaseEnded(entry);
        if (entry.Chunk is { } chunk) returns.Add(chunk);
        lock (_lock)
        {
            slot.NextFree = _free;
            _free = slot;
            _outstanding--;
        }
    }
}
