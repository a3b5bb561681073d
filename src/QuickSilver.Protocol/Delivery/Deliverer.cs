using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Delivery;

/// <summary>
/// Turns received packets into messages delivered once, in their sender's order, to the groups this node is in. One per
/// node; core thread only.
/// </summary>
/// <remarks>
/// <para>
/// Order and exactly-once follow from the message number, counted per (sender, group) across all streams and views.
/// Packets may arrive in any order of their sequences, and lower numbers are duplicates in every stream. A receiver's
/// cursor in these numbers belongs to one session in the group. It starts at a message that is the group's first in its
/// stream and whose predecessor was sent before the session began; any other message waits for the one before it.
/// Messages of steps before the session are dropped. Packets of a step that is not installed wait for its installation,
/// because only then is their session known.
/// </para>
/// <para>
/// Waiting messages are charged, with an overhead per entry, against <see cref="DeliverySettings.MaxHeldBytes"/>; the
/// caller asks <see cref="Cap"/> before it counts a packet as received. Nothing is allocated per packet or message in
/// steady state. Source: the order by message number is ours (the papers deliver in the order of the stream); the
/// session, the start of a cursor and the way past a gap are described in docs/protocol.md, "Receiving".
/// </para>
/// </remarks>
internal sealed class Deliverer
{
    private const int HeadsAhead = 4;

    private readonly DeliveryCounters _counters;
    private readonly ReorderStage _order;
    private readonly Probes _probes;
    private readonly KeyedSet<GroupId, GroupReceiver> _groups = new(static group => group.Info.Id);
    private readonly DeliveryViews _views;
    private StepNumber _newestSession;
    private SessionStart _lastStart = SessionStart.Never;
    private List<WaitingPacket> _waiting = [];
    private List<WaitingPacket> _spare = [];

    /// <summary>Makes a deliverer without groups.</summary>
    /// <param name="settings">Its limits.</param>
    /// <param name="pool">Source of the memory in which messages that span packets are joined.</param>
    /// <param name="counters">Receives all counts.</param>
    public Deliverer(DeliverySettings settings, BufferPool pool, DeliveryCounters counters)
    {
        _counters = counters;
        _probes = settings.Probes;
        _order = new ReorderStage(pool, counters, settings.Probes);
        _views = new DeliveryViews(_groups);
        Cap = new ReorderLimit(settings, counters, _views);
    }

    /// <summary>The cap on held messages: decides which packets may be received.</summary>
    public ReorderLimit Cap { get; }

    /// <summary>The open sessions, in arbitrary order.</summary>
    internal IReadOnlyList<GroupReceiver> Groups => _groups;

    /// <summary>Makes room for sessions that are about to begin.</summary>
    public void ExpectGroups(int more) => _groups.Expect(more);

    /// <summary>
    /// Begins a session. Call it after the step that brings it is installed in the cluster view and before
    /// <see cref="OnStepInstalled"/>, which releases the packets that waited for it.
    /// </summary>
    /// <param name="group">The group; this node must not have a session in it.</param>
    /// <param name="sessionBegan">The step with which the session begins.</param>
    /// <param name="listener">Receives the session's messages.</param>
    public GroupReceiver OpenGroup(GroupInfo group, StepNumber sessionBegan, IDeliveryListener listener)
    {
        if (_lastStart.Step != sessionBegan) _lastStart = new SessionStart(sessionBegan);
        var receiver = new GroupReceiver(group, _lastStart, listener);
        _groups.Add(receiver);
        _views.Map(group.Id, receiver);
        if (sessionBegan > _newestSession) _newestSession = sessionBegan;
        return receiver;
    }

    /// <summary>Ends a session: drops undelivered messages and all cursors. Does nothing when it has ended.</summary>
    public void CloseGroup(GroupReceiver group)
    {
        if (!group.IsOpen) return;
        group.Close();
        foreach (SenderCursor cursor in group.Cursors)
        {
            cursor.IsOver = true;
            if (cursor.Held is null) continue;
            _probes.Reached("a node leaves a group with messages undelivered");
            _order.Drop(cursor);
        }
        _groups.Remove(group.Info.Id, out _);
        _groups.Trim();
        _views.Map(group.Info.Id, null);
    }

    /// <summary>
    /// Parses a packet's body to its end. Call it before the packet changes any state: a malformed packet is counted
    /// and dropped. Allocates nothing, never throws.
    /// </summary>
    /// <param name="view">The view the packet came in.</param>
    /// <param name="datagram">The whole datagram, its header checked.</param>
    /// <returns>True when the body keeps to its format, has a record, and names only groups of the region.</returns>
    public static bool IsWellFormed(RegionView view, ReadOnlySpan<byte> datagram)
    {
        var reader = new WireReader(datagram[DatagramHeader.Length..]);
        if (reader.ReadVarint() > ulong.MaxValue - view.FirstStep.Counter) return false;
        int groups = view.Region.Groups.Length;
        bool any = false;
        while (PacketRecord.TryRead(ref reader, datagram.Length, view.Number.Epoch, out PacketRecord record))
        {
            if (record.GroupIndex >= groups || record.Number > ulong.MaxValue - (ulong)record.Count) return false;
            // Heads of long messages lie far apart; the next few are probably at the same distance.
            int length = record.Bytes.Length;
            if (length >= CacheLines.Bytes) CacheLines.Fetch(record.Bytes, HeadsAhead * length);
            any = true;
        }
        return any && reader.IsAtEnd;
    }

    /// <summary>
    /// Receives a packet for the first time: delivers the messages that it makes deliverable, and keeps references to
    /// those that must wait.
    /// </summary>
    /// <param name="view">The view it came in.</param>
    /// <param name="sender">Its sender.</param>
    /// <param name="datagram">The whole datagram, found well formed; the caller's own reference stays the
    /// caller's.</param>
    /// <param name="now">The present instant.</param>
    public void OnPacket(RegionView view, NodeInfo sender, in Slice datagram, Instant now)
    {
        ReadOnlySpan<byte> bytes = datagram.Span;
        var reader = new WireReader(bytes[DatagramHeader.Length..]);
        StepNumber step = ReadStep(view, ref reader);
        if (step > Cap.Installed)
        {
            _probes.Reached("a packet comes of a step that is not installed");
            datagram.Retain();
            var packet = new WaitingPacket(view, sender, step, datagram);
            _waiting.Add(packet);
            _counters.HeldBytes += packet.Charge;
            return;
        }
        ViewGroups groups = _views.Of(view);
        SenderCursors started = groups.CursorsOf(sender);
        bool isOfAllSessions = step >= _newestSession;
        bool isWanted = false;
        MessagesAhead ahead = default;
        while (PacketRecord.TryRead(ref reader, bytes.Length, view.Number.Epoch, out PacketRecord record))
        {
            bool isPlain = isOfAllSessions && !record.IsFirst && !record.IsFragment && !record.IsPiece;
            if (isPlain && started.Find(record.GroupIndex) is { } known)
            {
                isWanted = true;
                ahead.Add(known, record);
                if (ahead.IsFull) _counters.MessagesFiltered += ahead.Deliver(_order, datagram, now);
                continue;
            }
            if (!ahead.IsEmpty) _counters.MessagesFiltered += ahead.Deliver(_order, datagram, now);
            // Read from the array for each batch: a handler may have closed a group meanwhile.
            if (groups.ByIndex[record.GroupIndex] is not { } group)
            {
                if (record.FragmentOffset == 0) _counters.MessagesFiltered += (ulong)record.Count;
                continue;
            }
            isWanted = true;
            if (step < group.SessionBegan)
            {
                _probes.Reached("a message was sent before the receiver's stay began");
                continue;
            }
            SenderCursor cursor = group.CursorOf(sender);
            OnRecord(group, cursor, record, datagram, now);
            if (cursor is { Next: > 0, IsOver: false }) started.Note(record.GroupIndex, cursor);
        }
        if (!ahead.IsEmpty) _counters.MessagesFiltered += ahead.Deliver(_order, datagram, now);
        if (isWanted) return;
        _counters.PacketsFiltered++;
        if (view.IsMerged) _probes.Reached("a member of a merged region filters a packet");
    }

    /// <summary>
    /// Delivers this node's own messages to itself: after its own earlier ones, once. The first of a session starts the
    /// cursor.
    /// </summary>
    /// <param name="group">The session; does nothing when it has ended.</param>
    /// <param name="self">This node.</param>
    /// <param name="step">The step they were bound in; messages of a step before the session are dropped.</param>
    /// <param name="batch">The messages; the caller's own reference stays the caller's.</param>
    /// <param name="now">The present instant.</param>
    public void OnOwnMessages(GroupReceiver group, NodeInfo self, StepNumber step, in DeliveryBatch batch, Instant now)
    {
        if (!group.IsOpen || step < group.SessionBegan) return;
        SenderCursor cursor = group.CursorOf(self);
        if (cursor.Next == 0) _order.Start(cursor, batch.Number, now);
        _order.OnWhole(cursor, batch, now);
    }

    /// <summary>
    /// Releases the packets that waited for a step, in the order of their arrival. The step is installed, its sessions
    /// opened and closed.
    /// </summary>
    public void OnStepInstalled(StepNumber step, Instant now)
    {
        Cap.Installed = step;
        if (_waiting.Count == 0) return;
        (List<WaitingPacket> packets, _waiting) = (_waiting, _spare);
        foreach (WaitingPacket packet in packets)
        {
            if (packet.Step > step)
            {
                _waiting.Add(packet);
                continue;
            }
            _counters.HeldBytes -= packet.Charge;
            _probes.Reached("a held packet is handled, since its step is installed");
            OnPacket(packet.View, packet.Sender, packet.Datagram, now);
            packet.Datagram.Release();
        }
        packets.Clear();
        _spare = packets;
    }

    /// <summary>
    /// Notes that packets in a removed sender's stream were abandoned; their content is unknown. Groups of the region
    /// in which the sender has a cursor here may have lost messages after the last that came; they are notified when
    /// the sender is closed.
    /// </summary>
    /// <param name="view">The view.</param>
    /// <param name="sender">The removed sender.</param>
    /// <param name="isTail">True when the last packets known to have been sent are among them: then the loss includes a
    /// tail, whatever gaps there are.</param>
    public void OnPacketsAbandoned(RegionView view, NodeInfo sender, bool isTail)
    {
        foreach (GroupReceiver? group in _views.Of(view).ByIndex)
        {
            if (group?.Find(sender) is not { } cursor) continue;
            cursor.HasLostSome = true;
            cursor.HasLostTail |= isTail;
        }
    }

    /// <summary>
    /// Closes a removed sender: all its streams, in views this node belongs to, are closed, and every packet not
    /// abandoned there has been received. Every group continues past its gaps, with a loss reported for each, and the
    /// sender's cursors are dropped. Where packets were abandoned, and no gap in a group's numbers shows their content,
    /// a loss of unknown count ends the group's messages of that sender. No packet of that sender may be passed in
    /// afterwards.
    /// </summary>
    public void OnSenderClosed(NodeInfo sender, Instant now)
    {
        for (int index = _groups.Count - 1; index >= 0; index--)
        {
            // Downwards, because a handler may close groups: the last one moves into the gap, and has been visited.
            if (index >= _groups.Count) continue;
            GroupReceiver group = _groups[index];
            if (group.Find(sender) is not { } cursor) continue;
            bool hasGap = _order.SkipGaps(cursor, now);
            _probes.Reached(
                hasGap
                    ? "a receiver goes on past a gap in a removed sender's messages"
                    : "a removed sender is closed for a receiver that misses nothing");
            if (cursor.HasLostTail || (cursor.HasLostSome && !hasGap)) _order.ReportTail(cursor, now);
            cursor.IsOver = true;
            if (!group.IsOpen) continue;
            group.Remove(cursor);
            group.Listener.OnSenderClosed(sender, now);
        }
        _views.Forget(sender);
    }

    /// <summary>Drops the mapping of a retired view to its groups.</summary>
    public void OnViewRetired(RegionView view) => _views.Forget(view);

    /// <summary>Ends all sessions and releases every buffer. No packet may be passed in afterwards.</summary>
    public void Close()
    {
        while (_groups.Count > 0) CloseGroup(_groups[^1]);
        foreach (WaitingPacket packet in _waiting)
        {
            _counters.HeldBytes -= packet.Charge;
            packet.Datagram.Release();
        }
        _waiting.Clear();
        _views.Clear();
    }

    /// <summary>
    /// True when a cursor may start at a message: its predecessor, if there is one, was sent before the session. So the
    /// predecessor is not for this session, and no message between them is missing.
    /// </summary>
    internal static bool MayStart(GroupReceiver group, in PacketRecord record) =>
        record.IsFirst && (record.PreviousStep.IsNone || record.PreviousStep < group.SessionBegan);

    // The general case; packets of plain messages of known senders pass by MessagesAhead.
    private void OnRecord(
        GroupReceiver group, SenderCursor cursor, in PacketRecord record, in Slice datagram, Instant now)
    {
        if (cursor.Next == 0)
        {
            if (MayStart(group, record)) _order.Start(cursor, record.Number, now);
            else _probes.Reached("a message comes that a new receiver may not begin with");
        }
        Slice part = datagram.Part(record.BytesOffset, record.Bytes.Length);
        int length = record.MessageLength;
        if (record.IsFragment)
        {
            _order.OnFragment(cursor, record, part, now);
            return;
        }
        DeliveryBatch batch = record.IsPiece
            ? DeliveryBatch.OfPiece(record.Number, part)
            : new DeliveryBatch(record.Number, part with { Length = length }, record.Count, length);
        _order.OnWhole(cursor, batch, now);
    }

    internal static StepNumber ReadStep(RegionView view, ref WireReader reader) =>
        new(view.FirstStep.Epoch, view.FirstStep.Counter + reader.ReadVarint());
}
