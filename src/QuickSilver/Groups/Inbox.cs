using System.Globalization;
using QuickSilver.Inboxes;
using QuickSilver.Inboxes.Shared;
using QuickSilver.Runtime;

namespace QuickSilver;

/// <summary>
/// One reader over any number of groups. Groups enter by <see cref="GroupOptions.Inbox"/> when they are joined, also
/// while it is read, and go out when they are left. Messages of one sender come in the order of its sends within each
/// group; messages of different groups come in the order of their arrival.
/// <para>
/// A group adds no queue and no task of its own: groups that nobody writes to cost the inbox nothing. Unread messages
/// of all groups share the limits of <see cref="InboxOptions"/>; those of <see cref="GroupOptions"/> bound each group's
/// share. Where a message fits either not, the <see cref="OverflowPolicy"/> of its own group decides, and no other
/// group loses anything. What a group brought stays readable after it was left.
/// </para>
/// <para>
/// The inbox ends with <see cref="DisposeAsync"/>, with its node, and by itself when the node is evicted or fails. All
/// members may be called from any thread; one reader at a time.
/// </para>
/// </summary>
public sealed class Inbox : IAsyncDisposable
{
    private Task? _disposal;
    private Task? _viewsKnown;

    internal Inbox(QuickSilverNode node, SharedInbox core)
    {
        Node = node;
        Core = core;
    }

    /// <summary>The node that created the inbox.</summary>
    public QuickSilverNode Node { get; }

    /// <summary>Unread messages of all groups.</summary>
    public long UnreadMessages => Core.Messages;

    /// <summary>Bytes of unread messages and of undisposed leases, of all groups.</summary>
    public long UnreadBytes => Core.Bytes;

    /// <summary>Completes after a dispose of the inbox or of the node. Faults with the reason if the inbox ended by
    /// itself.</summary>
    public Task Completion => Core.Completion;

    /// <summary>The implementation of this inbox.</summary>
    internal SharedInbox Core { get; }

    /// <summary>
    /// Reads all messages of all groups as owned copies; <see cref="Message.Group"/> names the handle. Lost messages
    /// are skipped and show as gaps in <see cref="Message.Sequence"/>. The enumeration goes on when a group ends by a
    /// leave or a failure: <see cref="ReadEventsAsync"/>, <see cref="MessageSender.Completion"/> and
    /// <see cref="GroupEnded"/> tell it.
    /// <para>
    /// Leaving the loop or cancelling loses nothing: the next reader continues there. Messages sent after this call
    /// returns are stored, even if the enumeration starts later.
    /// </para>
    /// </summary>
    /// <param name="cancellationToken">Cancels the enumeration.</param>
    /// <exception cref="InvalidOperationException">Another reader of this inbox is active.</exception>
    /// <exception cref="OperationCanceledException">The enumeration was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The inbox was disposed of before the call.</exception>
    /// <exception cref="QuickSilverException">The inbox has ended by itself; this is the reason. Thrown after all
    /// stored messages.</exception>
    public IAsyncEnumerable<Message> ReadAllAsync(CancellationToken cancellationToken = default) =>
        Iterate<Message>(ToMessage, cancellationToken);

    /// <summary>Reads all messages without copying them, and without allocating. The reader must dispose of each lease.
    /// Otherwise as <see cref="ReadAllAsync"/>.</summary>
    public IAsyncEnumerable<MessageLease> ReadLeasedAsync(CancellationToken cancellationToken = default) =>
        Iterate<MessageLease>(ToLease, cancellationToken);

    /// <summary>
    /// Reads all messages, with view changes and losses of each group at their positions between them, and
    /// <see cref="GroupCompleted"/> after the last event of a group. The first event of a group that is joined later is
    /// its view. A group that comes and goes without a message, while nobody reads, is not told at all.
    /// <para>
    /// The node follows the views of the inbox's groups from the first such call on, which costs each membership change
    /// a look at each of them. The groups joined before report the view of that moment first. Otherwise as
    /// <see cref="ReadAllAsync"/>.
    /// </para>
    /// </summary>
    public IAsyncEnumerable<GroupEvent> ReadEventsAsync(CancellationToken cancellationToken = default)
    {
        ExpectReader();
        Task viewsKnown = Volatile.Read(ref _viewsKnown) ?? FollowViews();
        return InboxIteration.ReadAsync<SharedEntry, GroupEvent>(
            Core.BeginRead, ToEvent, events: true, cancellationToken, viewsKnown);
    }

    /// <summary>Leaves all groups of the inbox in one membership change, as
    /// <see cref="MessageSender.DisposeAsync"/> does, and ends it. Drops unread messages, unless a reader is active:
    /// that one ends after the messages it already has. Never throws; repeated calls return the same result.</summary>
    public ValueTask DisposeAsync()
    {
        Task? disposal = Volatile.Read(ref _disposal);
        if (disposal is not null) return new ValueTask(disposal);
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        disposal = Interlocked.CompareExchange(ref _disposal, done.Task, null);
        if (disposal is not null) return new ValueTask(disposal);
        _ = DisposeCoreAsync(done);
        return new ValueTask(done.Task);
    }

    /// <summary>Depth of the inbox and name of the node, for logs: "inbox of 17 messages at host-4242-1".</summary>
    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"inbox of {UnreadMessages} messages at {Node.Name}");

    /// <summary>Throws if the inbox takes no groups and readers any more.</summary>
    internal void ThrowIfEnded()
    {
        if (!Core.HasEnded) return;
        throw Core.End?.Reason
            ?? new ObjectDisposedException(
                nameof(Inbox), $"The inbox at '{Node.Name}' has been disposed of: create another.");
    }

    private static bool ToMessage(EntryReader<SharedEntry> reader, in SharedEntry entry, out Message message)
    {
        message = Copy(entry);
        reader.OnCopied(entry);
        return true;
    }

    private static bool ToLease(EntryReader<SharedEntry> reader, in SharedEntry entry, out MessageLease lease)
    {
        lease = reader.Lease(entry);
        return true;
    }

    private static Message Copy(in SharedEntry entry) =>
        new(entry.Part.Owner, entry.Entry.Sender!, entry.Entry.Number, entry.Entry.ToOwned());

    private static bool ToEvent(EntryReader<SharedEntry> reader, in SharedEntry entry, out GroupEvent told)
    {
        Group group = Group.Of(entry.Part.Owner)!;
        switch (entry.Entry.Body)
        {
            case GroupView view:
                told = new ViewChanged(group, reader.OnReported(entry), view);
                return view.DiffersFrom(((ViewChanged)told).Before);
            case LossNote loss:
                told = new MessagesLost(group, new MemberId(loss.Sender), loss.First, loss.Count, loss.Reason);
                break;
            case EndMark end:
                told = new GroupCompleted(group, end.Reason as QuickSilverException);
                break;
            default:
                told = new MessageReceived(group, Copy(entry));
                reader.OnCopied(entry);
                break;
        }
        return true;
    }

    private IAsyncEnumerable<T> Iterate<T>(EntryTaker<SharedEntry, T> take, CancellationToken cancellationToken)
    {
        ExpectReader();
        return InboxIteration.ReadAsync(Core.BeginRead, take, events: false, cancellationToken);
    }

    // Messages are stored from this call on, though the enumeration may begin later.
    private void ExpectReader()
    {
        if (Core.HasEnded && Core.End is null or { Reason: null }) ThrowIfEnded();
        Core.ExpectReader();
    }

    private Task FollowViews()
    {
        var known = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        if (Interlocked.CompareExchange(ref _viewsKnown, known.Task, null) is { } present) return present;
        Core.TellEvents();
        NodeCore node = Node.Core;
        if (!node.Services.TryPost(_ => node.Directory.FollowViews(Core, known))) known.TrySetResult();
        return known.Task;
    }

    private async Task DisposeCoreAsync(TaskCompletionSource done)
    {
        try
        {
            Core.TryEnd();
            NodeCore node = Node.Core;
            var begun = new TaskCompletionSource<LeaveOperation>(TaskCreationOptions.RunContinuationsAsynchronously);
            if (node.Services.TryPost(_ => begun.TrySetResult(node.Directory.LeaveAll(Core))))
            {
                await Task.WhenAny(begun.Task, Core.Completion).ConfigureAwait(false);
                if (begun.Task.IsCompleted)
                    await DrainAsync(node, await begun.Task.ConfigureAwait(false)).ConfigureAwait(false);
                await CloseAsync(node).ConfigureAwait(false);
            }
            Core.SetEnd(null);
            Core.Discard();
        }
        finally
        {
            done.SetResult();
        }
    }

    private static async Task DrainAsync(NodeCore node, LeaveOperation leave)
    {
        if (await node.Services.Drains.WaitAsync(leave.Task).ConfigureAwait(false)) return;
        if (!leave.IsFlushed)
        {
            string awaited = await node.Services.AskAsync(node.Directory.DescribeAwaited).ConfigureAwait(false);
            if (!leave.IsFlushed) node.Services.OnDrainTimedOut("an inbox was disposed of", awaited);
        }
        leave.Hurry();
    }

    private async Task CloseAsync(NodeCore node)
    {
        var closed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        bool isPosted = node.Services.TryPost(_ =>
        {
            Core.Close(null);
            closed.TrySetResult();
        });
        if (isPosted) await Task.WhenAny(closed.Task, Node.Completion).ConfigureAwait(false);
    }
}
