using System.Runtime.CompilerServices;
using System.Text.Json.Serialization;
using QuickSilver.Inboxes;
using QuickSilver.Runtime;

namespace QuickSilver;

/// <summary>
/// A handle on a group that this node is in: sends, and receives through an inbox of its own. A second join of one name gives a second handle on the
/// same membership, with its own inbox; the node leaves with the last. What comes before the first reader is held for it, up to the inbox's limits.
/// One reader at a time.
/// </summary>
[JsonConverter(typeof(HandleJsonConverter))]
public sealed partial class Group
{
    /// <summary>Makes what one kind of reading hands out, and counts the entry as read.</summary>
    private delegate T EntryTaker<out T>(InboxReader reader, in InboxEntry entry);

    internal Group(QuickSilverNode node, GroupHandle handle)
    {
        Node = node;
        Handle = handle;
        handle.Facade = this;
    }

    /// <summary>What is behind it.</summary>
    internal GroupHandle Handle { get; }

    /// <summary>
    /// All messages, as owned copies, in each sender's order. Ends when the group has been left; losses are skipped (they show in
    /// <see cref="Message.Sequence"/>). Breaking off or cancelling loses nothing: the next reader goes on. What is sent after this call has returned is
    /// stored, whenever the reading begins; the first consumer of all gets what has been held before.
    /// </summary>
    /// <param name="cancellationToken">Ends the reading.</param>
    /// <exception cref="InvalidOperationException">Somebody else is reading.</exception>
    /// <exception cref="OperationCanceledException">The token.</exception>
    /// <exception cref="ObjectDisposedException">The group had been left before the call.</exception>
    /// <exception cref="QuickSilverException">After everything stored: why the handle ended.</exception>
    public IAsyncEnumerable<Message> ReadAllAsync(CancellationToken cancellationToken = default)
    {
        ExpectReader();
        return Iterate(ToMessage, events: false, cancellationToken);
    }

    /// <summary>As <see cref="ReadAllAsync"/>, without a copy: the reader owes each lease a dispose.</summary>
    public IAsyncEnumerable<MessageLease> ReadLeasedAsync(CancellationToken cancellationToken = default)
    {
        ExpectReader();
        return Iterate(static (reader, in entry) => reader.Lease(entry), events: false, cancellationToken);
    }

    /// <summary>As <see cref="ReadAllAsync"/>, with view changes and losses in their places between the messages.</summary>
    public IAsyncEnumerable<GroupEvent> ReadEventsAsync(CancellationToken cancellationToken = default)
    {
        ExpectReader();
        return Iterate(ToEvent, events: true, cancellationToken);
    }

    /// <summary>Attaches a handler that sees every message on the core thread, before the inbox; handlers run in the order of registration. What is
    /// sent after the call has returned is seen. The first consumer of all, by the order of these calls and of those that read, gets what has been held
    /// before. Waits for nothing.</summary>
    /// <param name="handler">Must be short and must not block: the whole node waits for it.</param>
    /// <returns>Takes the handler out; off the core thread its dispose waits for a running call, so that none comes afterwards, also one that the
    /// node's dispose has given up.</returns>
    /// <exception cref="ObjectDisposedException">The group has been left.</exception>
    /// <exception cref="QuickSilverException">The handle has ended; this is the reason.</exception>
    [OverloadResolutionPriority(1)]
    public IDisposable Subscribe(MessageHandler handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Handle.Attach(handler, null);
    }

    /// <summary>As <see cref="Subscribe(MessageHandler)"/>, with a handler that takes what has come together in one call.</summary>
    /// <inheritdoc cref="Subscribe(MessageHandler)"/>
    public IDisposable Subscribe(MessageBatchHandler handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Handle.Attach(null, handler);
    }

    // From the call on messages are stored, though the reading begins later.
    private void ExpectReader()
    {
        if (HasBeenLeft) ThrowIfEnded();
        Handle.InboxCore.ExpectReader();
    }

    private async IAsyncEnumerable<T> Iterate<T>(EntryTaker<T> take, bool events, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        InboxReader reader = Handle.InboxCore.BeginRead();
        try
        {
            while (true)
            {
                cancellationToken.ThrowIfCancellationRequested();
                ReadOutcome outcome = events ? reader.NextEvent(out InboxEntry entry) : reader.NextMessage(out entry);
                if (outcome == ReadOutcome.Entry)
                {
                    yield return Take(take, reader, entry);
                }
                else if (outcome == ReadOutcome.Ended)
                {
                    reader.ThrowIfFailed();
                    yield break;
                }
                else if (reader.Arm(events))
                {
                    await reader.Signal.WaitAsync(cancellationToken).ConfigureAwait(false);
                }
            }
        }
        finally
        {
            Handle.InboxCore.EndRead();
        }
    }

    // What cannot be handed over, for want of memory, is the next reader's.
    private static T Take<T>(EntryTaker<T> take, InboxReader reader, in InboxEntry entry)
    {
        try
        {
            return take(reader, entry);
        }
        catch (OutOfMemoryException)
        {
            reader.PutBack(entry);
            throw;
        }
    }

    private Message ToMessage(InboxReader reader, in InboxEntry entry)
    {
        Message message = Copy(entry);
        reader.OnCopied(entry);
        return message;
    }

    private Message Copy(in InboxEntry entry) => new(Handle, entry.Sender!, entry.Number, entry.ToOwned());

    private GroupEvent ToEvent(InboxReader reader, in InboxEntry entry)
    {
        switch (entry.Body)
        {
            case GroupView view:
                return new ViewChanged(this, reader.Tell(view), view);
            case LossNote loss:
                return new MessagesLost(this, new MemberId(loss.Sender), loss.First, loss.Count, loss.Reason);
            default:
                var message = new MessageReceived(this, Copy(entry));
                reader.OnCopied(entry);
                return message;
        }
    }
}
