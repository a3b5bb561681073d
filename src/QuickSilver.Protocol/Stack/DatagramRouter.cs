using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Recovery.Regions;
using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// Walks a read by the headers in it and passes each datagram to its room. A bad datagram is counted by its reason and
/// dropped: nothing is answered, nothing is allocated, no state changes. A bad header's length cannot be trusted. But
/// the kernel returns datagrams of one length, except the last, in one read. So the walk continues at the length of the
/// datagram before, a few times in a read. The rest of the read is dropped after a bad first header, or after too many
/// bad ones. Core thread only.
/// </summary>
internal sealed class DatagramRouter
{
    // A read that fills less of its buffer is copied, so that kept packets fill most of the memory they hold.
    private const int LeastTaken = BufferPool.ChunkBytes / 4 * 3;

    // Each may cost a checksum over the rest of the read.
    private const int MaxResyncs = 4;

    private readonly StackParts _rooms;
    private readonly PacketIntake _packets;
    private readonly NoteReader _notes;
    private readonly HybridReader _hybrids;
    private readonly ControlRouter _control;
    private readonly ReplayHandler _replay;
    private readonly DatagramOpener _opener = new();

    public DatagramRouter(StackParts rooms)
    {
        _rooms = rooms;
        _packets = new PacketIntake(rooms);
        _notes = new NoteReader(rooms, _packets);
        _hybrids = new HybridReader(rooms, _packets);
        _control = new ControlRouter(rooms);
        _replay = Replay;
    }

    /// <summary>
    /// Datagrams of other nodes of this cluster that have been read, whatever their outcome, except forged ones.
    /// </summary>
    public ulong HeardOthers { get; private set; }

    /// <summary>Sealed datagrams that were opened.</summary>
    public ulong Opened => _opener.Opened;

    /// <summary>The last datagram whose source address was not its sender's.</summary>
    public ForgedDatagram Forged { get; private set; }

    /// <summary>
    /// Handles one read, or the report that a socket was found empty. A read that nearly fills its buffer is kept in
    /// place, in exchange for another buffer: so a packet of a full train is copied once, by the kernel.
    /// </summary>
    public void Handle(ref Completion completion, Instant now)
    {
        if (completion.IsDrained)
        {
            if (completion.Role != SocketRole.Control)
            {
                _rooms.Recoverer.OnDrained(completion.Channel as IRegionChannel, completion.Take, now);
            }
            return;
        }
        _rooms.Recoverer.Take = completion.Take;
        Slice taken = TakeBuffer(ref completion);
        var arrival = new Arrival(completion.Role, completion.Source) { IsUnchecked = !_rooms.ChecksSources };
        Walk(taken.IsEmpty ? completion.Writable : taken.Span, taken, arrival, now);
        taken.Release();
    }

    /// <summary>Handles the datagrams that came for a view before it was opened.</summary>
    public void ReplayUnrecognised(RegionView view, Instant now) =>
        _rooms.Unrecognised.Replay(view.Number.Tag, view.Number.Counter, _replay, now);

    public void Close()
    {
        _packets.Close();
        _hybrids.Close();
    }

    private Slice TakeBuffer(ref Completion completion)
    {
        if (completion.Buffer.Length != BufferPool.ChunkBytes || completion.Role == SocketRole.Control) return default;
        if (completion.Length < LeastTaken && !_rooms.Probes.Here(BuggifySite.ShortReadKept)) return default;
        _rooms.Probes.Reached("a read nearly fills its buffer and stays where it lies");
        Chunk chunk = _rooms.Host.Pool.Rent(BufferOwner.Cache);
        completion = completion with { Buffer = chunk.Exchange(completion.Buffer) };
        return new Slice(chunk, completion.Offset, completion.Length);
    }

    private void Walk(Span<byte> read, Slice taken, in Arrival arrival, Instant now)
    {
        int offset = 0;
        int stride = 0;
        int resyncs = 0;
        while (offset < read.Length)
        {
            Span<byte> rest = read[offset..];
            SealedHeader fields = default;
            RejectReason reason = _rooms.Keys is null
                ? DatagramHeader.TryRead(rest, _rooms.Versions, out DatagramHeader header)
                : SealedHeader.TryRead(rest, _rooms.Versions, out header, out fields);
            if (reason == RejectReason.WrongVersion && IsProbe(rest, out header)) reason = RejectReason.None;
            if (reason != RejectReason.None)
            {
                _rooms.Rejected.Count(reason);
                if (stride == 0 || ++resyncs > MaxResyncs) return;
                _rooms.Probes.Reached("a bad header in a read is passed over");
                offset += stride;
                continue;
            }
            stride = header.TotalLength;
            Slice part = taken.IsEmpty ? default : taken.Part(offset, stride);
            _rooms.Rejected.Count(
                _rooms.Keys is null
                    ? Route(header, rest[..stride], part, arrival, now)
                    : RouteSealed(header, fields, rest[..stride], part, arrival, now));
            offset += stride;
        }
    }

    // A node that starts has no keys yet. Its probe carries nothing, and changes nothing here.
    private bool IsProbe(ReadOnlySpan<byte> read, out DatagramHeader header)
    {
        header = default;
        return _rooms.Keys is not null
            && DatagramHeader.TryRead(read, out header) == RejectReason.None
            && header.Kind == DatagramKind.Probe;
    }

    /// <summary>
    /// Opens a sealed datagram where it lies, and routes the plain one. A datagram of a view that is not installed here
    /// yet is kept sealed. Its counter is marked as read unless it is refused for its source or socket: then it is a
    /// copy that somebody else has sent, and the genuine one may follow.
    /// </summary>
    private RejectReason RouteSealed(
        DatagramHeader header,
        in SealedHeader fields,
        Span<byte> datagram,
        in Slice part,
        in Arrival arrival,
        Instant now)
    {
        if (header.Cluster != _rooms.ClusterInstance) return RejectReason.WrongCluster;
        if (header.Sender == _rooms.SelfKey || header.Kind == DatagramKind.Probe) return RejectReason.None;
        // A kind that is not known here, and may be ignored.
        if (fields.Lane == SealLane.None) return RejectReason.None;
        OpenedDatagram opened;
        RejectReason reason;
        if (fields.Lane == SealLane.Hybrid)
            reason = _opener.TryOpenShared(_rooms.Keys!, fields, ref header, datagram, out opened);
        else if (_rooms.Keys!.Find(header.ViewTag, header.ViewCounter) is { } view)
            reason = _opener.TryOpen(_rooms.SelfKey, view, fields, ref header, datagram, out opened);
        else return _packets.Park(header, arrival, datagram, now);
        if (reason != RejectReason.None) return reason;
        // Streams look at the sources of their packets themselves, and mark the sequences.
        if (fields.Lane != SealLane.Data && !IsFromItsWriter(opened, header, arrival))
        {
            Forged = new ForgedDatagram(header.Kind, header.Sender, arrival.Source);
            return RejectReason.WrongSource;
        }
        Slice plain = part.IsEmpty ? default : part.Part(0, header.TotalLength);
        reason = fields.Lane == SealLane.Hybrid
            ? RouteShared(header, datagram[..header.TotalLength], opened.View.Number, arrival, now)
            : Route(header, datagram[..header.TotalLength], plain, arrival, now);
        if (reason is not (RejectReason.WrongSource or RejectReason.WrongSocket)) opened.Mark();
        return reason;
    }

    // Whatever becomes of a datagram, a copy from elsewhere must not use up its counter.
    private bool IsFromItsWriter(in OpenedDatagram opened, in DatagramHeader header, in Arrival arrival)
    {
        bool isMember = opened.Index != SealedHeader.NoMember;
        ulong writer = isMember ? opened.View.MemberAt(opened.Index) : header.Sender;
        return _rooms.Cluster.FindNode(writer) is not { } node || node.MaySend(header.Kind, arrival);
    }

    // Only the packet of the view whose keys have opened it is taken: its sender need not be known to others.
    private RejectReason RouteShared(
        in DatagramHeader header, ReadOnlySpan<byte> datagram, ulong view, in Arrival arrival, Instant now)
    {
        HeardOthers++;
        return _hybrids.Take(header, datagram, view, arrival, now);
    }

    // The datagram stays in pooled memory if its part there is given; otherwise it has to be copied to be kept.
    private RejectReason Route(
        in DatagramHeader header, ReadOnlySpan<byte> datagram, in Slice part, in Arrival arrival, Instant now)
    {
        if (header.Cluster != _rooms.ClusterInstance) return RejectReason.WrongCluster;
        // Multicast also returns to its sender.
        if (header.Sender == _rooms.SelfKey) return RejectReason.None;
        RejectReason reason = RouteOther(header, datagram, part, arrival, now);
        if (reason != RejectReason.WrongSource) HeardOthers++;
        else Forged = new ForgedDatagram(header.Kind, header.Sender, arrival.Source);
        return reason;
    }

    private RejectReason RouteOther(
        in DatagramHeader header, ReadOnlySpan<byte> datagram, in Slice part, in Arrival arrival, Instant now)
    {
        SocketRole role = arrival.Role;
        byte mode = DatagramKinds.ModeOf(header.Kind);
        if (mode != GroupModes.Reliable) return _rooms.Modes.OnDatagram(mode, header, datagram, part, arrival, now);
        if (DatagramKinds.IsControl(header.Kind))
            return role == SocketRole.Control
                ? _control.Route(header, datagram[DatagramHeader.Length..], arrival, now)
                : RejectReason.WrongSocket;
        if (header.Kind == DatagramKind.CarrierProbe) return RouteProbe(header, datagram.Length, arrival);
        if (header.Kind is DatagramKind.PathFiller or DatagramKind.RepairPart)
        {
            if (role == SocketRole.Control) return RejectReason.WrongSocket;
            ReadOnlySpan<byte> body = datagram[DatagramHeader.Length..];
            return header.Kind == DatagramKind.PathFiller
                ? _rooms.Recoverer.Inbound.OnFiller(header, body, arrival)
                : RoutePart(header, body, arrival, now);
        }
        if (header.Kind == DatagramKind.Hybrid) return _hybrids.Take(header, datagram, null, arrival, now);
        bool isKnown = DatagramKinds.CarriesPacket(header.Kind)
            || DatagramKinds.IsNote(header.Kind)
            || header.Kind == DatagramKind.Beacon;
        if (!isKnown)
        {
            bool isExpected = header.Kind == DatagramKind.Probe || header.Ignorable;
            return isExpected ? RejectReason.None : RejectReason.UnknownKind;
        }
        if (role == SocketRole.Control) return RejectReason.WrongSocket;

        if (DatagramKinds.IsNote(header.Kind))
        {
            return _notes.Take(header, datagram[DatagramHeader.Length..], arrival, now);
        }
        RegionRecovery? region = _rooms.Recoverer.Find(header.ViewTag, header.ViewCounter);
        if (header.Kind == DatagramKind.Beacon)
        {
            if (region is null) return RejectReason.UnknownView;
            return datagram.Length == DatagramHeader.Length
                ? region.OnBeacon(header, arrival, now)
                : RejectReason.Malformed;
        }
        return _packets.Take(region, header, datagram, part, arrival, now);
    }

    // Only a datagram received by multicast proves that multicast arrives.
    private RejectReason RouteProbe(in DatagramHeader header, int length, in Arrival arrival)
    {
        if (arrival.Role != SocketRole.Multicast) return RejectReason.WrongSocket;
        if (length != DatagramHeader.Length) return RejectReason.Malformed;
        RegionRecovery? region = _rooms.Recoverer.Find(header.ViewTag, header.ViewCounter);
        return region is null ? RejectReason.UnknownView : region.OnCarrierProbe(header, arrival);
    }

    private RejectReason RoutePart(in DatagramHeader header, ReadOnlySpan<byte> body, in Arrival arrival, Instant now)
    {
        RegionRecovery? region = _rooms.Recoverer.Find(header.ViewTag, header.ViewCounter);
        return region is null ? RejectReason.UnknownView : region.OnPart(header, body, arrival, now);
    }

    private void Replay(Slice datagram, Arrival arrival, Instant now) =>
        Walk(datagram.Span, default, arrival, now);
}
