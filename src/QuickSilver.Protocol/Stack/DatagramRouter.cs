using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Recovery;
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
    private readonly LagList _behind = new();
    private readonly ReplayHandler _replay;
    private readonly Alarm _expiry;
    private readonly Arena _derived;
    private readonly DatagramOpener _opener = new();

    public DatagramRouter(StackParts rooms)
    {
        _rooms = rooms;
        _replay = Replay;
        _expiry = new Alarm(rooms.Host.Alarms, Expire);
        _derived = new Arena(rooms.Host.Pool, BufferOwner.Cache);
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
        _rooms.RegionRepairs.Settle(now);
    }

    /// <summary>Handles the datagrams that came for a view before it was opened.</summary>
    public void ReplayUnrecognised(RegionView view, Instant now) =>
        _rooms.Unrecognised.Replay(view.Number.Tag, view.Number.Counter, _replay, now);

    public void Close()
    {
        _expiry.Cancel();
        _derived.Close();
        _rooms.Unrecognised.Close();
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
                ? DatagramHeader.TryRead(rest, out DatagramHeader header)
                : SealedHeader.TryRead(rest, out header, out fields);
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
        if (_rooms.Keys!.Find(header.ViewTag, header.ViewCounter) is not { } view)
            return Park(header, arrival, datagram, now);
        RejectReason reason = _opener.TryOpen(
            _rooms.SelfKey, view, fields, ref header, datagram, out OpenedDatagram opened);
        if (reason != RejectReason.None) return reason;
        // Streams look at the sources of their packets themselves, and mark the sequences.
        if (fields.Lane != SealLane.Data && !IsFromItsWriter(view, fields, header, arrival))
        {
            Forged = new ForgedDatagram(header.Kind, header.Sender, arrival.Source);
            return RejectReason.WrongSource;
        }
        Slice plain = part.IsEmpty ? default : part.Part(0, header.TotalLength);
        reason = Route(header, datagram[..header.TotalLength], plain, arrival, now);
        if (reason is not (RejectReason.WrongSource or RejectReason.WrongSocket)) opened.Mark();
        return reason;
    }

    // Whatever becomes of a datagram, a copy from elsewhere must not use up its counter.
    private bool IsFromItsWriter(
        ViewKeys view, in SealedHeader fields, in DatagramHeader header, in Arrival arrival)
    {
        bool isMember = fields.Writer != SealedHeader.NoMember;
        ulong writer = isMember ? view.MemberAt(fields.Writer) : header.Sender;
        return _rooms.Cluster.FindNode(writer) is not { } node || node.MaySend(header.Kind, arrival);
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
        if (mode != GroupModes.Reliable) return _rooms.Modes.OnDatagram(mode, header, datagram, arrival, now);
        if (DatagramKinds.IsControl(header.Kind))
            return role == SocketRole.Control
                ? RouteControl(header, datagram[DatagramHeader.Length..], arrival, now)
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
        if (header.Kind == DatagramKind.RegionRepair) return RouteRegionRepair(header, datagram, arrival);
        if (header.Kind == DatagramKind.Hybrid) return RouteHybrid(header, datagram, arrival, now);
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
            return RouteNote(header, datagram[DatagramHeader.Length..], arrival, now);
        }
        RegionRecovery? region = _rooms.Recoverer.Find(header.ViewTag, header.ViewCounter);
        if (header.Kind == DatagramKind.Beacon)
        {
            if (region is null) return RejectReason.UnknownView;
            return datagram.Length == DatagramHeader.Length
                ? region.OnBeacon(header, arrival, now)
                : RejectReason.Malformed;
        }
        return TakePacket(region, header, datagram, part, arrival, now);
    }

    // Only a datagram received by multicast proves that multicast arrives.
    private RejectReason RouteProbe(in DatagramHeader header, int length, in Arrival arrival)
    {
        if (arrival.Role != SocketRole.Multicast) return RejectReason.WrongSocket;
        if (length != DatagramHeader.Length) return RejectReason.Malformed;
        RegionRecovery? region = _rooms.Recoverer.Find(header.ViewTag, header.ViewCounter);
        return region is null ? RejectReason.UnknownView : region.OnCarrierProbe(header, arrival);
    }

    // The header that names a view of this node makes it an ordinary packet of that view. A sender sends in one step,
    // so there is one at most. Without one this node is no member of the group yet, or not any more.
    private RejectReason RouteHybrid(
        in DatagramHeader header, ReadOnlySpan<byte> datagram, in Arrival arrival, Instant now)
    {
        if (arrival.Role != SocketRole.Multicast) return RejectReason.WrongSocket;
        RejectReason reason = HybridPacket.TryRead(
            header, datagram, out ReadOnlySpan<byte> regions, out ReadOnlySpan<byte> records);
        if (reason != RejectReason.None) return reason;
        var reader = new WireReader(regions);
        while (reader.Remaining > 0)
        {
            HybridRegion region = HybridRegion.Read(ref reader, header.HasPayloadChecksum);
            if (_rooms.Recoverer.Find(region.ViewTag, region.ViewCounter) is { } recovery)
                return TakeDerived(recovery, header, region, records, arrival, now);
        }
        return RejectReason.UnknownView;
    }

    private RejectReason TakeDerived(
        RegionRecovery recovery,
        in DatagramHeader header,
        in HybridRegion region,
        ReadOnlySpan<byte> records,
        in Arrival arrival,
        Instant now)
    {
        Slice place;
        try
        {
            bool isLongIndex = WireWriter.VarintLength((ulong)region.GroupIndex) > 1;
            place = _derived.Take(HybridPacket.LongestDerived(records.Length, isLongIndex));
        }
        catch (OutOfMemoryException)
        {
            return RejectReason.NoRoom;
        }
        int length = HybridPacket.Derive(header, region, recovery.View.Number.Epoch, records, place.Span);
        Slice packet = _derived.Trim(place, length);
        // No packet can be derived that the checksum would be that of: then damage shows so.
        RejectReason reason = header.HasPayloadChecksum ? RejectReason.PayloadChecksum : RejectReason.Malformed;
        if (length > 0) reason = DatagramHeader.TryRead(packet.Span, out DatagramHeader derived) is RejectReason.None
            ? TakePacket(recovery, derived, packet.Span, packet, arrival, now)
            : RejectReason.Malformed;
        if (reason == RejectReason.None) _rooms.RecoveryCounters.HybridPackets++;
        packet.Release();
        return reason;
    }

    private RejectReason TakePacket(
        RegionRecovery? region,
        in DatagramHeader header,
        ReadOnlySpan<byte> datagram,
        in Slice part,
        in Arrival arrival,
        Instant now)
    {
        if (!header.PayloadIsIntact(datagram)) return RejectReason.PayloadChecksum;
        if (region is not null) return region.OnPacket(header, datagram, part, arrival, now);
        return Park(header, arrival, datagram, now);
    }

    // All packets of a note come from one source. Each has an outcome of its own.
    private RejectReason RouteNote(
        in DatagramHeader header, ReadOnlySpan<byte> body, in Arrival arrival, Instant now)
    {
        if (!NoteList.TryRead(body, out NoteList notes)) return RejectReason.Malformed;
        if (header.Sequence > ulong.MaxValue - (ulong)notes.Count) return RejectReason.Malformed;
        bool isRepair = header.Kind == DatagramKind.RepairNote;
        if (isRepair && (notes.IsOffer || notes.Count > 1)) return RejectReason.Malformed;
        if (_rooms.Host.Transport.SharedMemory is not { } memory) return RejectReason.None;
        RegionRecovery? region = _rooms.Recoverer.Find(header.ViewTag, header.ViewCounter);
        if (region is not null && !region.MaySend(header, arrival)) return RejectReason.WrongSource;
        if (notes.IsOffer)
        {
            return region is null
                ? RejectReason.UnknownView
                : region.OnOffer(header, arrival, notes.Segment, memory);
        }
        DatagramHeader single = header;
        for (int index = 0; index < notes.Count - 1; index++)
        {
            RejectReason reason = TakeLent(single, notes[index], memory, arrival, now);
            if (reason == RejectReason.WrongSource) return reason;
            _rooms.Rejected.Count(reason);
            single.Sequence++;
        }
        return TakeLent(single, notes[notes.Count - 1], memory, arrival, now);
    }

    // A packet that is not at its place is a loss that the note announces, or is stable and needed by nobody here.
    private RejectReason TakeLent(
        in DatagramHeader header, in NoteBody note, ISharedMemory memory, in Arrival arrival, Instant now)
    {
        RegionRecovery? region = _rooms.Recoverer.Find(header.ViewTag, header.ViewCounter);
        if (!memory.TryBorrow(note, out Slice packet))
        {
            _rooms.Probes.Reached("a note names a packet that is not there");
            if (header.Kind == DatagramKind.RepairNote) return RejectReason.NotThere;
            RejectReason reason = region is null ? RejectReason.UnknownView : region.OnBeacon(header, arrival, now);
            return reason == RejectReason.None ? RejectReason.NotThere : reason;
        }
        RejectReason outcome = DatagramHeader.TryRead(packet.Span, out DatagramHeader lent);
        // The source is checked in a known view only: elsewhere a note that names another packet may come from anybody.
        if (outcome == RejectReason.None && !Matches(lent, header, packet.Length))
            outcome = region is null ? RejectReason.UnknownView : RejectReason.Malformed;
        if (outcome == RejectReason.None)
        {
            if (header.Kind == DatagramKind.RepairNote)
            {
                _rooms.Probes.Reached("a packet that is sent again is read in place");
                lent.BecomeRepair(header);
            }
            outcome = TakePacket(region, lent, packet.Span, packet, arrival, now);
        }
        packet.Release();
        return outcome;
    }

    private static bool Matches(in DatagramHeader lent, in DatagramHeader note, int length) =>
        lent.Kind == DatagramKind.Data
        && lent.TotalLength == length
        && lent.Cluster == note.Cluster
        && lent.Sender == note.Sender
        && lent.ViewTag == note.ViewTag
        && lent.ViewCounter == note.ViewCounter
        && lent.Sequence == note.Sequence;

    private RejectReason RoutePart(in DatagramHeader header, ReadOnlySpan<byte> body, in Arrival arrival, Instant now)
    {
        RegionRecovery? region = _rooms.Recoverer.Find(header.ViewTag, header.ViewCounter);
        if (region is null) return RejectReason.UnknownView;
        if (!region.MaySend(header, arrival)) return RejectReason.WrongSource;
        return region.Parted.Take(header, body, now);
    }

    private RejectReason RouteRegionRepair(
        in DatagramHeader header, ReadOnlySpan<byte> datagram, in Arrival arrival)
    {
        if (arrival.Role != SocketRole.Unicast) return RejectReason.WrongSocket;
        RegionRecovery? region = _rooms.Recoverer.Find(header.ViewTag, header.ViewCounter);
        if (region is null) return RejectReason.UnknownView;
        return _rooms.RegionRepairs.OnRepair(region, header, datagram[DatagramHeader.Length..], arrival);
    }

    // The asker is in a view that this node sends to, or in one that both are in.
    private RejectReason RoutePathQuery(
        in DatagramHeader header, ReadOnlySpan<byte> body, in Arrival arrival, Instant now)
    {
        RegionView? view = _rooms.Disseminator.FindStream(header.ViewTag, header.ViewCounter)?.View
            ?? _rooms.Recoverer.Find(header.ViewTag, header.ViewCounter)?.View;
        if (view is null) return RejectReason.UnknownView;
        int member = view.IndexOf(header.Sender);
        if (member < 0) return RejectReason.UnknownSender;
        if (!view.Members[member].MaySend(header.Kind, arrival)) return RejectReason.WrongSource;
        if (view.Members[member].IsRemoved) return RejectReason.RemovedSender;
        if (header.Sequence != _rooms.SelfKey) return RejectReason.NeverSent;
        if (!PathQueryBody.TryRead(body, out PathQueryBody query)) return RejectReason.Malformed;
        return _rooms.Recoverer.Echo.OnQuery(view, view.Members[member], query, now);
    }

    private RejectReason RouteControl(
        in DatagramHeader header, ReadOnlySpan<byte> body, in Arrival arrival, Instant now)
    {
        if (header.Kind == DatagramKind.PathQuery) return RoutePathQuery(header, body, arrival, now);
        if (header.Kind == DatagramKind.PathAnswer)
        {
            return _rooms.Recoverer.Inbound.OnAnswer(header, body, arrival, now);
        }
        if (DatagramKinds.IsFeedback(header.Kind)) return RouteFeedback(header, body, arrival, now);
        RegionRecovery? region = _rooms.Recoverer.Find(header.ViewTag, header.ViewCounter);
        if (region is null) return RejectReason.UnknownView;
        int member = region.View.IndexOf(header.Sender);
        if (member < 0) return RejectReason.UnknownSender;
        if (!region.View.Members[member].MaySend(header.Kind, arrival)) return RejectReason.WrongSource;
        return header.Kind switch
        {
            DatagramKind.Token => region.OnToken(header, body, now),
            DatagramKind.TokenAck => region.OnTokenAck(header, body, now),
            _ => region.OnPull(header, body, now),
        };
    }

    private RejectReason RouteFeedback(
        in DatagramHeader header, ReadOnlySpan<byte> body, in Arrival arrival, Instant now)
    {
        StreamSender? stream = _rooms.Disseminator.FindStream(header.ViewTag, header.ViewCounter);
        if (stream is null) return RejectReason.UnknownView;
        int member = stream.View.IndexOf(header.Sender);
        if (member < 0) return RejectReason.UnknownSender;
        NodeInfo node = stream.View.Members[member];
        if (!node.MaySend(header.Kind, arrival)) return RejectReason.WrongSource;
        if (node.IsRemoved) return RejectReason.RemovedSender;
        if (header.Sequence != _rooms.SelfKey) return RejectReason.NeverSent;
        if (header.Kind == DatagramKind.Ack)
        {
            if (!AckBody.TryRead(body, stream.View.Members.Length, _behind, out AckBody ack))
            {
                return RejectReason.Malformed;
            }
            if (!_rooms.Disseminator.OnAck(stream, ack, now)) return RejectReason.NeverSent;
            _rooms.Lags.Note(stream.View, _behind, now);
            return RejectReason.None;
        }
        if (header.Kind == DatagramKind.CarrierWord)
        {
            if (!CarrierWordBody.TryRead(body, out CarrierWordBody word)) return RejectReason.Malformed;
            _rooms.Disseminator.OnCarrierWord(stream, member, word, now);
            return RejectReason.None;
        }
        if (!NakBody.TryRead(body, out NakBody nak)) return RejectReason.Malformed;
        return _rooms.Disseminator.OnNak(stream, nak, node, now) ? RejectReason.None : RejectReason.NeverSent;
    }

    /// <summary>
    /// Keeps a packet whose view may not be installed here yet. Packets that wait too long, or do not fit, are
    /// recovered like any loss.
    /// </summary>
    private RejectReason Park(
        in DatagramHeader header, in Arrival arrival, ReadOnlySpan<byte> datagram, Instant now)
    {
        bool hasRetired = _rooms.Views.HasRetired(header.ViewTag, header.ViewCounter);
        bool isKept = header.Kind == DatagramKind.Data || (_rooms.Keys is not null && IsKeptSealed(header.Kind));
        if (!isKept || hasRetired) return RejectReason.UnknownView;
        if (!_rooms.Unrecognised.TryAdd(header.ViewTag, header.ViewCounter, arrival, datagram, now))
        {
            return RejectReason.NoRoom;
        }
        _expiry.SetIfEarlier(_rooms.Unrecognised.NextExpiry);
        return RejectReason.None;
    }

    // What unsealed is taken, or kept by its room, although its view is not installed.
    private static bool IsKeptSealed(DatagramKind kind) =>
        kind is DatagramKind.Note or DatagramKind.LateralData or DatagramKind.TimedData;

    private void Replay(Slice datagram, Arrival arrival, Instant now) =>
        Walk(datagram.Span, default, arrival, now);

    private void Expire(Instant now)
    {
        _rooms.Unrecognised.Expire(now);
        if (_rooms.Unrecognised.NextExpiry != Instant.Never) _expiry.Set(_rooms.Unrecognised.NextExpiry);
    }
}
