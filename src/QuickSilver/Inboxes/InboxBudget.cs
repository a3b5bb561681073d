namespace QuickSilver.Inboxes;

/// <summary>
/// What all inboxes of a node hold together. Sums are brought up to date for the inboxes that got something, at the end of a turn; only when they
/// pass the limit are all inboxes with content looked at, once a turn, and the one that holds most acts as full until the sum is below the limit
/// again. Core thread only.
/// </summary>
/// <param name="totalBytes">Most unread bytes of all inboxes.</param>
/// <param name="isTight">True while the process is short of memory: then too the largest acts as full. Null: never.</param>
internal sealed class InboxBudget(long totalBytes, Func<bool>? isTight = null)
{
    private const long HelpsFrom = 256 << 10;

    private readonly List<InboxCore> _active = [];
    private InboxCore? _largest;
    private bool _hasLookedAgain;
    private long _bytes;
    private long _pinned;

    /// <summary>Inboxes with content, as far as known.</summary>
    public IReadOnlyList<InboxCore> Active => _active;

    /// <summary>True when so much memory is kept from being used again that small messages are better copied: the limit for the messages themselves
    /// has been passed by what surrounds them.</summary>
    public bool IsPinnedOver => _pinned > totalBytes;

    /// <summary>Messages that readers have been given, of all inboxes that there were, as of the last <see cref="Refresh"/>.</summary>
    public long MessagesRead { get; private set; }

    /// <summary>Brings the sums up to date for one inbox.</summary>
    public void Update(InboxCore inbox)
    {
        if (inbox.ActiveIndex < 0)
        {
            inbox.ActiveIndex = _active.Count;
            _active.Add(inbox);
        }
        Account(inbox);
    }

    /// <summary>Draws the consequences, once a turn.</summary>
    public void OnTurnEnded()
    {
        _hasLookedAgain = false;
        if (_bytes > totalBytes || _pinned > totalBytes || IsTight) Refresh();
        else SetLargest(null);
    }

    /// <summary>An inbox that acts as full is about to drop a message. Readers may have emptied everything in turns that brought no message to any
    /// inbox, after which nobody looked: so looks, at most once a turn, whether it still has to.</summary>
    public void LookAgain()
    {
        if (_hasLookedAgain) return;
        _hasLookedAgain = true;
        Refresh();
    }

    /// <summary>Forgets an inbox that takes nothing more.</summary>
    public void Remove(InboxCore inbox)
    {
        int index = inbox.ActiveIndex;
        if (index < 0) return;
        Account(inbox);
        InboxCore last = _active[^1];
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

    /// <summary>Looks at all inboxes with content: forgets the empty ones, and finds the one that holds most if the sum is above the limit.</summary>
    public void Refresh()
    {
        InboxCore? largest = null;
        int kept = 0;
        for (int index = 0; index < _active.Count; index++)
        {
            InboxCore inbox = _active[index];
            Account(inbox);
            if (inbox.AccountedBytes == 0 && inbox.AccountedPinned == 0 && inbox.Messages == 0)
            {
                // Once more: the last message may have been read in between, and an inbox that is not active is not looked at.
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

    private void Account(InboxCore inbox)
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

    private void SetLargest(InboxCore? inbox)
    {
        if (ReferenceEquals(_largest, inbox)) return;
        _largest?.ActAsFull(false);
        inbox?.ActAsFull(true);
        _largest = inbox;
    }
}
