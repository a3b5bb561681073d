using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Dissemination.Packing;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Streams;

/// <summary>
/// This node's stream into one region view: numbers the packets from 1, keeps each until it is stable, repairs it on
/// request, and ends the stream with its view. <see cref="StreamMessages"/> keeps track of the messages in them,
/// <see cref="StreamFeed"/> gives trains and beacons to the root. Core thread only.
/// <para>
/// Idea: nothing is packed before the root asks. Then a train is built in the memory where it stays, and sent from
/// there, by one multicast or once per member. Its packets are kept there until feedback shows them stable.
/// </para>
/// <para>
/// Its end: when a step supersedes the view, bound messages are still sent. Then a final beacon repeats the last
/// sequence until feedback shows all packets stable; then the node is done with the view. A view that was never sent
/// to, or whose stream is stable already, is done at once. When the view is opened again, the node continues the same
/// stream.
/// </para>
/// <para>
/// Awkward cases: when all other members are removed, everything sent is stable, and unsent messages are dropped,
/// except for own delivery. Feedback of an older round does not undo that of a newer one.
/// </para>
/// <para>
/// Source: first paper, sections 2.1 and 2.2 (one contiguous stream per region, acknowledged by its leader); second
/// paper, section 4 (pull).
/// </para>
/// </summary>
internal sealed class StreamSender
{
    private readonly StreamContext _streams;
    private readonly SendContext _context;
    private readonly IRegionChannel? _channel;
    private readonly PacketSizes _sizes;
    private readonly PacketMemory _memory;
    private readonly StreamLending _lending;
    private readonly MemberCarriers _carriers;
    private readonly PendingPackets _pending = new();
    private readonly StreamEnd _end;
    private readonly StreamFeed _feed;
    private readonly StreamRepairs _repairs;
    private long _releasedCharge;
    private RoundTripEstimate _roundTrip;
    private bool _isClosed;

    internal StreamSender(StreamContext context, RegionView view, long predecessorShare, Instant now)
    {
        _streams = context;
        _context = context.Send;
        View = view;
        _roundTrip = new RoundTripEstimate(_context.Settings.InitialRoundTrip);
        _channel = view.Multicast.IsNone ? null : _context.Transport.Open(view.Multicast, receive: false);
        _sizes = new PacketSizes(_context, view);
        _memory = new PacketMemory(_context);
        _end = new StreamEnd(context, view);
        _lending = new StreamLending(_context, view, isPossible: _channel is not null || view.Members.Length == 1);
        Messages = new StreamMessages(
            context.Own, view, predecessorShare, TrainBuilder.BurstOf(_lending, _sizes), now);
        _carriers = new MemberCarriers(context, view, _channel, now);
        Builder = new TrainBuilder(context.Own, _lending, Messages, _pending, _sizes, _memory);
        var carrier = new StreamCarrier(view, _channel, _carriers, _context);
        _feed = new StreamFeed(context, this, Builder, _lending, Messages, _carriers, _memory, carrier);
        Hybrids = new StreamHybrids(context, Messages, _pending, _memory, OnHybridSent);
        carrier = new StreamCarrier(view, _channel, _carriers, _context);
        _repairs = new StreamRepairs(
            _context, _pending, _lending, carrier, Hybrids, _sizes, view.Members.Length);
        CountMembers();
    }

    /// <summary>The view it sends to.</summary>
    public RegionView View { get; }

    /// <summary>Sequence of the packet sent last; 0 before the first.</summary>
    public ulong Highest => _pending.Highest;

    /// <summary>Every live member is known to hold all packets up to here.</summary>
    public ulong Stable => _pending.Released;

    /// <summary>
    /// How soon the region's leader should start a round: at once while half of the window is used or a limit blocks
    /// packets. Packets and beacons also carry it, as flags.
    /// </summary>
    public FeedbackUrgency Urgency
    {
        get
        {
            bool isUrgent = Messages.Allowance.IsHalfUsed
                || (Messages.Allowance.IsBlocked && (Messages.HasWork || Hybrids.AnyWaits))
                || Messages.WaitsForStability;
            if (isUrgent) return FeedbackUrgency.Immediate;
            return Messages.IsAwaited ? FeedbackUrgency.Normal : FeedbackUrgency.Low;
        }
    }

    /// <summary>Members of the view that this node's multicast does not reach: they get copies by unicast.</summary>
    public int MembersByUnicast => _carriers.Copied;

    /// <summary>True for a member that gets copies, by its index in the view.</summary>
    internal bool IsCopied(int member) => member >= 0 && _carriers.IsCopied(member);

    /// <summary>The longest datagram that is packed now: it reaches all members, as far as is known.</summary>
    public int SlotBytes => _sizes.Slot;

    /// <summary>The most datagrams in one of its trains.</summary>
    internal int TrainDatagrams => _sizes.TrainDatagrams;

    /// <summary>The present pace in packets per second.</summary>
    public double PacketsPerSecond => Messages.Allowance.PacketsPerSecond;

    /// <summary>How often feedback has come from the view.</summary>
    internal ulong Heard { get; private set; }

    /// <summary>The value of <see cref="Heard"/> when it was last asked whether the stream was held.</summary>
    internal ulong HeardBefore { get; set; }

    /// <summary>
    /// True while packets sent into the view are not known stable, or the view has ended here and this node is not done
    /// with it.
    /// </summary>
    internal bool IsDraining => _pending.Count > 0 || _end.IsUnderWay;

    /// <summary>
    /// True when others have shown that they hold new packets of this node since the oldest packet that is unstable
    /// here was sent.
    /// </summary>
    internal bool IsAnsweredElsewhere => _context.AnsweredAt > UnstableSince;

    /// <summary>True while packets sent into the view are not known stable.</summary>
    internal bool HasUnstable => _pending.Count > 0;

    /// <summary>When the oldest packet that is not known stable was sent; never when there is none.</summary>
    internal Instant UnstableSince => _pending.Count > 0 ? _pending[Stable + 1].Sent : Instant.Never;

    /// <summary>True when the view is superseded and all messages bound to it are sent.</summary>
    internal bool HasSentLast => _end.HasBegun && Messages.Backlog.IsEmpty;

    /// <summary>Its messages: what groups and lanes know of the stream.</summary>
    internal StreamMessages Messages { get; }

    /// <summary>True when window, rate or gate have kept the stream back since this was last asked.</summary>
    internal bool TakeHeld()
    {
        bool isHeld = Messages.Gate.HasShut || !Messages.Gate.Account.IsOpen || Messages.Allowance.HasHeld;
        Messages.Gate.HasShut = false;
        Messages.Allowance.HasHeld = false;
        return isHeld;
    }

    internal long WindowShare => Messages.Allowance.WindowShare;

    /// <summary>
    /// Finds a packet that is not yet stable, for serving a peer's pull when this node is a member. O(1).
    /// </summary>
    /// <param name="sequence">The packet.</param>
    /// <param name="datagram">The datagram as it was first sent: valid during the call; retain it to keep it
    /// longer.</param>
    /// <returns>False when it is stable already or was never sent.</returns>
    public bool TryGetPacket(ulong sequence, out Slice datagram)
    {
        bool found = _pending.Contains(sequence);
        datagram = found ? Hybrids.DatagramOf(sequence) : default;
        return found;
    }

    /// <summary>
    /// True when a message of a group is not known to be stable here; with a ticket, the ticket's. O(messages pending
    /// here).
    /// </summary>
    internal bool AwaitsStability(GroupLedger group, SendTicket? ticket) =>
        Hybrids.Hold(group, ticket) || Messages.Holds(group, ticket);

    /// <summary>
    /// True when the stream can take part in hybrid packets: every member is in all groups of the region, and so
    /// listens at their addresses, multicast reaches it, and it does not read packets in this node's memory. A member
    /// alone in its region has no other multicast: that of the group is tried.
    /// </summary>
    internal bool TakesHybrid =>
        Messages.HasOthers && !_isClosed && !Hybrids.ArePaused && !View.IsMerged
        && (_channel is not null || View.Members.Length == 1) && _carriers.Copied == 0 && !_lending.IsPossible;

    /// <summary>The stream's part in hybrid packets.</summary>
    internal StreamHybrids Hybrids { get; }

    internal TrainBuilder Builder { get; }

    /// <summary>Ends the stream: the view is superseded, and nothing more will be bound here.</summary>
    internal void End(Instant now)
    {
        _end.Begin(isSent: Messages.Backlog.IsEmpty, isStable: _pending.Count == 0);
        if (Messages.Backlog.IsEmpty && _pending.Count > 0) _feed.Announce();
        CheckDone(now);
    }

    /// <summary>Opens the view again: the node is not done with it, and may send here.</summary>
    internal void Reopen() => _end.Undo();

    internal bool OnAck(AckBody ack, Instant now)
    {
        if (ack.Stable > Highest) return false;
        if (ack.Names(Highest + 1))
        {
            // Members were informed of packets that were never sent. Their feedback on the others counts: a sender that
            // ignored all of it would never learn of a stable packet again.
            _context.Counters.FeedbackCutShort++;
            ack = ack.CutAt(Highest);
        }
        Heard++;
        _feed.OnHeard(now);
        _roundTrip.OnFeedback(ack.Highest, _pending, now);
        if (ack.Stable > Stable)
        {
            _context.AnsweredAt = now;
            _context.Counters.Answers++;
            Settle(ack.Stable, now);
        }
        ulong readPosition = Math.Max(ack.ReadPosition ?? 0, Stable);
        Messages.Allowance.OnFeedback(
            readPosition == Stable ? _releasedCharge : _pending[readPosition].Charge, ack, now);
        Messages.OnUnblocked();
        CheckDone(now);
        return true;
    }

    internal bool OnNak(in NakBody nak, NodeInfo asker, Instant now)
    {
        int member = View.IndexOf(asker.Number.Key);
        bool namesSentPackets = nak.Ranges.Count == 0;
        foreach (SequenceRange range in nak.Ranges) namesSentPackets |= range.Start <= Highest;
        if (!namesSentPackets) return false;
        Heard++;
        _feed.OnHeard(now);
        _repairs.Ask(nak, asker, member, _roundTrip.Value, now);
        return true;
    }

    /// <summary>Handles a live member's report on whether this node's multicast reaches it.</summary>
    internal void OnCarrierWord(int member, in CarrierWordBody word, Instant now)
    {
        _feed.OnHeard(now);
        if (word.Heard is null) Hybrids.Pause(now);
        _carriers.OnWord(member, word, now);
    }

    /// <summary>The longest datagram to a member has changed.</summary>
    internal void OnPathsChanged() => _sizes.Fit();

    /// <summary>Members may have been removed from the cluster.</summary>
    internal void OnNodesRemoved(Instant now)
    {
        CountMembers();
        _sizes.Fit();
        _lending.OnMembersChanged();
        _carriers.OnMembersChanged();
        if (!Messages.HasOthers) GiveUp(now);
    }

    /// <summary>Releases everything; the stream is not used afterwards. Pending messages count as stable.</summary>
    internal void Close(Instant now)
    {
        GiveUp(now);
        _isClosed = true;
        Messages.HasOthers = false;
        Messages.Allowance.Close();
        _memory.ReleaseSpare();
        _feed.Close();
        Hybrids.Close();
        _repairs.Close();
        _carriers.Close();
        _context.Roots.DropKept(_repairs);
        Messages.Gate.Account.Close();
        if (_channel is not null) _context.Transport.Close(_channel, receive: false);
    }

    // Settles all packets up to a sequence, which are stable.
    private void Settle(ulong sequence, Instant now)
    {
        _releasedCharge = _pending[sequence].Charge;
        _repairs.OnStable(sequence - Stable);
        _pending.ReleaseTo(sequence);
        Messages.SettleThrough(sequence, now);
        if (_pending.Count == 0) _feed.OnAllStable();
    }

    // Treats everything as stable and drops unsent messages: nobody is there to receive them.
    private void GiveUp(Instant now)
    {
        if (_pending.Count > 0 || !Messages.Backlog.IsEmpty)
            _context.Settings.Probes.Reached("all other members of a view are removed while messages are pending");
        if (_pending.Count > 0) Settle(Highest, now);
        Messages.EndDirect();
        Hybrids.OnGivenUp(now);
        Messages.DropBacklog(now);
        if (Messages.Backlog.FallsToLowMark()) _streams.Loop.Wake(Messages.Backlog);
        CheckDone(now);
    }

    private void OnHybridSent(Instant now)
    {
        _carriers.OnTrain(now);
        _feed.OnPackets(now);
        _streams.Events.OnStreamAdvanced(this, Urgency, now);
    }

    private void CheckDone(Instant now) => _end.Check(isDrained: Messages.Backlog.IsEmpty && _pending.Count == 0, now);

    private void CountMembers()
    {
        Messages.RemovedMembers = View.Members.Count(static member => member.IsRemoved);
        Messages.HasOthers = View.Members.Any(member => !member.IsRemoved && member.Number.Key != _context.SelfKey);
    }
}
