namespace QuickSilver;

/// <summary>
/// A handle on a group that this node is in: sends, and receives through an inbox of its own. A second join of one name gives a second handle on the same membership, with its own inbox; the node
/// leaves with the last. What comes before the first reader is held for it, up to the inbox's limits. One reader at a time.
/// </summary>
public sealed class Group : GroupSender
{
    internal Group(QuickSilverNode node, string name)
        : base(node, name)
    {
    }

    /// <summary>Not built yet: the handle's inbox is reached through the readers below.</summary>
    /// <exception cref="QuickSilverException">Always, with <see cref="ErrorCode.NotSupported"/>.</exception>
    public Inbox Inbox => throw Unsupported.Feature("Group.Inbox");

    /// <summary>
    /// All messages, as owned copies, in each sender's order. Ends when the group has been left; losses are skipped (they show in <see cref="Message.Sequence"/>). Breaking off or cancelling
    /// loses nothing: the next reader goes on.
    /// </summary>
    /// <exception cref="InvalidOperationException">Somebody else is reading.</exception>
    /// <exception cref="QuickSilverException">After everything stored: why the handle ended.</exception>
    public IAsyncEnumerable<Message> ReadAllAsync(CancellationToken ct = default) => throw new NotSupportedException();

    /// <summary>As <see cref="ReadAllAsync"/>, without a copy: the reader owes each lease a dispose.</summary>
    public IAsyncEnumerable<MessageLease> ReadLeasedAsync(CancellationToken ct = default) => throw new NotSupportedException();

    /// <summary>As <see cref="ReadAllAsync"/>, with view changes and losses in their places between the messages.</summary>
    public IAsyncEnumerable<GroupEvent> ReadEventsAsync(CancellationToken ct = default) => throw new NotSupportedException();

    /// <summary>Attaches a handler that sees every message on the core thread, before the inbox; handlers run in the order of registration. The first consumer of all gets what has been held.</summary>
    /// <returns>Takes the handler out; off the core thread its dispose waits for a running call, so that none comes afterwards.</returns>
    public IDisposable OnMessageInline(InlineHandler handler) => throw new NotSupportedException();

    /// <summary>Waits until everything sent is held by every live member, leaves the group, and ends the readers after what they have.</summary>
    /// <param name="ct">Ends the waiting only: the group is left all the same.</param>
    public ValueTask LeaveAsync(CancellationToken ct = default) => throw new NotSupportedException();
}
