using QuickSilver.Diagnostics;
using QuickSilver.Inboxes;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Runtime;

/// <summary>The receiving part of the handle: its inline handlers and its inbox. Also its feeds, which live as long as
/// it.</summary>
internal sealed partial class GroupHandle : IInboxOwner
{
    // The handle and its first handler's objects, which lie behind it.
    private const int HotBytes = 256;

    private HandleInbox? _inbox;
    private InlineHandlers? _inline;
    private InlineRegistration[]? _enlisted;
    private bool _isFinished;
    private bool _isSelecting;
    private readonly bool _hasFirstHandler;
    private readonly bool _isShared;
    private bool _knowsInbox;

    /// <summary>The inbox; null while there is none, because no message was stored and nobody has read. Any
    /// thread.</summary>
    public HandleInbox? Inbox => Volatile.Read(ref _inbox);

    /// <summary>Whether a shared inbox is told of all views. Any thread.</summary>
    public bool FollowsViews => Settings.Inbox is { TellsEvents: true };

    /// <summary>Returns the handle's own inbox, and makes it if there is none. Any thread. A reader that makes it asks
    /// the core for the present view.</summary>
    /// <exception cref="InvalidOperationException">The handle's messages go to a shared inbox.</exception>
    public InboxCore OpenInbox()
    {
        if (_isShared)
        {
            throw new InvalidOperationException(
                $"The messages of '{Name}' go to the inbox that was named in GroupOptions.Inbox: read that one.");
        }
        if (Volatile.Read(ref _inbox) is { } present) return (InboxCore)present;
        InboxCore inbox = (InboxCore)MakeInbox();
        if (FinalMark is null) Services.TryPost(_ => MeetInbox());
        return inbox;
    }

    /// <summary>Tells a shared inbox of the present view and of all later ones. Core thread only.</summary>
    public void FollowViews()
    {
        Services.CheckCoreThread();
        if (_isFinished) return;
        if (Volatile.Read(ref _inbox) is null) MakeInbox();
        _knowsInbox = false;
        MeetInbox();
    }

    ulong? IInboxOwner.ReadKey(in DeliveredMessage message)
    {
        GroupCore core = Core!;
        core.EnterUserCode(LoopPhase.KeySelector);
        _isSelecting = true;
        try
        {
            return Settings.Key!(new MessageRef(this, message.Sender, message.Number, message.Payload.Span));
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

    void IInboxOwner.OnOverflow(long backlog, long bytes, long leasedBytes) =>
        Core?.OnOverflow(this, backlog, bytes, leasedBytes);

    /// <summary>Has memory loaded that <see cref="Deliver"/> will use: the handle, and what it made for its first
    /// handler.</summary>
    public void Prepare() => CacheLines.Fetch(this, HotBytes);

    /// <summary>Passes delivered messages to the inline handlers, then to the inbox. Core thread only.</summary>
    public void Deliver(NodeInfo sender, in DeliveryBatch batch)
    {
        Services.CheckCoreThread();
        if (Volatile.Read(ref _enlisted) is not null) AttachEnlisted();
        if (_inline is { IsEmpty: false })
            Call(new MessageBatch(this, sender, batch.Number, batch.Span, batch.Length, batch.Distance, batch.Count));
        InboxForMessages()?.OnMessages(sender, batch);
    }

    /// <summary>Records a change of the view; without an inbox nothing is kept. Core thread only.</summary>
    public void OnViewChanged(GroupView view)
    {
        Services.CheckCoreThread();
        if (Volatile.Read(ref _inbox) is not { } inbox)
        {
            if (!FollowsViews) return;
            inbox = MakeInbox();
        }
        _knowsInbox = true;
        inbox.OnViewChanged(view);
    }

    /// <summary>Records messages that will never arrive. Core thread only.</summary>
    public void OnLoss(NodeInfo sender, ulong first, ulong count, LossReason reason) =>
        InboxForMessages()?.OnLoss(sender, first, count, reason);

    /// <summary>True while the inbox holds something that the reader has not been shown. Core thread only.</summary>
    public bool HasUnpublished => Volatile.Read(ref _inbox) is { IsTouched: true };

    /// <summary>Publishes the turn's messages and events to the reader. Core thread only.</summary>
    public void Publish()
    {
        Services.CheckCoreThread();
        if (Volatile.Read(ref _inbox) is { IsTouched: true } inbox) inbox.Publish();
    }

    /// <summary>Attaches the enlisted inline handlers: each receives the messages delivered from now on, and the first
    /// consumer also those held so far. Core thread only.</summary>
    public void AttachEnlisted()
    {
        Services.CheckCoreThread();
        foreach (InlineRegistration registration in Interlocked.Exchange(ref _enlisted, null) ?? [])
        {
            if (_isFinished) registration.LetGo();
            if (!registration.IsRemoved) Add(registration);
            if (registration.HasReservation) DeliverHeld(registration);
        }
    }

    /// <summary>Removes an inline handler. Core thread only.</summary>
    public void Detach(InlineRegistration registration) => _inline?.Remove(registration);

    /// <summary>Registers a feed, until it is removed or the handle ends. Core thread only.</summary>
    public void Attach(FeedSource feed)
    {
        Services.CheckCoreThread();
        if (feed.IsRemoved || HasEnded || Core is not { Local: { } local } core) return;
        Rarities rare = Rare;
        rare.Feeds = [.. rare.Feeds ?? [], feed];
        feed.Add(local, core.Alarms);
    }

    /// <summary>Forgets a feed that has been removed. Core thread only.</summary>
    public void Forget(FeedSource feed)
    {
        if (_rare is not { Feeds: { } feeds } rare) return;
        FeedSource[] others = Array.FindAll(feeds, other => !ReferenceEquals(other, feed));
        rare.Feeds = others.Length > 0 ? others : null;
    }

    /// <summary>Attaches an inline handler. Any thread. The calling thread enlists it, because a message sent after the
    /// call may be delivered before a request would execute.</summary>
    public InlineRegistration Attach(MessageHandler? handler, MessageBatchHandler? batchHandler)
    {
        if (HasEnded) throw EndException();
        var registration = new InlineRegistration(this, handler, batchHandler)
        {
            HasReservation = !_isShared && OpenInbox().TryReserve(),
        };
        Enlist(registration);
        // A key selector runs while a message is being stored; the new handler must receive that message too.
        if (Services.IsCoreThread && !_isSelecting)
        {
            AttachEnlisted();
            return registration;
        }
        if (Services.Requests.Enqueue(registration)) return registration;
        registration.SetRemoved();
        if (TryDelist(registration) && registration.HasReservation) OpenInbox().CancelReservation();
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

    // False when the core has attached it already.
    private bool TryDelist(InlineRegistration registration)
    {
        while (true)
        {
            InlineRegistration[]? before = Volatile.Read(ref _enlisted);
            if (before is null || !before.Contains(registration)) return false;
            InlineRegistration[]? after = before.Length == 1
                ? null
                : Array.FindAll(before, other => other != registration);
            if (Interlocked.CompareExchange(ref _enlisted, after, before) == before) return true;
        }
    }

    private void Call(in MessageBatch batch)
    {
        Core!.OnHandled(batch.Count);
        _inline!.Call(batch);
    }

    private void DeliverHeld(InlineRegistration registration)
    {
        registration.HasReservation = false;
        InboxCore inbox = OpenInbox();
        bool isTaken = false;
        try
        {
            while (!_isFinished && _inline?.TakerFor(registration) is { } taker)
            {
                isTaken = !inbox.TryTakeHeld(out InboxEntry entry);
                if (isTaken) break;
                try
                {
                    Core!.OnHandled(1);
                    _inline.CallOne(
                        taker,
                        new MessageBatch(
                            this, entry.Sender!, entry.Number, entry.Span, entry.Length, distance: 0, count: 1));
                }
                finally
                {
                    inbox.Forget(entry);
                }
            }
        }
        finally
        {
            inbox.EndReservation(isTaken);
            Core?.Touch();
        }
    }

    private void Add(InlineRegistration registration) => (_inline ??= new InlineHandlers(this)).Add(registration);

    // The inbox is made at the first message that is to be kept for a reader to come.
    private HandleInbox? InboxForMessages()
    {
        HandleInbox? inbox = Volatile.Read(ref _inbox);
        if (inbox is null)
        {
            if (_isShared && Settings.Inbox is null) return null;
            if (!_isShared && (_hasFirstHandler || !Settings.Limits.BufferBeforeFirstRead)) return null;
            inbox = MakeInbox();
        }
        if (!_knowsInbox) MeetInbox();
        return inbox;
    }

    // A new inbox begins with the present view, as if it had been there when the view came.
    private void MeetInbox()
    {
        if (_knowsInbox || Volatile.Read(ref _inbox) is not { } inbox) return;
        _knowsInbox = true;
        if (_isShared && !FollowsViews) return;
        Core?.WatchViews();
        if (Core is not { View: { } view } core) return;
        inbox.OnViewChanged(view);
        core.Touch();
    }

    private HandleInbox MakeInbox()
    {
        HandleInbox made = Settings.Inbox is { } shared ? shared.CreatePart(this, Settings.Limits) : MakeOwnInbox();
        HandleInbox inbox = Interlocked.CompareExchange(ref _inbox, made, null) ?? made;
        if (FinalMark is { } end) inbox.SetEnd(end.Reason);
        return inbox;
    }

    private InboxCore MakeOwnInbox()
    {
        var made = new InboxCore(this, Services.Inboxes, Settings.Limits);
        if (_hasFirstHandler) made.StopHolding();
        return made;
    }
}
