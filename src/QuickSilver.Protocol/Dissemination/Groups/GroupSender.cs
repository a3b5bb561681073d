using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// One group as this node sends to it: numbers its messages and binds them, in the order in which lanes take them from
/// their sources (<see cref="SendLane"/>). Core thread only.
/// <para>
/// A message that is taken is <em>bound</em> at once. It takes its number and the active step, and counts as pending.
/// It gets one entry in the stream of each region view of the group that has a member other than this node. Which views
/// these are is computed at the group's first message in a step.
/// </para>
/// <para>
/// The sender lives until the server declares the group forgotten: message numbers, and the step of the message before,
/// survive leaves and joins. A group that was never sent to has only this object. What a message of the next group
/// touches lies here, in few cache lines.
/// </para>
/// <para>
/// Source: first paper, section 2.1 (group sender); the numbers per (sender, group) across views are ours.
/// </para>
/// </summary>
internal sealed class GroupSender : GroupLedger
{
    private readonly RouteTable _routes;
    private Route? _route;
    private ulong _routedIn;
    private int _index;
    private int _memberCount;
    private int[]? _indexes;

    // What few groups have; null without any of it.
    private Rarities? _rare;

    internal GroupSender(RouteTable routes, GroupInfo group)
        : base(group) => _routes = routes;

    /// <summary>
    /// False while a limit of pending holds the group's own sources up. Changes together with calls of
    /// <see cref="ISenderListener.OnGateChanged"/>.
    /// </summary>
    public bool IsOpen => Lane is not { IsOpen: false };

    /// <summary>
    /// Members of the group in the step this node sends in, itself included if it is one; 0 before this node may send
    /// to it.
    /// </summary>
    public int SendMemberCount =>
        _routedIn == Context.Generation && _route is not null
            ? _memberCount
            : Context.Active.CountMembers(Group.Id);

    /// <summary>
    /// Receives the events of this node as a publisher, as <see cref="GroupLedger.Listener"/> those of it as a member:
    /// those of the gate.
    /// </summary>
    internal ISenderListener? PublisherListener => _rare?.PublisherListener;

    /// <summary>True when nothing is in flight and no session is open: only the numbers are kept.</summary>
    internal bool IsIdle => !HasSession && IsOver && Lane is not { IsIdle: false };

    private GroupLane? Lane => _rare?.Lane;

    private Rarities Rare => _rare ??= new Rarities();

    private bool HasSession => Listener is not null || PublisherListener is not null;

    private SendContext Context => _routes.Context;

    /// <summary>
    /// Calls back when everything taken from sources so far is stable; before the call returns when it is already.
    /// </summary>
    public void Flush(Action<Instant> flushed, Instant now) => Flush(Context, flushed, now);

    /// <summary>
    /// Finds the views for whose room messages of the group wait with their sources, and so for every member there.
    /// </summary>
    /// <param name="isWaiting">True when messages of the group wait in the source of a shared lane.</param>
    /// <param name="views">Views are added here, unless they are in the list.</param>
    /// <returns>True when messages wait, and cannot be bound before a newer step comes into use.</returns>
    internal bool FindWaiting(bool isWaiting, List<RegionView> views)
    {
        if (!isWaiting && Lane is not { AnyReady: true }) return false;
        Route? route = _routedIn == Context.Generation ? _route : null;
        route?.AddViewsTo(views);
        return route is null;
    }

    /// <summary>
    /// Registers a source of messages; it is asked first after <see cref="Signal"/>, and only when a message could be
    /// sent.
    /// </summary>
    public void AddSource(IMessageSource source) =>
        (Rare.Lane ??= new GroupLane(_routes, this)).Add(source);

    /// <summary>
    /// Marks a source as having messages: it is asked, in turn with other sources, until it returns that it has none.
    /// </summary>
    public void Signal(IMessageSource source, Instant now) => Lane?.Signal(source, now);

    /// <summary>Removes a source.</summary>
    public void RemoveSource(IMessageSource source) => Lane?.Remove(source);

    /// <summary>Sets the listener of a session that begins; null: it ends.</summary>
    internal void SetListener(ISenderListener? listener, bool isPublisher)
    {
        if (!isPublisher) Listener = listener;
        else if (listener is not null || _rare is not null) Rare.PublisherListener = listener;
    }

    /// <summary>Reports a change of the gate of the group's own sources to the sessions.</summary>
    internal void OnGateChanged(bool open, Instant now)
    {
        Listener?.OnGateChanged(open, now);
        PublisherListener?.OnGateChanged(open, now);
    }

    /// <summary>
    /// The way of the group's messages in the active step; null while none can be bound. O(regions of the group) once a
    /// step, or O(regions) while a newer step is installed.
    /// </summary>
    internal Route? RouteNow(Instant now)
    {
        if (_routedIn != Context.Generation) FindRoute(now);
        return _route;
    }

    /// <summary>The group's index in the region of the one stream to which it is direct.</summary>
    internal int DirectIndex => _index;

    /// <summary>Where messages wait elsewhere than in the buffers of regions, while it is full; else null.</summary>
    internal RegionBuffer? FullLine => _rare?.Hybrid is { Line.IsFull: true } hybrid ? hybrid.Line : null;

    /// <summary>Numbers the message that was pulled, and puts it into the buffers of all regions of the
    /// group.</summary>
    internal void BindPulled(Instant now) => Bind(TakePulled(), now);

    /// <summary>
    /// Numbers the message that was pulled, and gives it to the engine of the group's mode
    /// (<see cref="ModeOutlet"/>).
    /// </summary>
    internal OutgoingMessage TakeForMode()
    {
        MessageTraits traits = _routes.Own.Writer.Traits;
        OutgoingMessage message = TakePulled();
        message.Traits = message.HandedTraits ?? traits;
        NumberForMode(message);
        message.Ticket?.OnNumbered(message.Number, Context.Active.NumberOf(Group.Id), SendMemberCount);
        return message;
    }

    /// <summary>Numbers in this group a message that goes to another one too, and was taken there.</summary>
    /// <returns>A record without bytes.</returns>
    internal OutgoingMessage TakeAlong(OutgoingMessage first)
    {
        OutgoingMessage message = _routes.Own.Records.Take(this, ticket: null);
        message.IsPiece = false;
        message.Length = first.Length;
        message.Traits = first.Traits;
        message.Ordinal = AddPending(1, message.Length);
        _route!.AddToAccounts(1, message.Length);
        NumberForMode(message);
        return message;
    }

    /// <summary>Moves the message that was taken last to the active step (<see cref="ModeOutlet"/>).</summary>
    internal void Rebind(OutgoingMessage message)
    {
        message.Step = Context.ActiveStep;
        Advance(LastNumber, message.Step);
        // A group that the node has left meanwhile has no view here: the message is for all members of the step.
        bool isHere = Context.Active.Contains(Group.Id);
        message.Ticket?.OnNumbered(
            message.Number,
            isHere ? Context.Active.NumberOf(Group.Id) : default,
            isHere ? Context.Active.CountMembers(Group.Id) : 0);
    }

    /// <summary>The region views of the group in the active step; none while nothing can be sent.</summary>
    internal IReadOnlyList<RegionView> ViewsNow(Instant now) => RouteNow(now)?.Views ?? [];

    /// <summary>Counts messages that were pulled and written into a packet: they have the numbers that follow, and the
    /// active step.</summary>
    /// <returns>Ordinal of the first, in the order in which messages were taken.</returns>
    internal ulong OnWritten(in DeliveryBatch batch)
    {
        NoteSent(batch.End - 1, batch.Count, batch.TotalLength);
        _route!.AddToAccounts(batch.Count, batch.TotalLength);
        return AddPending(batch.Count, batch.TotalLength);
    }

    /// <summary>
    /// Drops what depends on the step once it has changed after the session, unless the group has been joined again.
    /// </summary>
    internal void Unbind()
    {
        if (HasSession) return;
        _route = null;
        _routedIn = 0;
        if (_rare is not { } rare) return;
        rare.Lane?.Unbind();
        rare.Hybrid?.Close();
        rare.Hybrid = null;
    }

    // Computes the route again once per active step.
    private void FindRoute(Instant now)
    {
        _routedIn = Context.Generation;
        if (!Context.Active.Contains(Group.Id))
        {
            _route = null;
            return;
        }
        _route = _routes.Of(Context.Active.Of(Group.Id), Group.Mode, now);
        _memberCount = _route.CountMembers(Context, Group.Id);
        if (_route.Count == 0) return;
        _index = IndexIn(_route.StreamAt(0));
        if (_route.Count == 1) return;
        if (_indexes is null || _indexes.Length < _route.Count) _indexes = new int[_route.Count];
        for (int index = 0; index < _route.Count; index++) _indexes[index] = IndexIn(_route.StreamAt(index));
        if (_rare?.Hybrid is null && _routes.MakeHybrid(Group) is { } hybrid) Rare.Hybrid = hybrid;
    }

    private int IndexIn(StreamMessages stream) => stream.View.Region.IndexOf(Group.Id);

    private OutgoingMessage TakePulled()
    {
        MessageWriter writer = _routes.Own.Writer;
        bool isHanded = writer.TryTakeHanded(out Payload? payload, out SendTicket? ticket, out bool isPiece);
        OutgoingMessage message = _routes.Own.Records.Take(this, ticket);
        message.IsPiece = isPiece;
        if (isHanded) message.Hold(payload!);
        else message.Hold(writer.Finish());
        message.Ordinal = AddPending(1, message.Length);
        _route!.AddToAccounts(1, message.Length);
        return message;
    }

    private void NumberForMode(OutgoingMessage message)
    {
        message.Unpacked = 0;
        message.Unstable = 0;
        message.Number = LastNumber + 1;
        message.Step = Context.ActiveStep;
        message.PreviousStep = LastStep;
        NoteSent(message.Number, 1, message.Length);
    }

    private void Number(OutgoingMessage message)
    {
        message.Number = LastNumber + 1;
        message.Step = Context.ActiveStep;
        message.PreviousStep = LastStep;
        NoteSent(message.Number, 1, message.Length);
        OnNumbered(message);
    }

    private void NoteSent(ulong last, int messages, long bytes)
    {
        Advance(last, Context.ActiveStep);
        Context.Counters.MessagesSent += (ulong)messages;
        Context.Counters.BytesSent += (ulong)bytes;
    }

    // Numbers a message, and puts it into the buffers of all regions of the group.
    private void Bind(OutgoingMessage message, Instant now)
    {
        Number(message);
        Route route = _route!;
        bool carriesOwnCopy = false;
        bool isHybrid = route.Count > 1 && GroupModes.IsHybrid(Group.Mode);
        HybridWay? hybrid = isHybrid && _rare?.Hybrid is { } own && own.TryChoose(route, _indexes) ? own : null;
        bool fallsBack = false;
        for (int index = 0; index < route.Count; index++)
        {
            StreamMessages stream = route.StreamAt(index);
            if (!stream.HasOthers)
            {
                message.Removed += stream.CountRemoved(this);
                stream.Gate.Account.Remove(1, message.Length);
                continue;
            }
            carriesOwnCopy |= stream.IsOwn;
            message.Unpacked++;
            message.Unstable++;
            if (hybrid is not null && hybrid.Has(stream)) continue;
            fallsBack |= isHybrid;
            int groupIndex = route.Count == 1 ? _index : _indexes![index];
            stream.Append(message, groupIndex, isShared: route.Count > 1);
        }
        message.Ticket?.OnNumbered(message.Number, Context.Active.NumberOf(Group.Id), _memberCount);
        bool sent = message.Unpacked > 0;
        if (route.Count > 1) Context.Settings.Probes.Reached("a message is bound to several regions");
        if (fallsBack) Context.Counters.HybridFallbacks++;
        hybrid?.Append(message);
        if (!carriesOwnCopy) OnOwnCopyPacked(_routes.Own, message, default, now);
        if (sent) return;
        Context.Settings.Probes.Reached("a message is bound that nobody else is there for");
        message.ReleaseBytes();
        OnStable(_routes.Own, message, now);
    }

    private sealed class Rarities
    {
        public GroupLane? Lane;
        public HybridWay? Hybrid;
        public ISenderListener? PublisherListener;
    }
}
