using QuickSilver.Inboxes.Shared;

namespace QuickSilver.Inboxes;

/// <summary>State that the inboxes of one node share.</summary>
internal sealed class NodeInboxes
{
    /// <summary>Number of entries that a reader takes at a time.</summary>
    public const int BatchEntries = 64;

    private const int KeptBatches = 256;
    private readonly Lock _lock = new();
    private readonly Stack<InboxEntry[]> _batches = new();
    private readonly HashSet<SharedInbox> _shared = [];
    private long _lateReads;

    /// <summary>Creates the shared state of a node.</summary>
    /// <param name="totalBytes">Limit on unread bytes of all inboxes.</param>
    /// <param name="wake">Wakes the core for one turn.</param>
    /// <param name="isTight">Returns true while the process is short of memory; null: never.</param>
    public NodeInboxes(long totalBytes, Action wake, Func<bool>? isTight = null)
    {
        Budget = new InboxBudget(totalBytes, isTight);
        Returns = new SliceReturns(wake);
        Leases = new LeaseTable(Returns);
    }

    /// <summary>The budget of all inboxes. Core thread only.</summary>
    public InboxBudget Budget { get; }

    /// <summary>Memory on its way back to the core.</summary>
    public SliceReturns Returns { get; }

    /// <summary>Shared inboxes with something to publish. Core thread only.</summary>
    public List<SharedInbox> Touched { get; } = [];

    /// <summary>The slots of the leases.</summary>
    public LeaseTable Leases { get; }

    /// <summary>Messages that readers have received from all inboxes, closed ones included. Core thread only; up to
    /// date after <see cref="InboxBudget.Refresh"/>.</summary>
    public long MessagesRead => Budget.MessagesRead + Volatile.Read(ref _lateReads);

    /// <summary>Counts messages that were read from a closed inbox. Any thread.</summary>
    public void OnLateReads(long messages) => Interlocked.Add(ref _lateReads, messages);

    /// <summary>Adds a shared inbox to those that end with the node. Any thread.</summary>
    public void Add(SharedInbox inbox)
    {
        lock (_lock) _shared.Add(inbox);
    }

    /// <summary>Removes a shared inbox that has ended. Any thread.</summary>
    public void Remove(SharedInbox inbox)
    {
        lock (_lock) _shared.Remove(inbox);
    }

    /// <summary>Returns the shared inboxes that have not ended. Any thread.</summary>
    public SharedInbox[] Shared()
    {
        lock (_lock) return [.. _shared];
    }

    /// <summary>Publishes the shared inboxes of this turn. Core thread only.</summary>
    /// <returns>True if there were any.</returns>
    public bool PublishShared()
    {
        if (Touched.Count == 0) return false;
        foreach (SharedInbox inbox in Touched) inbox.Publish();
        Touched.Clear();
        return true;
    }

    /// <summary>Rents an array for a reader's batch. Any thread.</summary>
    public InboxEntry[] RentBatch()
    {
        lock (_lock)
        {
            if (_batches.TryPop(out InboxEntry[]? batch)) return batch;
        }
        return new InboxEntry[BatchEntries];
    }

    /// <summary>Returns a cleared array. Any thread.</summary>
    public void ReturnBatch(InboxEntry[] batch)
    {
        lock (_lock)
        {
            if (_batches.Count < KeptBatches) _batches.Push(batch);
        }
    }
}
