namespace QuickSilver.Inboxes;

/// <summary>
/// The memory of all inboxes of a node. At the end of a turn, the totals are updated for the inboxes that received
/// messages. If they exceed the limit, all active inboxes are examined, once a turn. The largest then behaves as full
/// until the total is below the limit again. Core thread only.
/// </summary>
/// <param name="totalBytes">Limit on unread bytes of all inboxes.</param>
/// <param name="isTight">Returns true while the process is short of memory: the largest inbox then behaves as full too.
/// Null: never.</param>
internal sealed class InboxBudget(long totalBytes, Func<bool>? isTight = null)
{
    private const long HelpsFrom = 256 << 10;

    private readonly List<IBudgetedInbox> _active = [];
    private IBudgetedInbox? _largest;
    private bool _hasLookedAgain;
    private long _bytes;
    private long _pinned;

    /// <summary>Inboxes known to have content.</summary>
    public IReadOnlyList<IBudgetedInbox> Active => _active;

    /// <summary>Whether unread messages pin so much memory around them that small ones should be copied: the pinned
    /// memory alone exceeds the limit for messages.</summary>
    public bool IsPinnedOver => _pinned > totalBytes;

    /// <summary>Messages that readers have received from all inboxes, closed ones included, as of the last
    /// <see cref="Refresh"/>.</summary>
    public long MessagesRead { get; private set; }

    /// <summary>Updates the totals for one inbox.</summary>
    public void Update(IBudgetedInbox inbox)
    {
        if (inbox.ActiveIndex < 0)
        {
            inbox.ActiveIndex = _active.Count;
            _active.Add(inbox);
        }
        Account(inbox);
    }

    /// <summary>Applies the limit, once a turn.</summary>
    public void OnTurnEnded()
    {
        _hasLookedAgain = false;
        if (_bytes > totalBytes || _pinned > totalBytes || IsTight) Refresh();
        else SetLargest(null);
    }

    /// <summary>Checks again whether an inbox that behaves as full still has to; it is about to drop a message. Readers
    /// may have emptied inboxes in turns that brought no message, and nothing re-examines them then. At most once a
    /// turn.</summary>
    public void LookAgain()
    {
        if (_hasLookedAgain) return;
        _hasLookedAgain = true;
        Refresh();
    }

    /// <summary>Removes an inbox that is closed to new messages.</summary>
    public void Remove(IBudgetedInbox inbox)
    {
        int index = inbox.ActiveIndex;
        if (index < 0) return;
        Account(inbox);
        IBudgetedInbox last = _active[^1];
        _active[index] = last;
        last.ActiveIndex = index;
        _active.RemoveAt(_active.Count - 1);
        inbox.ActiveIndex = -1;
        _bytes -= inbox.AccountedBytes;
        _pinned -= inbox.AccountedPinned;
        inbox.AccountedBytes = 0;
        inbox.AccountedPinned = 0;
        if (ReferenceEquals(_largest, inbox)) SetLargest(null);
    }

    /// <summary>Examines all active inboxes: removes the empty ones, and finds the largest if the total exceeds the
    /// limit.</summary>
    public void Refresh()
    {
        IBudgetedInbox? largest = null;
        int kept = 0;
        for (int index = 0; index < _active.Count; index++)
        {
            IBudgetedInbox inbox = _active[index];
            Account(inbox);
            if (inbox.AccountedBytes == 0 && inbox.AccountedPinned == 0 && inbox.Messages == 0)
            {
                // Counts again: the last message may have been read meanwhile, and inactive inboxes are not examined.
                Account(inbox);
                inbox.ActiveIndex = -1;
                continue;
            }
            inbox.ActiveIndex = kept;
            _active[kept++] = inbox;
            if (largest is null || inbox.AccountedBytes > largest.AccountedBytes) largest = inbox;
        }
        _active.RemoveRange(kept, _active.Count - kept);
        bool mayHelp = IsTight && largest?.AccountedPinned >= HelpsFrom;
        SetLargest(_bytes > totalBytes || mayHelp ? largest : null);
    }

    private bool IsTight => isTight is not null && isTight();

    private void Account(IBudgetedInbox inbox)
    {
        long bytes = inbox.Bytes;
        long pinned = inbox.PinnedBytes;
        _bytes += bytes - inbox.AccountedBytes;
        _pinned += pinned - inbox.AccountedPinned;
        inbox.AccountedBytes = bytes;
        inbox.AccountedPinned = pinned;
        long read = inbox.MessagesRead;
        MessagesRead += read - inbox.AccountedRead;
        inbox.AccountedRead = read;
    }

    private void SetLargest(IBudgetedInbox? inbox)
    {
        if (ReferenceEquals(_largest, inbox)) return;
        _largest?.ActAsFull(false);
        inbox?.ActAsFull(true);
        _largest = inbox;
    }
}
