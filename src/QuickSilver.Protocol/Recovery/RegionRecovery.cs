using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Repairs;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Recovery.Orphans;
using QuickSilver.Protocol.Recovery.Paths;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Recovery.Repairs;
using QuickSilver.Protocol.Recovery.Ring;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery;

/// <summary>
/// Recovery in one region view that this node is a member of. It accepts the datagrams of all its streams, caches
/// packets that peers may need, and delivers each packet once.
/// <see cref="ReadProgress"/> finds packets missing, <see cref="GapRepair"/> requests them,
/// <see cref="PullAnswers"/> answers peers, <see cref="TokenRing"/> passes the token,
/// <see cref="RemovedSenders"/> settles the streams of removed senders. Core thread only.
/// </summary>
public sealed class RegionRecovery
{
    // A window is less than a receive buffer, which charges a packet with more than this.
    private const ulong BytesUnderWay = 512;
    private const ulong LeastUnderWay = 1024;

    private readonly Recoverer _node;
    private readonly PullAnswers _answers;
    private readonly PacketStore _store;
    private readonly ArrivalJudge _arrivals;
    private readonly IReadOnlyList<IRegionChannel> _hybrids;
    private readonly ulong _dropsBefore;
    private RepeatBudget[]? _budgets;

    internal RegionRecovery(
        Recoverer node,
        RegionView view,
        int self,
        IRegionChannel? channel,
        IReadOnlyList<IRegionChannel> hybrids)
    {
        _node = node;
        View = view;
        ViewTag = view.Number.Tag;
        Self = self;
        Channel = channel;
        _hybrids = hybrids;
        _dropsBefore = HybridDrops();
        Streams = new RegionStreams(node, this);
        Gaps = new GapRepair(node, this);
        _answers = new PullAnswers(node, this);
        _store = new PacketStore(node, this, _answers);
        _arrivals = new ArrivalJudge(node, this);
        Reading = new ReadProgress(node, this, _arrivals);
        Parted = new PartedPackets(node, this);
        Own = new OwnStream(node, this);
        Orphans = new OrphanVisit(this, node.Probes);
        Removed = new RemovedSenders(node, this);
        Ring = new TokenRing(node, this);
        int buffer = int.MaxValue;
        foreach (NodeInfo member in view.Members) buffer = Math.Min(buffer, member.ReceiveBufferBytes);
        MostUnderWay = Math.Max(LeastUnderWay, (ulong)buffer / BytesUnderWay);
    }

    /// <summary>The view that is recovered.</summary>
    public RegionView View { get; }

    internal uint ViewTag { get; }

    /// <summary>A bound above the number of packets of a stream that its sender can have under way.</summary>
    internal ulong MostUnderWay { get; }

    internal int Self { get; }

    internal IRegionChannel? Channel { get; }

    /// <summary>
    /// Datagrams that the kernel dropped since the view began here because a receive buffer was full.
    /// </summary>
    internal ulong Drops => (Channel?.Drops ?? 0) + HybridDrops() - _dropsBefore;

    internal GapRepair Gaps { get; }

    internal ReadProgress Reading { get; }

    internal PartedPackets Parted { get; }

    internal OwnStream Own { get; }

    internal TokenRing Ring { get; }

    internal OrphanVisit Orphans { get; }

    internal RemovedSenders Removed { get; }

    internal RegionStreams Streams { get; }

    /// <summary>Repeats that the view's members have earned together.</summary>
    internal double EarnedRepeats { get; set; }

    /// <summary>The budget of repeats of one member.</summary>
    internal ref RepeatBudget BudgetOf(int member) =>
        ref (_budgets ??= new RepeatBudget[View.Members.Length])[member];

    /// <summary>True while some stream may still need recovery here.</summary>
    public bool IsActive => Streams.AnyActive;

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
        if (header.IsFromPeer && !IsLivePeer(header.Relay, out RejectReason bad)) return bad;
        if (!MaySend(header, arrival)) return RejectReason.WrongSource;
        if (arrival.Role != SocketRole.Multicast)
        {
            ulong from = header.IsFromPeer ? View.Members[header.Relay].Number.Key : header.Sender;
            _node.Inbound.OnPacket(from, datagram.Length);
        }
        return Take(header, datagram, part, arrival.Role, PacketWay.Whole, now);
    }

    /// <summary>Takes a packet whose source was checked.</summary>
    internal RejectReason Take(
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
        if (!stream.Window.Reaches(sequence) || !stream.Believes(sequence, MostUnderWay))
            return RejectReason.BeyondWindow;

        bool isRepair = header.Kind == DatagramKind.Repair;
        if (!isRepair) Reading.NoteDirect(stream, role, now);
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
        if (!isRepair) Reading.OnRead(stream, sequence, role, now);
        if (stream.NoteHighest(sequence) || header.Urgency > FeedbackUrgency.Low) Ring.OnUnstable(header.Urgency, now);
        return outcome;
    }

    /// <summary>Takes a beacon: the sender's highest sequence.</summary>
    public RejectReason OnBeacon(in DatagramHeader header, in Arrival arrival, Instant now)
    {
        if (!MaySend(header, arrival)) return RejectReason.WrongSource;
        StreamReceiver? stream = Streams.Find(header.Sender, out RejectReason reason);
        if (stream is null) return reason;
        if (stream.Own is not null) return RejectReason.None;
        if (!stream.Window.Reaches(header.Sequence) || !stream.Believes(header.Sequence, MostUnderWay))
            return RejectReason.BeyondWindow;
        // A beacon by unicast, while packets come by multicast or not at all, is no copy: it does not tell what
        // arrives.
        bool isInforming = arrival.Role == SocketRole.Unicast && Channel is not null && !stream.IsCopied(now);
        if (!isInforming) Reading.NoteDirect(stream, arrival.Role, now);
        ulong missing = stream.Missing.Sequences;
        Reading.OnRead(stream, header.Sequence, arrival.Role, now);
        if (stream.Missing.Sequences > missing)
            _node.Probes.Reached("a beacon shows that the last packets of a stream are missing");
        stream.NoteHighest(header.Sequence);
        if (Ring.IsLeader && Math.Max(stream.Stable, stream.Cleanup) >= header.Sequence) Ring.AnswerBeacon(stream);
        else Ring.OnUnstable(header.Urgency, now);
        return RejectReason.None;
    }

    /// <summary>Takes a sender's carrier probe: its multicast reaches this member.</summary>
    public RejectReason OnCarrierProbe(in DatagramHeader header, in Arrival arrival)
    {
        if (!MaySend(header, arrival)) return RejectReason.WrongSource;
        StreamReceiver? stream = Streams.Find(header.Sender, out RejectReason reason);
        if (stream is null) return reason;
        _arrivals.OnProbe(stream, header.Sequence);
        return RejectReason.None;
    }

    /// <summary>Takes a sender's offer of memory that it can lend packets from.</summary>
    public RejectReason OnOffer(
        in DatagramHeader header, in Arrival arrival, in SegmentName segment, ISharedMemory memory)
    {
        if (!MaySend(header, arrival)) return RejectReason.WrongSource;
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
        if (Ring.IsLeader) Own.ReportStable(now);
        if (IsActive) Ring.OnUnstable(FeedbackUrgency.Immediate, now);
    }

    /// <summary>
    /// False for a packet, a note or a beacon whose source is neither its sender nor the peer that repairs. Checked
    /// first, so that forged datagrams begin no stream. True where that node is unknown: a later check rejects it.
    /// </summary>
    internal bool MaySend(in DatagramHeader header, in Arrival arrival)
    {
        NodeInfo? speaker = !header.IsFromPeer ? Streams.Describe(header.Sender)
            : header.Relay < View.Members.Length ? View.Members[header.Relay] : null;
        return speaker is null || speaker.MaySend(header.Kind, arrival);
    }

    private ulong HybridDrops()
    {
        ulong drops = 0;
        for (int index = 0; index < _hybrids.Count; index++) drops += _hybrids[index].Drops;
        return drops;
    }

    /// <summary>True when the member that repairs is another one, and is not removed.</summary>
    internal bool IsLivePeer(int relay, out RejectReason reason)
    {
        reason = RejectReason.None;
        if (relay >= View.Members.Length || relay == Self) reason = RejectReason.UnknownSender;
        else if (View.Members[relay].IsRemoved) reason = RejectReason.RemovedSender;
        return reason == RejectReason.None;
    }

    /// <summary>A packet was stored that was sent to its group's address.</summary>
    internal void OnHybrid(StreamReceiver stream, bool isRepair, Instant now) =>
        _arrivals.OnHybrid(stream, isRepair, now);

    /// <summary>
    /// A packet of a stream stays missing: the sender's multicast is judged again, though nothing more is missed.
    /// </summary>
    internal void OnStuck(StreamReceiver stream, Instant now) => _arrivals.OnMissed(stream, 0, now);

    /// <summary>
    /// The highest sequence of a stream that is worth requesting: there is no room for packets beyond it.
    /// </summary>
    internal ulong AskableThrough(StreamReceiver stream) => _store.AskableThrough(stream);

    internal void Close()
    {
        Ring.Close();
        Gaps.Close();
        Removed.Stop();
        _arrivals.Close();
        Streams.Close();
    }

    /// <summary>Applies the result of a round to the caches.</summary>
    internal void CleanUp(StreamReceiver stream, ulong cleanup, Span<ulong> held)
    {
        long before = stream.Cache.Bytes;
        if (cleanup > stream.Cleanup)
            _node.Repairs.OnEarned(this, (cleanup - stream.Cleanup) * RepeatBudget.ByStable);
        stream.CleanUp(cleanup);
        if (!held.IsEmpty) stream.MergeHeld(held);
        _node.Counters.CachedBytes += stream.Cache.Bytes - before;
    }
}
