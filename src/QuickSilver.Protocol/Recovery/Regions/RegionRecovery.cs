using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Recovery.Arrivals;
using QuickSilver.Protocol.Recovery.Orphans;
using QuickSilver.Protocol.Recovery.Paths;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Recovery.Repairs;
using QuickSilver.Protocol.Recovery.Ring;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Regions;

/// <summary>
/// Recovery in one region view that this node is a member of. It accepts the datagrams of all its streams, caches
/// packets that peers may need, and delivers each packet once.
/// <see cref="ReadProgress"/> finds packets missing, <see cref="GapRepair"/> requests them,
/// <see cref="PullAnswers"/> answers peers, <see cref="TokenRing"/> passes the token,
/// <see cref="RemovedSenders"/> settles the streams of removed senders. Core thread only.
/// </summary>
internal sealed class RegionRecovery
{
    private readonly RecoveryContext _node;
    private readonly RecoveryParts _shared;
    private readonly PullAnswers _answers;
    private readonly PacketStore _store;
    private readonly ArrivalJudge _arrivals;
    private readonly PartedPackets _parted;
    private readonly ReadProgress _reading;
    private readonly OwnStream _own;

    internal RegionRecovery(
        RecoveryContext node,
        RecoveryParts shared,
        RegionState state,
        Action<NodeInfo, Instant> streamClosed)
    {
        _node = node;
        _shared = shared;
        State = state;
        var room = new PacketRoom(node, state);
        _arrivals = new ArrivalJudge(node, state);
        Gaps = new GapRepair(node, state, room, shared.Inbound, _arrivals);
        _answers = new PullAnswers(node, state, shared.Repairs, Gaps);
        _store = new PacketStore(node, state, room, shared.Inbound, _arrivals, Gaps, _answers);
        _reading = new ReadProgress(node, state, _arrivals, Gaps);
        _parted = new PartedPackets(state, shared.Joins);
        _own = new OwnStream(node, state);
        Removed = new RemovedSenders(
            node, state, now => Ring!.OnUnstable(FeedbackUrgency.Immediate, now), streamClosed);
        var orphans = new OrphanVisit(state, node.Probes, Removed, _reading, Gaps);
        Ring = new TokenRing(
            node, state, new RingParts(room, Gaps, shared.Repairs, Removed, orphans, _own, shared.Suspicions));
    }

    /// <summary>The view that is recovered.</summary>
    public RegionView View => State.View;

    internal RegionState State { get; }

    internal RegionStreams Streams => State.Streams;

    internal int Self => State.Self;

    internal GapRepair Gaps { get; }

    internal TokenRing Ring { get; }

    internal RemovedSenders Removed { get; }

    /// <summary>True while some stream may still need recovery here.</summary>
    public bool IsActive => State.IsActive;

    /// <summary>
    /// True for a member, by its index in the view, that lately did not answer the token, as far as this node knows.
    /// </summary>
    public bool IsSilent(int member) => Ring.IsSilent(member);

    /// <summary>Takes a data or repair datagram whose header and checksums are good.</summary>
    /// <param name="header">The datagram's header.</param>
    /// <param name="datagram">All bytes of the datagram.</param>
    /// <param name="part">The same bytes in pooled memory, where they can be kept; empty when they must be
    /// copied.</param>
    /// <param name="arrival">The datagram's source and socket.</param>
    /// <param name="now">The time of arrival.</param>
    /// <returns>The reason it was dropped, or <see cref="RejectReason.None"/>; a duplicate is not a
    /// rejection.</returns>
    public RejectReason OnPacket(
        in DatagramHeader header, ReadOnlySpan<byte> datagram, in Slice part, in Arrival arrival, Instant now)
    {
        if (header.IsFromPeer && !State.IsLivePeer(header.Relay, out RejectReason bad)) return bad;
        if (!State.MaySend(header, arrival)) return RejectReason.WrongSource;
        if (arrival.Role != SocketRole.Multicast)
        {
            ulong from = header.IsFromPeer ? View.Members[header.Relay].Number.Key : header.Sender;
            _shared.Inbound.OnPacket(from, datagram.Length);
        }
        return Take(header, datagram, part, arrival.Role, PacketWay.Whole, now);
    }

    /// <summary>Takes a part of a packet that is sent again, and the packet when this was its last part.</summary>
    /// <param name="header">The part's header.</param>
    /// <param name="body">The part's body.</param>
    /// <param name="arrival">The part's source and socket.</param>
    /// <param name="now">The time of arrival.</param>
    /// <returns>The reason it was dropped, or <see cref="RejectReason.None"/>.</returns>
    public RejectReason OnPart(in DatagramHeader header, ReadOnlySpan<byte> body, in Arrival arrival, Instant now)
    {
        if (!State.MaySend(header, arrival)) return RejectReason.WrongSource;
        RejectReason reason = _parted.Join(header, body, now, out Slice whole);
        if (whole.IsEmpty) return reason;
        reason = _parted.Check(header, whole, out DatagramHeader joined);
        if (reason == RejectReason.None)
            reason = Take(joined, whole.Span, whole, SocketRole.Unicast, PacketWay.Joined, now);
        whole.Release();
        return reason;
    }

    /// <summary>
    /// This node has sent packets into the view, or has repeated its highest sequence after a silence.
    /// </summary>
    public void OnOwnAdvanced(StreamSender own, FeedbackUrgency urgency, Instant now)
    {
        StreamReceiver stream = Streams.Met(_node.SelfKey) ?? Streams.Add(View.Members[Self], own);
        if (stream.NoteHighest(own.Highest)) stream.RaiseReadPosition(own.Highest, now);
        Ring.OnUnstable(urgency, now);
    }

    /// <summary>A socket that may carry the view's streams was found empty.</summary>
    internal void OnDrained(IRegionChannel? channel, ulong take, Instant now)
    {
        if (channel is null || State.Channel == channel) _reading.OnDrained(channel is null, take, now);
    }

    // Takes a packet whose source was checked.
    private RejectReason Take(
        in DatagramHeader header,
        ReadOnlySpan<byte> datagram,
        in Slice part,
        SocketRole role,
        PacketWay way,
        Instant now)
    {
        StreamReceiver? stream = header.IsFromPeer
            ? Streams.FindForPeer(header.Sender, out RejectReason reason)
            : Streams.Find(header.Sender, out reason);
        if (stream is null) return reason;
        if (stream.Own is not null) return RejectReason.None;
        ulong sequence = header.Sequence;
        if (sequence == 0) return RejectReason.Malformed;
        if (!stream.Window.Reaches(sequence) || !stream.Believes(sequence, State.MostUnderWay))
            return RejectReason.BeyondWindow;

        bool isRepair = header.Kind == DatagramKind.Repair;
        if (!isRepair) _reading.NoteDirect(stream, role, now);
        RejectReason outcome = RejectReason.None;
        if (stream.Window.Contains(sequence))
        {
            _node.Counters.PacketsDuplicate++;
            if (isRepair) _node.Counters.RepairsWasted++;
        }
        else
        {
            outcome = _store.Take(stream, header, datagram, part, way, now);
        }
        if (outcome is RejectReason.Malformed) return outcome;

        // Read from the data socket: lower sequences that did not come are missing.
        if (!isRepair) _reading.OnRead(stream, sequence, role, now);
        if (stream.NoteHighest(sequence) || header.Urgency > FeedbackUrgency.Low) Ring.OnUnstable(header.Urgency, now);
        return outcome;
    }

    /// <summary>Takes a beacon: the sender's highest sequence.</summary>
    public RejectReason OnBeacon(in DatagramHeader header, in Arrival arrival, Instant now)
    {
        if (!State.MaySend(header, arrival)) return RejectReason.WrongSource;
        StreamReceiver? stream = Streams.Find(header.Sender, out RejectReason reason);
        if (stream is null) return reason;
        if (stream.Own is not null) return RejectReason.None;
        if (!stream.Window.Reaches(header.Sequence) || !stream.Believes(header.Sequence, State.MostUnderWay))
            return RejectReason.BeyondWindow;
        // A beacon by unicast, while packets come by multicast or not at all, is no copy: it does not tell what
        // arrives.
        bool isInforming = arrival.Role == SocketRole.Unicast && State.Channel is not null && !stream.IsCopied(now);
        if (!isInforming) _reading.NoteDirect(stream, arrival.Role, now);
        ulong missing = stream.Missing.Sequences;
        _reading.OnRead(stream, header.Sequence, arrival.Role, now);
        if (stream.Missing.Sequences > missing)
            _node.Probes.Reached("a beacon shows that the last packets of a stream are missing");
        stream.NoteHighest(header.Sequence);
        if (Ring.IsLeader && Math.Max(stream.Lead.Stable, stream.Cleanup) >= header.Sequence) Ring.AnswerBeacon(stream);
        else Ring.OnUnstable(header.Urgency, now);
        return RejectReason.None;
    }

    /// <summary>Takes a sender's carrier probe: its multicast reaches this member.</summary>
    public RejectReason OnCarrierProbe(in DatagramHeader header, in Arrival arrival)
    {
        if (!State.MaySend(header, arrival)) return RejectReason.WrongSource;
        StreamReceiver? stream = Streams.Find(header.Sender, out RejectReason reason);
        if (stream is null) return reason;
        _arrivals.OnProbe(stream, header.Sequence);
        return RejectReason.None;
    }

    /// <summary>Takes a sender's offer of memory that it can lend packets from.</summary>
    public RejectReason OnOffer(
        in DatagramHeader header, in Arrival arrival, in SegmentName segment, ISharedMemory memory)
    {
        if (!State.MaySend(header, arrival)) return RejectReason.WrongSource;
        if (Streams.Find(header.Sender, out RejectReason reason) is null) return reason;
        bool isOpen = memory.TryAttach(segment, _node.SelfKey);
        _node.Probes.Reached(
            isOpen
                ? "a member opens the memory that a sender offers"
                : "a member cannot open the memory that a sender offers");
        return RejectReason.None;
    }

    /// <summary>Takes one datagram of a token.</summary>
    public RejectReason OnToken(in DatagramHeader header, ReadOnlySpan<byte> body, Instant now) =>
        Ring.OnToken(header, body, now);

    /// <summary>Takes the acknowledgement of a token's hop.</summary>
    public RejectReason OnTokenAck(in DatagramHeader header, ReadOnlySpan<byte> body, Instant now) =>
        Ring.OnTokenAck(header, body, now);

    /// <summary>Takes a pull: a peer requests packets of a partition.</summary>
    public RejectReason OnPull(in DatagramHeader header, ReadOnlySpan<byte> body, Instant now)
    {
        int asker = View.IndexOf(header.Sender);
        if (asker < 0 || asker == Self) return RejectReason.UnknownSender;
        if (View.Members[asker].IsRemoved) return RejectReason.RemovedSender;
        if (!PullBody.TryRead(body, out PullBody pull) || pull.Partition > View.Partitions.Count)
            return RejectReason.Malformed;
        StreamReceiver? stream = Streams.FindForPeer(pull.Stream, out RejectReason reason);
        if (stream is null) return reason;
        _node.Paths.AskShort(header.Sender, pull.Longest);
        _answers.Answer(stream, asker, pull, now);
        return RejectReason.None;
    }

    /// <summary>
    /// Nodes are removed from the cluster. Their streams are to be closed, whether this node received anything of them
    /// or not.
    /// </summary>
    internal void OnNodesRemoved(IReadOnlyList<NodeInfo> nodes, Instant now)
    {
        Removed.Add(nodes, now);
        Ring.OnRemovalLearned(now);
        if (Ring.IsLeader) _own.ReportStable(now);
        if (IsActive) Ring.OnUnstable(FeedbackUrgency.Immediate, now);
    }

    internal void Close()
    {
        Ring.Close();
        Gaps.Close();
        Removed.Stop();
        _arrivals.Close();
        Streams.Close();
    }
}
