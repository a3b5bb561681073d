namespace QuickSilver.Inboxes;

/// <summary>What the inboxes of one node share.</summary>
internal sealed class InboxShared
{
    /// <summary>Entries that a reader takes at a time.</summary>
    public const int BatchEntries = 64;

    private const int KeptBatches = 256;
    private readonly Lock _lock = new();
    private readonly Stack<InboxEntry[]> _batches = new();
    private long _lateReads;

    /// <summary>Makes what a node needs.</summary>
    /// <param name="totalBytes">Most unread bytes of all inboxes.</param>
    /// <param name="wake">Has the core turn once.</param>
    /// <param name="isTight">True while the process is short of memory; null: never.</param>
    public InboxShared(long totalBytes, Action wake, Func<bool>? isTight = null)
    {
        Budget = new InboxBudget(totalBytes, isTight);
        Returns = new SliceReturns(wake);
        Leases = new LeaseTable(Returns);
    }

    /// <summary>What all inboxes hold. Core thread only.</summary>
    public InboxBudget Budget { get; }

    /// <summary>Memory on its way back to the core.</summary>
    public SliceReturns Returns { get; }

    /// <summary>The leases.</summary>
    public LeaseTable Leases { get; }

    /// <summary>Messages that readers have been given, of all inboxes that there were. Core thread only, up to date after <see
    /// cref="InboxBudget.Refresh"/>.</summary>
    public long MessagesRead => Budget.MessagesRead + Volatile.Read(ref _lateReads);

    /// <summary>Messages were read from an inbox that takes nothing more. Any thread.</summary>
    public void OnLateReads(long messages) => Interlocked.Add(ref _lateReads, messages);

    /// <summary>Takes an array for a reader's batch. Any thread.</summary>
    public InboxEntry[] RentBatch()
    {
        lock (_lock)
        {
            if (_batches.TryPop(out InboxEntry[]? batch)) return batch;
        }
        return new InboxEntry[BatchEntries];
    }

    /// <summary>Takes the array back, emptied. Any thread.</summary>
    public void ReturnBatch(InboxEntry[] batch)
    {
        lock (_lock)
        {
            if (_batches.Count < KeptBatches) _batches.Push(batch);
        }
    }
}
