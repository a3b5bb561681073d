using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination;

/// <summary>
/// This node's stream into one region view: packs what is bound there, numbers the packets from 1, keeps each until it is stable, sends it again when
/// asked, and says how far it has come. Core thread only.
/// <para>
/// Idea: nothing is packed before the root asks. Then a train is built where it will stay, sent from there, by one multicast or once per member, and
/// its packets are kept there until feedback shows them stable.
/// </para>
/// <para>
/// Its end: when a step supersedes the view, what is bound is still sent, then a final beacon repeats the last sequence until feedback shows all of
/// it stable; then the node is done with the view. A view that never got anything, or whose stream is stable already, is done at once. A node that is
/// permitted again goes on with the same stream.
/// </para>
/// <para>
/// Awkward cases: when all other members are removed, everything is stable and what is not yet sent is dropped, own delivery aside. The root may hold
/// the last train until the next call, so its memory is kept until then even when it has become stable. Feedback of an older round changes nothing
/// that a newer one has said.
/// </para>
/// Source: first paper, sections 2.1 and 2.2 (one contiguous stream per region, acknowledged by its leader); second paper, section 4 (pull).
/// </summary>
public sealed class StreamSender : IFeed
{
    private readonly SendContext _context;
    private readonly IRegionChannel? _channel;
    private readonly TrainBuilder _builder;
    private readonly BeaconClock _beacon;
    private readonly PendingPackets _pending = new();
    private readonly SentMessages _sent = new();
    private readonly StreamCarrier _carrier;
    private readonly StreamRepairs _repairs;
    private readonly ulong[] _introduced;
    private Slice _held;
    private long _releasedCharge;
    private RoundTripEstimate _roundTrip;
    private uint _packedMessages;
    private uint _heldMessages;
    private bool _isRegistered;
    private bool _heldIsBeacon;
    private bool _beaconDue;
    private bool _hasEnded;
    private bool _doneTold;
    private bool _isClosed;

    internal StreamSender(SendContext context, RegionView view, long predecessorShare, Instant now)
    {
        _context = context;
        View = view;
        _roundTrip = new RoundTripEstimate(context.Settings.InitialRoundTrip);
        IsOwn = view.IndexOf(context.SelfKey) >= 0;
        _channel = view.Multicast.IsNone ? null : context.Transport.Open(view.Multicast, receive: false);
        _builder = new TrainBuilder(context, this, _pending, predecessorShare, now);
        _beacon = new BeaconClock(context.Settings, context.Alarms, OnBeaconDue);
        _carrier = new StreamCarrier(view, _channel, context.SelfKey);
        _repairs = new StreamRepairs(context, _pending, new StreamCarrier(view, _channel, context.SelfKey), _builder.TrainDatagrams);
        _introduced = new ulong[(view.Region.Groups.Length + 63) / 64];
        Gate = new SendGate(context.Limits);
        CountMembers();
    }

    /// <summary>The view it sends to.</summary>
    public RegionView View { get; }

    /// <summary>Sequence of the packet sent last; 0 before the first.</summary>
    public ulong Highest => _pending.Highest;

    /// <summary>Every live member is known to hold all packets up to here.</summary>
    public ulong Stable => _pending.Released;

    /// <summary>True while half of the window is used, or a limit holds packets back: the region's leader should start a round at once. Goes as a
    /// flag on packets and beacons, too.</summary>
    public bool FeedbackWanted => _builder.IsHalfUsed || (_builder.IsBlocked && !Backlog.IsEmpty) || WaitsForStability;

    /// <summary>The present pace in packets per second.</summary>
    public double PacketsPerSecond => _builder.PacketsPerSecond;

    /// <summary>True while all that was admitted is sent, and nothing more is admitted before some of it is stable.</summary>
    internal bool WaitsForStability => Backlog.IsEmpty && !Gate.Account.IsOpen;

    /// <summary>How often feedback has come from the view.</summary>
    internal ulong Heard { get; private set; }

    /// <summary>True while something sent into the view is not known stable, or the view has ended here and this node is not done with it.</summary>
    internal bool IsDraining => _pending.Count > 0 || (_hasEnded && !_doneTold);

    /// <summary>True when others have shown that they hold something new from this node since the oldest packet that is unstable here was sent.</summary>
    internal bool IsAnsweredElsewhere => _pending.Count > 0 && _context.AnsweredAt > _pending[Stable + 1].Sent;

    internal RegionBuffer Backlog { get; } = new();

    internal SendGate Gate { get; }

    internal long WindowShare => _builder.WindowShare;

    /// <summary>True when this node is a member of the view: then its messages are delivered here as they are packed.</summary>
    internal bool IsOwn { get; }

    /// <summary>True while a member other than this node is in the cluster.</summary>
    internal bool HasOthers { get; private set; }

    internal int RemovedMembers { get; private set; }

    /// <summary>A packet that is not yet stable, for serving a peer's pull when this node is a member. O(1).</summary>
    /// <param name="sequence">The packet.</param>
    /// <param name="datagram">The datagram as it was first sent: valid during the call, retained by who wants it longer.</param>
    /// <returns>False when it is stable already or was never sent.</returns>
    public bool TryGetPacket(ulong sequence, out Slice datagram)
    {
        bool found = _pending.Contains(sequence);
        datagram = found ? _pending[sequence].Datagram : default;
        return found;
    }

    /// <inheritdoc/>
    public bool TryPull(Instant now, out Train train)
    {
        bool any = _carrier.TryNext(out train);
        if (!any) LetGoOfTrain();
        while (!any && (CanBuild || _beaconDue) && !_isClosed)
        {
            _context.Loop.Enter();
            if (CanBuild) MakeTrain(now);
            else MakeBeacon(now);
            _context.Loop.Leave(now);
            any = _carrier.TryNext(out train);
        }
        if (any)
        {
            _context.Counters.DatagramBytes += (ulong)train.Length;
            if (_heldIsBeacon) _context.Counters.Beacons++;
            else CountData(train);
            return true;
        }
        _isRegistered = false;
        LetGoOfTrain();
        if (_pending.Count == 0 && Backlog.IsEmpty) _builder.ReleaseSpare();
        return false;
    }

    /// <summary>True when a message of a group is not known to be stable here; with a ticket, the ticket's. O(messages pending here).</summary>
    internal bool AwaitsStability(GroupSender group, SendTicket? ticket) => _sent.Holds(group, ticket) || Backlog.Holds(group, ticket);

    /// <summary>Binds a message here. It leaves when the root next asks.</summary>
    internal void Append(OutgoingMessage message, int groupIndex)
    {
        ulong bit = 1UL << (groupIndex & 63);
        bool isFirst = (_introduced[groupIndex >> 6] & bit) == 0;
        _introduced[groupIndex >> 6] |= bit;
        Backlog.Add(new BacklogEntry(message, groupIndex, isFirst));
        OnUnblocked();
    }

    /// <summary>The last byte of a message is in the packet being made.</summary>
    internal void OnMessagePacked(OutgoingMessage message, Slice inPacket, Instant now)
    {
        _packedMessages++;
        _sent.Add(message, Highest + 1);
        LetGoOf(message, inPacket, now);
    }

    /// <summary>There may be something to build.</summary>
    internal void OnUnblocked()
    {
        if (CanBuild) RequestPull();
    }

    /// <summary>The view is superseded: nothing more will be bound here.</summary>
    internal void End(Instant now)
    {
        _hasEnded = true;
        _doneTold = false;
        Mark state = _pending.Count > 0 ? Mark.StreamEndedUnstable : Mark.StreamEndedStable;
        _context.Settings.Probes.Hit(Backlog.IsEmpty ? state : Mark.StreamEndedWithBacklog);
        if (Backlog.IsEmpty && _pending.Count > 0) AnnounceEnd();
        CheckDone(now);
    }

    /// <summary>The node sends here, for the first time or again.</summary>
    internal void Reopen()
    {
        if (_hasEnded) _context.Settings.Probes.Hit(Mark.StreamReopened);
        _hasEnded = false;
    }

    internal bool OnAck(in AckBody ack, Instant now)
    {
        if (ack.Stable > Highest || ack.Highest > Highest || ack.Intake > Highest) return false;
        Heard++;
        _roundTrip.OnFeedback(ack.Highest, _pending, now);
        if (_context.Settings.Probes.Breaks(Sabotage.BeaconsStopAtAck)) StopBeacons();
        ulong stable = _context.Settings.Probes.Breaks(Sabotage.EarlyCleanup) ? Math.Max(ack.Stable, ack.Highest) : ack.Stable;
        if (stable > Stable)
        {
            _context.AnsweredAt = now;
            _context.Counters.Answers++;
            Settle(stable, now);
        }
        ulong read = Math.Max(ack.Intake ?? 0, Stable);
        _builder.OnFeedback(read == Stable ? _releasedCharge : _pending[read].Charge, ack, now);
        OnUnblocked();
        CheckDone(now);
        return true;
    }

    internal bool OnNak(in NakBody nak, NodeInfo asker, Instant now)
    {
        foreach (SequenceRange range in nak.Ranges)
        {
            if (range.End - 1 > Highest) return false;
        }
        Heard++;
        NodeInfo? to = nak.PartitionWide ? null : asker;
        foreach (SequenceRange range in nak.Ranges)
        {
            ulong first = Math.Max(range.Start, Stable + 1);
            _context.Counters.NaksIgnored += Math.Min(first, range.End) - range.Start;
            if (first > range.Start) _context.Settings.Probes.Hit(Mark.NakOfStablePacket);
            ulong end = _context.Settings.Probes.Breaks(Sabotage.NakCutShort) ? range.End - 1 : range.End;
            for (ulong sequence = first; sequence < end; sequence++) _repairs.Ask(sequence, to, _roundTrip.Value, now);
        }
        return true;
    }

    /// <summary>Members may have been removed from the cluster.</summary>
    internal void OnNodesRemoved(Instant now)
    {
        CountMembers();
        if (!HasOthers) GiveUp(now);
    }

    /// <summary>Gives everything back; the stream is not used afterwards. What was pending counts as stable.</summary>
    internal void Close(Instant now)
    {
        GiveUp(now);
        _isClosed = true;
        HasOthers = false;
        _builder.Close();
        _beacon.Stop();
        _carrier.Stop();
        _repairs.Close();
        _context.Roots.DropKept(this);
        _context.Roots.DropKept(_repairs);
        LetGoOfTrain();
        Gate.Account.Close();
        if (_channel is not null) _context.Transport.Close(_channel, receive: false);
    }

    private bool CanBuild => !Backlog.IsEmpty && !_builder.IsBlocked;

    private void CountData(in Train train)
    {
        _context.Counters.DataDatagrams += (ulong)train.Count;
        _context.Counters.MessageCopies += _heldMessages;
    }

    private void RequestPull()
    {
        if (_isRegistered || _isClosed) return;
        _isRegistered = true;
        _context.Roots.Register(this, PriorityClass.Data);
    }

    private void MakeTrain(Instant now)
    {
        int count = _builder.Build(now, out Slice train, out int segment);
        if (count == 0) return;
        Hold(train, segment, isBeacon: false);
        _heldMessages = _packedMessages;
        _packedMessages = 0;
        _context.Counters.PacketsSent += (ulong)count;
        _beaconDue = false;
        _beacon.OnPacket(now);
        if (Backlog.FallsToLowMark()) _context.Loop.Wake(this);
        if (_hasEnded && Backlog.IsEmpty) AnnounceEnd();
        _context.Events.OnStreamAdvanced(this, now);
    }

    private void MakeBeacon(Instant now)
    {
        _beaconDue = false;
        if (_pending.Count == 0) return;
        bool isFinal = _hasEnded && Backlog.IsEmpty;
        _context.Settings.Probes.Hit(isFinal ? Mark.FinalSent : Mark.BeaconSent);
        Slice datagram = _builder.BuildBeacon(isFinal);
        Hold(datagram, datagram.Length, isBeacon: true);
        _beacon.OnBeacon(now);
    }

    // What the root is given stays in memory until it asks again.
    private void Hold(Slice bytes, int segment, bool isBeacon)
    {
        System.Diagnostics.Debug.Assert(_held.IsEmpty, "the train before was let go of");
        _held = bytes;
        _heldIsBeacon = isBeacon;
        _carrier.Start(bytes, segment);
    }

    private void LetGoOfTrain()
    {
        _held.Release();
        _held = default;
    }

    // Everything up to a sequence is stable.
    private void Settle(ulong sequence, Instant now)
    {
        _releasedCharge = _pending[sequence].Charge;
        _pending.ReleaseTo(sequence);
        int messages = 0;
        long bytes = 0;
        while (_sent.TryTake(sequence, out OutgoingMessage message))
        {
            messages++;
            bytes += message.Length;
            SettleMessage(message, now);
        }
        if (messages > 0) Gate.Account.Remove(messages, bytes);
        if (messages > 0 && _context.Settings.Probes.Breaks(Sabotage.PendingReleasedTwice)) Gate.Account.Remove(messages, bytes);
        if (_pending.Count > 0) return;
        StopBeacons();
        _carrier.Stop();
        // The root may still hold the last train: then one more pull lets go of its memory.
        if (!_held.IsEmpty) RequestPull();
        else if (Backlog.IsEmpty) _builder.ReleaseSpare();
    }

    private void SettleMessage(OutgoingMessage message, Instant now)
    {
        message.Removed += RemovedMembers;
        if (--message.Unstable == 0) message.Group.OnStable(message, now);
    }

    // Treats everything as stable and drops what is not sent: nobody is there to receive it.
    private void GiveUp(Instant now)
    {
        if (_pending.Count > 0 || !Backlog.IsEmpty) _context.Settings.Probes.Hit(Mark.NobodyLeftToReceive);
        if (_pending.Count > 0) Settle(Highest, now);
        int messages = 0;
        long bytes = 0;
        while (!Backlog.IsEmpty)
        {
            OutgoingMessage message = Backlog.First.Message;
            Backlog.RemoveFirst();
            messages++;
            bytes += message.Length;
            LetGoOf(message, default, now);
            SettleMessage(message, now);
        }
        if (messages > 0) Gate.Account.Remove(messages, bytes);
        if (Backlog.FallsToLowMark()) _context.Loop.Wake(this);
        CheckDone(now);
    }

    // This stream needs the message's bytes no more.
    private void LetGoOf(OutgoingMessage message, Slice inPacket, Instant now)
    {
        if (IsOwn) message.Group.OnOwnCopyPacked(message, inPacket, now);
        if (--message.Unpacked == 0) message.ReleaseBytes();
    }

    private void AnnounceEnd()
    {
        _beacon.Restart();
        _beaconDue = true;
        RequestPull();
    }

    private void CheckDone(Instant now)
    {
        if (!_hasEnded || _doneTold || !Backlog.IsEmpty || _pending.Count > 0 || _context.IsClosed) return;
        _doneTold = true;
        _context.Events.OnDone(View, now);
    }

    private void StopBeacons()
    {
        _beacon.Stop();
        _beaconDue = false;
    }

    private void OnBeaconDue()
    {
        _beaconDue = true;
        RequestPull();
    }

    private void CountMembers()
    {
        RemovedMembers = View.Members.Count(static member => member.IsRemoved);
        HasOthers = View.Members.Any(member => !member.IsRemoved && member.Number.Key != _context.SelfKey);
    }
}
