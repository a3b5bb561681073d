using System.Diagnostics.CodeAnalysis;

namespace QuickSilver;

/// <summary>
/// A reader shared by groups, which keeps the order across them. Not built yet: <see cref="QuickSilverNode.CreateInbox"/> and
/// <see cref="Group.Inbox"/> refuse with <see cref="ErrorCode.NotSupported"/>, so no instance exists.
/// </summary>
public sealed class Inbox : IAsyncDisposable
{
    internal Inbox() => throw Unsupported.SharedInboxes;

    /// <summary>Unread messages.</summary>
    public int Count => throw Unsupported.SharedInboxes;

    /// <summary>Ends with the inbox; faults with the reason.</summary>
    public Task Completion => throw Unsupported.SharedInboxes;

    /// <summary>Takes a message if there is one.</summary>
    public bool TryRead([MaybeNullWhen(false)] out Message message) => throw Unsupported.SharedInboxes;

    /// <summary>Takes a message without a copy if there is one.</summary>
    public bool TryReadLeased(out MessageLease lease) => throw Unsupported.SharedInboxes;

    /// <summary>Waits until there is something to read; false: there will be nothing more.</summary>
    public ValueTask<bool> WaitToReadAsync(CancellationToken ct = default) => throw Unsupported.SharedInboxes;

    /// <summary>All messages, as owned copies.</summary>
    public IAsyncEnumerable<Message> ReadAllAsync(CancellationToken ct = default) => throw Unsupported.SharedInboxes;

    /// <summary>All messages, without a copy.</summary>
    public IAsyncEnumerable<MessageLease> ReadLeasedAsync(CancellationToken ct = default) => throw Unsupported.SharedInboxes;

    /// <summary>All messages, view changes and losses.</summary>
    public IAsyncEnumerable<GroupEvent> ReadEventsAsync(CancellationToken ct = default) => throw Unsupported.SharedInboxes;

    /// <summary>Leaves its groups.</summary>
    public ValueTask DisposeAsync() => throw Unsupported.SharedInboxes;
}
