using System.Runtime.CompilerServices;
using System.Text.Json.Serialization;
using QuickSilver.Diagnostics;
using QuickSilver.Inboxes;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;
using QuickSilver.Runtime;

namespace QuickSilver;

/// <summary>
/// A handle on a group that this node is in: sends, and receives through an inbox of its own. A second join of one name gives a second handle on the
/// same membership, with its own inbox; the node leaves with the last. What comes before the first reader is held for it, up to the inbox's limits.
/// One reader at a time.
/// </summary>
[JsonConverter(typeof(HandleJsonConverter))]
public sealed partial class Group : IInboxOwner
{
    /// <summary>Makes what one kind of reading hands out, and counts the entry as read.</summary>
    private delegate T EntryTaker<out T>(InboxReader reader, in InboxEntry entry);

    private readonly InlineHandlers _inline;
    private InlineRegistration[]? _enlisted;
    private FeedSource[] _feeds = [];
    private bool _isFinished;
    private bool _isSelecting;

    internal Group(QuickSilverNode node, NodeServices services, string name, HandleSettings settings)
    {
        Node = node;
        Services = services;
        Name = name;
        Settings = settings;
        InboxCore = new InboxCore(this, this, services.Inboxes, settings.Limits);
        _inline = new InlineHandlers(this);
        if (settings.OnMessage is { } handler) _inline.Add(new InlineRegistration(this, handler, null));
        if (settings.OnMessages is { } runHandler) _inline.Add(new InlineRegistration(this, null, runHandler));
        if (_inline.IsEmpty) return;
        InboxCore.StopHolding();
        Settings = settings with { OnMessage = null, OnMessages = null };
    }

    internal HandleSettings Settings { get; private set; }

    internal InboxCore InboxCore { get; }

    /// <summary>
    /// All messages, as owned copies, in each sender's order. Ends when the group has been left; losses are skipped (they show in
    /// <see cref="Message.Sequence"/>). Breaking off or cancelling loses nothing: the next reader goes on. What is sent after this call has returned is
    /// stored, whenever the reading begins; the first consumer of all gets what has been held before.
    /// </summary>
    /// <param name="ct">Ends the reading.</param>
    /// <exception cref="InvalidOperationException">Somebody else is reading.</exception>
    /// <exception cref="OperationCanceledException">The token.</exception>
    /// <exception cref="ObjectDisposedException">The group had been left before the call.</exception>
    /// <exception cref="QuickSilverException">After everything stored: why the handle ended.</exception>
    public IAsyncEnumerable<Message> ReadAllAsync(CancellationToken ct = default)
    {
        ExpectReader();
        return Iterate(ToMessage, events: false, ct);
    }

    /// <summary>As <see cref="ReadAllAsync"/>, without a copy: the reader owes each lease a dispose.</summary>
    public IAsyncEnumerable<MessageLease> ReadLeasedAsync(CancellationToken ct = default)
    {
        ExpectReader();
        return Iterate(static (reader, in entry) => reader.Lease(entry), events: false, ct);
    }

    /// <summary>As <see cref="ReadAllAsync"/>, with view changes and losses in their places between the messages.</summary>
    public IAsyncEnumerable<GroupEvent> ReadEventsAsync(CancellationToken ct = default)
    {
        ExpectReader();
        return Iterate(ToEvent, events: true, ct);
    }

    /// <summary>Attaches a handler that sees every message on the core thread, before the inbox; handlers run in the order of registration. What is
    /// sent after the call has returned is seen. The first consumer of all, by the order of these calls and of those that read, gets what has been held
    /// before. Waits for nothing.</summary>
    /// <param name="handler">Must be short and must not block: the whole node waits for it.</param>
    /// <returns>Takes the handler out; off the core thread its dispose waits for a running call, so that none comes afterwards, also one that the
    /// node's dispose has given up.</returns>
    /// <exception cref="ObjectDisposedException">The group has been left.</exception>
    /// <exception cref="QuickSilverException">The handle has ended; this is the reason.</exception>
    public IDisposable OnMessageInline(InlineHandler handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Attach(handler, null);
    }

    /// <summary>As <see cref="OnMessageInline"/>, with a handler that takes what has come together in one call.</summary>
    /// <inheritdoc cref="OnMessageInline"/>
    public IDisposable OnMessagesInline(InlineRunHandler handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Attach(null, handler);
    }

    ulong? IInboxOwner.ReadKey(in DeliveredMessage message)
    {
        GroupCore core = Core!;
        core.EnterUserCode(LoopPhase.KeySelector);
        _isSelecting = true;
        try
        {
            return Settings.Key!(new MessageView(this, message.Sender, message.Number, message.Payload.Span));
        }
        catch (Exception fault)
        {
            core.OnUserFault(this, fault);
            return null;
        }
        finally
        {
            _isSelecting = false;
            core.LeaveUserCode();
        }
    }

    void IInboxOwner.OnDropped(NodeInfo sender, LossReason reason) => Core?.OnDropped(sender, reason);

    void IInboxOwner.OnOverflow(long backlog, long leasedBytes) => Core?.OnOverflow(this, backlog, leasedBytes);

    /// <summary>Messages are delivered. Core thread only.</summary>
    internal void Deliver(NodeInfo sender, in MessageRun run)
    {
        if (Volatile.Read(ref _enlisted) is not null) AttachEnlisted();
        if (!_inline.IsEmpty) Call(new MessageRunView(this, sender, run.Number, run.Span, run.Length, run.Distance, run.Count));
        InboxCore.OnMessages(sender, run);
    }

    /// <summary>Attaches the inline handlers that have been enlisted: each sees what is delivered from now on, and the first consumer what has been
    /// held. Core thread only.</summary>
    internal void AttachEnlisted()
    {
        foreach (InlineRegistration registration in Interlocked.Exchange(ref _enlisted, null) ?? [])
        {
            if (_isFinished) registration.LetGo();
            if (!registration.IsRemoved) _inline.Add(registration);
            if (registration.HasReservation) HandOverHeld(registration);
        }
    }

    /// <summary>Takes an inline handler out. Core thread only.</summary>
    internal void Detach(InlineRegistration registration) => _inline.Remove(registration);

    /// <summary>Registers a feed, until it is removed or the handle ends. Core thread only.</summary>
    internal void Attach(FeedSource feed)
    {
        if (feed.IsRemoved || HasEnded || Core is not { Local: { } local } core) return;
        _feeds = [.. _feeds, feed];
        feed.Add(local, core.Alarms);
    }

    /// <summary>A feed has been removed. Core thread only.</summary>
    internal void Forget(FeedSource feed) => _feeds = Array.FindAll(_feeds, other => !ReferenceEquals(other, feed));

    // Enlisted on the caller's thread: a message that is sent after the call may be delivered before a request of now is run.
    private InlineRegistration Attach(InlineHandler? handler, InlineRunHandler? runHandler)
    {
        ThrowIfEnded();
        var registration = new InlineRegistration(this, handler, runHandler) { HasReservation = InboxCore.TryReserve() };
        Enlist(registration);
        // A key selector is asked in the middle of storing a message, which the handler is to get too.
        if (Services.IsCoreThread && !_isSelecting)
        {
            AttachEnlisted();
            return registration;
        }
        if (Services.Requests.Enqueue(registration)) return registration;
        registration.SetRemoved();
        if (TryDelist(registration) && registration.HasReservation) InboxCore.CancelReservation();
        throw EndException();
    }

    private void Enlist(InlineRegistration registration)
    {
        while (true)
        {
            InlineRegistration[]? before = Volatile.Read(ref _enlisted);
            if (Interlocked.CompareExchange(ref _enlisted, [.. before ?? [], registration], before) == before) return;
        }
    }

    // False when the core has taken it.
    private bool TryDelist(InlineRegistration registration)
    {
        while (true)
        {
            InlineRegistration[]? before = Volatile.Read(ref _enlisted);
            if (before is null || !before.Contains(registration)) return false;
            InlineRegistration[]? after = before.Length == 1 ? null : Array.FindAll(before, other => other != registration);
            if (Interlocked.CompareExchange(ref _enlisted, after, before) == before) return true;
        }
    }

    private void Call(in MessageRunView run)
    {
        Core!.OnHandled(run.Count);
        _inline.Call(run);
    }

    private void HandOverHeld(InlineRegistration registration)
    {
        registration.HasReservation = false;
        bool isTaken = false;
        try
        {
            while (!_isFinished && _inline.TakerFor(registration) is { } taker)
            {
                isTaken = !InboxCore.TryTakeHeld(out InboxEntry entry);
                if (isTaken) break;
                try
                {
                    Core!.OnHandled(1);
                    _inline.CallOne(taker, new MessageRunView(this, entry.Sender!, entry.Number, entry.Span, entry.Length, distance: 0, count: 1));
                }
                finally
                {
                    InboxCore.Forget(entry);
                }
            }
        }
        finally
        {
            InboxCore.EndReservation(isTaken);
            Core?.Touch();
        }
    }

    // From the call on messages are stored, though the reading begins later.
    private void ExpectReader()
    {
        if (HasBeenLeft) ThrowIfEnded();
        InboxCore.ExpectReader();
    }

    private async IAsyncEnumerable<T> Iterate<T>(EntryTaker<T> take, bool events, [EnumeratorCancellation] CancellationToken ct)
    {
        InboxReader reader = InboxCore.BeginRead();
        try
        {
            while (true)
            {
                ct.ThrowIfCancellationRequested();
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
                    await reader.Signal.WaitAsync(ct).ConfigureAwait(false);
                }
            }
        }
        finally
        {
            InboxCore.EndRead();
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

    private Message Copy(in InboxEntry entry) => new(this, entry.Sender!, entry.Number, entry.ToOwned());

    private GroupEvent ToEvent(InboxReader reader, in InboxEntry entry)
    {
        switch (entry.Body)
        {
            case GroupView view:
                return reader.ToViewEvent(view);
            case LossNote loss:
                return new LossEvent(this, new MemberId(loss.Sender), loss.First, loss.Count, loss.Reason);
            default:
                var message = new MessageEvent(this, Copy(entry));
                reader.OnCopied(entry);
                return message;
        }
    }
}
