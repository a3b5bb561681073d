using System.Runtime.CompilerServices;
using QuickSilver.Inboxes;
using QuickSilver.Runtime;

namespace QuickSilver;

/// <summary>
/// A handle on a group that this node has joined. It sends, as any <see cref="MessageSender"/>, and receives through an
/// inbox of its own, or through one that groups share (<see cref="GroupOptions.Inbox"/>). A node that only sends opens
/// a <see cref="GroupPublisher"/> instead. A second join of
/// the same name returns a second handle on the same membership, with its own inbox; the node leaves the group with the
/// last handle. Messages that arrive before the first reader are buffered, up to the limits of the inbox. A handle has
/// one reader at a time.
/// </summary>
public sealed partial class Group : MessageSender
{
    internal Group(QuickSilverNode node, GroupHandle handle)
        : base(node, handle)
    {
    }

    /// <summary>Returns the application's handle of an inbox's owner; null if it has none.</summary>
    internal static Group? Of(IInboxOwner owner) => (Group?)owner.Facade;

    /// <summary>
    /// Reads all messages as owned copies, in the order of each sender. Ends once the group has been left. Lost
    /// messages are skipped and show as gaps in <see cref="Message.Sequence"/>.
    /// <para>
    /// Leaving the loop or cancelling loses nothing: the next reader continues there. Messages sent after this call
    /// returns are stored, even if the enumeration starts later. The first consumer of a handle also gets the messages
    /// buffered before.
    /// </para>
    /// </summary>
    /// <param name="cancellationToken">Cancels the enumeration.</param>
    /// <exception cref="InvalidOperationException">Another reader of this handle is active, or the handle's messages go
    /// to a shared <see cref="Inbox"/>.</exception>
    /// <exception cref="OperationCanceledException">The enumeration was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The group was left before the call.</exception>
    /// <exception cref="QuickSilverException">The handle has ended by itself; this is the reason. Thrown after all
    /// stored messages.</exception>
    public IAsyncEnumerable<Message> ReadAllAsync(CancellationToken cancellationToken = default)
    {
        ExpectReader();
        return Iterate<Message>(ToMessage, events: false, cancellationToken);
    }

    /// <summary>Reads all messages without copying them. The reader must dispose of each lease. Otherwise as
    /// <see cref="ReadAllAsync"/>.</summary>
    public IAsyncEnumerable<MessageLease> ReadLeasedAsync(CancellationToken cancellationToken = default)
    {
        ExpectReader();
        return Iterate<MessageLease>(ToLease, events: false, cancellationToken);
    }

    /// <summary>Reads what <paramref name="take"/> makes of the messages, out of their own memory, without leases.
    /// Otherwise as <see cref="ReadAllAsync"/>.</summary>
    /// <param name="take">Called on the reader's thread; the entry's memory is valid during the call.</param>
    /// <param name="cancellationToken">Cancels the enumeration.</param>
    internal IAsyncEnumerable<T> ReadTakenAsync<T>(
        EntryTaker<InboxEntry, T> take, CancellationToken cancellationToken)
    {
        ExpectReader();
        return Iterate(take, events: false, cancellationToken);
    }

    /// <summary>Reads all messages, with view changes and losses at their positions between them. Otherwise as
    /// <see cref="ReadAllAsync"/>.</summary>
    public IAsyncEnumerable<GroupEvent> ReadEventsAsync(CancellationToken cancellationToken = default)
    {
        ExpectReader();
        return Iterate<GroupEvent>(ToEvent, events: true, cancellationToken);
    }

    /// <summary>Attaches a handler that is called on the core thread for every message, before it reaches the inbox.
    /// Handlers run in the order of registration. A handler gets every message sent after this call returns. The first
    /// consumer of a handle also gets the messages buffered before; a consumer is a handler or a reader, in the order
    /// of these calls. Does not wait.</summary>
    /// <param name="handler">The handler. It must be short and must not block: the whole node waits for it.</param>
    /// <returns>Dispose it to detach the handler. When called from another thread, Dispose blocks until a call in
    /// progress has returned. The handler is therefore never invoked after Dispose returns, even if the node's own
    /// shutdown timed out waiting for it.</returns>
    /// <exception cref="ObjectDisposedException">The group has been left.</exception>
    /// <exception cref="QuickSilverException">The handle has ended by itself; this is the reason.</exception>
    [OverloadResolutionPriority(1)]
    public Subscription Subscribe(MessageHandler handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return new Subscription(Handle.Attach(handler, null));
    }

    /// <summary>Attaches a handler that takes several messages in one call, as they arrived together. Otherwise as
    /// <see cref="Subscribe(MessageHandler)"/>.</summary>
    /// <inheritdoc cref="Subscribe(MessageHandler)"/>
    public Subscription Subscribe(MessageBatchHandler handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return new Subscription(Handle.Attach(null, handler));
    }

    /// <summary>Waits until every live member holds all messages sent, then leaves the group. Readers end after the
    /// messages they already have.</summary>
    /// <param name="cancellationToken">Cancels the wait only: the group is left in any case.</param>
    /// <exception cref="OperationCanceledException">The wait was cancelled; the message names the members it waited
    /// for.</exception>
    /// <exception cref="ObjectDisposedException">The group has already been left.</exception>
    /// <exception cref="NodeEvictedException">The node was removed from the cluster meanwhile. Whether other members
    /// hold the messages is unknown.</exception>
    /// <exception cref="QuickSilverException">The handle has ended by itself; this is the reason.</exception>
    public Task LeaveAsync(CancellationToken cancellationToken = default) =>
        EndAsync(nameof(LeaveAsync), "The group is left in the background", cancellationToken);

    // Messages are stored from this call on, though the enumeration may begin later.
    private void ExpectReader()
    {
        if (HasBeenLeft) ThrowIfEnded();
        Handle.OpenInbox().ExpectReader();
    }

    private IAsyncEnumerable<T> Iterate<T>(
        EntryTaker<InboxEntry, T> take, bool events, CancellationToken cancellationToken)
    {
        InboxCore inbox = Handle.OpenInbox();
        return InboxIteration.ReadAsync(inbox.BeginRead, take, events, cancellationToken);
    }

    /// <summary>Copies a message of this handle.</summary>
    internal Message Copy(in InboxEntry entry) => new(Handle, entry.Sender!, entry.Number, entry.ToOwned());

    private bool ToMessage(EntryReader<InboxEntry> reader, in InboxEntry entry, out Message message)
    {
        message = Copy(entry);
        reader.OnCopied(entry);
        return true;
    }

    private static bool ToLease(EntryReader<InboxEntry> reader, in InboxEntry entry, out MessageLease lease)
    {
        lease = reader.Lease(entry);
        return true;
    }

    private bool ToEvent(EntryReader<InboxEntry> reader, in InboxEntry entry, out GroupEvent told)
    {
        switch (entry.Body)
        {
            case GroupView view:
                told = new ViewChanged(this, reader.OnReported(entry), view);
                return view.DiffersFrom(((ViewChanged)told).Before);
            case LossNote loss:
                told = new MessagesLost(this, new MemberId(loss.Sender), loss.First, loss.Count, loss.Reason);
                break;
            default:
                told = new MessageReceived(this, Copy(entry));
                reader.OnCopied(entry);
                break;
        }
        return true;
    }
}
