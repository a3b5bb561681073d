namespace QuickSilver.Inboxes;

/// <summary>An inbox as <see cref="InboxBudget"/> sees it. Core thread only, unless a member says otherwise.</summary>
internal interface IBudgetedInbox
{
    /// <summary>Unread messages. Any thread.</summary>
    long Messages { get; }

    /// <summary>Bytes of unread messages and of undisposed leases. Any thread.</summary>
    long Bytes { get; }

    /// <summary>Bytes of memory that unread messages and leases pin. Any thread.</summary>
    long PinnedBytes { get; }

    /// <summary>Messages that readers have received. Any thread.</summary>
    long MessagesRead { get; }

    /// <summary>Index in the budget's list of active inboxes; -1 if absent.</summary>
    int ActiveIndex { get; set; }

    /// <summary>Bytes that the budget has counted for this inbox.</summary>
    long AccountedBytes { get; set; }

    /// <summary>Pinned bytes that the budget has counted for this inbox.</summary>
    long AccountedPinned { get; set; }

    /// <summary>The counted part of <see cref="MessagesRead"/>.</summary>
    long AccountedRead { get; set; }

    /// <summary>Makes this inbox, the node's largest, behave as full while the node's limit is exceeded.</summary>
    void ActAsFull(bool full);
}
