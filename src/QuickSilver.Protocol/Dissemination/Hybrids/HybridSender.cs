using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Hybrids;

/// <summary>
/// Sends one group's messages once for all regions that the group spans, by multicast to the group's own address.
/// <para>
/// Idea: a hybrid packet takes the next sequence of each region's stream, and is pending there like any other. So
/// window, rate, stability, repairs and the account of pending messages stay those of the streams. The packet leaves
/// when every region has room for it: the slowest paces it. Room in one is held until all have it, so that other
/// traffic of the regions cannot starve the group; the other groups of a region go on meanwhile.
/// </para>
/// <para>
/// Which regions take part is decided whenever nothing waits: those that multicast reaches whole, and that do not read
/// packets in this node's memory (<see cref="StreamSender.TakesHybrid"/>). None do while their views run several
/// versions of the protocol. The other regions of the group get ordinary
/// packets of their own. Fewer than two make no hybrid packet.
/// </para>
/// <para>
/// Awkward cases: a region that drops out, and all of them when the step changes, take the waiting messages into their
/// own buffers (<see cref="Spill"/>), from the byte on at which the last packet ended.
/// </para>
/// <para>
/// Cost: one copy of a message, O(regions) a packet. Allocates nothing in steady state. Core thread only. Source: first
/// paper, section 2.1 (hybrid mode).
/// </para>
/// </summary>
internal sealed class HybridSender : HybridWay, IFeed
{
    /// <summary>The most regions in a packet; the group's other regions get packets of their own.</summary>
    public const int MaxRegions = SealedRegion.Most;

    // The list of regions takes a quarter of the shortest packet at most, at the usual length of a header. With what
    // sealing adds for each region, it takes half.
    private const int UsualHeader = 32;

    private readonly HybridTable _table;
    private readonly SendContext _context;
    private readonly BindingLoop _loop;
    private readonly GroupInfo _group;
    private readonly HybridQueue _queue = new();
    private readonly HybridPacker _packer;
    private readonly Arena _arena;
    private HybridPart[] _parts = [];
    private StreamSender[] _streams = [];
    private Route? _route;
    private IRegionChannel? _channel;
    private Slice _inHand;
    private int _count;
    private int _heldRoom;
    private bool _isRegistered;
    private bool _isOpen;
    private bool _isOfOneVersion;

    public HybridSender(HybridTable table, GroupInfo group)
    {
        _table = table;
        _context = table.Context.Send;
        _loop = table.Context.Loop;
        _group = group;
        _packer = new HybridPacker(table.Context.Own, _queue);
        _arena = new Arena(_context.Pool, BufferOwner.Pending);
    }

    /// <inheritdoc/>
    public override bool IsEmpty => _queue.IsEmpty;

    /// <inheritdoc/>
    public override RegionBuffer Line => _queue.Line;

    private Span<HybridPart> Parts => _parts.AsSpan(0, _count);

    /// <inheritdoc/>
    public override bool TryChoose(Route route, ReadOnlySpan<int> groupIndexes)
    {
        if (!_queue.IsEmpty) return true;
        while (_count > 0) Remove(_count - 1);
        if (!_isOpen) Open();
        if (_channel is null) return false;
        if (_parts.Length < Math.Min(route.Count, MaxRegions)) _parts = new HybridPart[route.Count];
        StreamSender[] streams = StreamsOf(route);
        if (!_isOfOneVersion) return false;
        int most = MaxRegions;
        for (int index = 0; index < route.Count && _count < most; index++)
        {
            StreamSender stream = streams[index];
            if (!stream.TakesHybrid) continue;
            most = Math.Min(most, MostRegions(stream.SlotBytes));
            if (_count >= most) break;
            _parts[_count++] = new HybridPart(stream, groupIndexes[index]);
        }
        if (_count < 2) _count = 0;
        foreach (ref HybridPart part in Parts) part.Stream.Hybrids.Add(this);
        return _count > 0;
    }

    /// <inheritdoc/>
    public override bool Has(StreamMessages stream)
    {
        foreach (ref HybridPart part in Parts)
        {
            if (part.Messages == stream) return true;
        }
        return false;
    }

    /// <inheritdoc/>
    public override void Append(OutgoingMessage message)
    {
        _queue.Add(message);
        OnUnblocked();
    }

    /// <inheritdoc/>
    public override bool Holds(GroupLedger group, SendTicket? ticket) => _queue.Holds(group, ticket);

    /// <inheritdoc/>
    public override void OnUnblocked()
    {
        if (_isRegistered || _queue.IsEmpty || _context.IsClosed) return;
        _isRegistered = true;
        _context.Roots.Register(this, PriorityClass.Data);
    }

    /// <inheritdoc/>
    public bool TryPull(Instant now, out Train train)
    {
        _inHand.Release();
        _inHand = default;
        train = default;
        bool waits = false;
        while (!waits && !_queue.IsEmpty && !_context.IsClosed)
        {
            _loop.Enter();
            SpillUnfit();
            bool isMade = false;
            if (_count > 0 && HoldAll(now)) isMade = TryMake(now, out train);
            else waits = _count > 0;
            _loop.Leave(now);
            if (isMade) return true;
        }
        _isRegistered = false;
        if (_queue.IsEmpty) _arena.Close();
        return false;
    }

    /// <summary>
    /// Gives the waiting messages to the streams that take part, as ordinary messages of theirs: the step changes.
    /// </summary>
    public void SpillAll()
    {
        for (int index = _count - 1; index >= 0; index--) Spill(index);
        _queue.Clear();
        Line.FallsToLowMark();
    }

    /// <inheritdoc/>
    public override void OnGivenUp(StreamMessages stream, Instant now)
    {
        for (int index = _count - 1; index >= 0; index--)
        {
            if (_parts[index].Messages != stream) continue;
            Remove(index);
            _queue.DropFor(stream, now);
        }
        if (_count == 0) _queue.Clear();
        Relieve();
    }

    /// <inheritdoc/>
    public override void Close()
    {
        SpillAll();
        _context.Roots.DropKept(this);
        _inHand.Release();
        _inHand = default;
        _arena.Close();
        if (_channel is not null) _context.Transport.Close(_channel, receive: false);
        _channel = null;
        _isOpen = false;
        _table.Remove(this);
    }

    // A route goes to the same streams as long as it lives: they are looked up once.
    private StreamSender[] StreamsOf(Route route)
    {
        if (_route == route) return _streams;
        var streams = new StreamSender[route.Count];
        for (int index = 0; index < streams.Length; index++)
            streams[index] = _table.StreamOf(route.StreamAt(index).View);
        // All members of the group listen at its address, those of views of an older version, too.
        _isOfOneVersion = true;
        foreach (StreamSender stream in streams) _isOfOneVersion &= stream.View.Version == streams[0].View.Version;
        _route = route;
        return _streams = streams;
    }

    private void Open()
    {
        _isOpen = true;
        _channel = _context.Transport.Open(_group.Address, receive: false);
    }

    // A region that cannot take part any more takes the messages; a single region needs no group address.
    private void SpillUnfit()
    {
        for (int index = _count - 1; index >= 0; index--)
        {
            if (_parts[index].Stream.TakesHybrid) continue;
            _context.Settings.Probes.Reached("a region drops out of a group's hybrid packets");
            Spill(index);
        }
        if (_count == 1) Spill(0);
        if (_count == 0) _queue.Clear();
        Relieve();
    }

    // Lanes that waited for room may go on.
    private void Relieve()
    {
        if (Line.FallsToLowMark()) _loop.Wake(Line);
    }

    private void Spill(int index)
    {
        HybridPart part = _parts[index];
        Remove(index);
        _context.Counters.HybridFallbacks += (ulong)_queue.Count;
        _queue.SpillTo(part);
    }

    private void Remove(int index)
    {
        ref HybridPart part = ref _parts[index];
        part.Stream.Hybrids.Remove(this);
        part.Messages.Allowance.FreeHeld(part.Held);
        _parts[index] = _parts[--_count];
        _parts[_count] = default;
        if (_count == 0) _heldRoom = 0;
    }

    // Room for one packet is held in each stream; those that have none call when they have.
    private bool HoldAll(Instant now)
    {
        int slot = Slot();
        if (_heldRoom == 0) _heldRoom = (int)Math.Min(slot, _packer.Wanted(_count));
        int charge = KernelCharge.OfDatagram(_heldRoom + Sealing);
        bool all = true;
        foreach (ref HybridPart part in Parts)
        {
            if (part.Held > 0) continue;
            if (part.Messages.Allowance.TryHold(charge, now)) part.Held = charge;
            else all = false;
        }
        if (!all) _context.Settings.Probes.Reached("a hybrid packet waits for room in a region");
        return all;
    }

    private bool TryMake(Instant now, out Train train)
    {
        int slot = Slot();
        int most = MostInTrain(slot);
        StartInOnePiece(slot, most);
        int count = 0, bytes = 0;
        uint messages = 0;
        bool isFull = true;
        while (isFull && count < most && !_queue.IsEmpty)
        {
            int room = (int)Math.Min(slot, _packer.Wanted(_count));
            if (count == 0) room = FitHeld(Math.Min(room, _arena.Remaining), now);
            else if (_arena.Remaining < room || !HaveRoom(bytes + room, slot, now)) break;
            Slice datagram = _arena.Take(room);
            int length = _packer.Pack(datagram, Parts);
            datagram = _arena.Trim(datagram, length);
            isFull = length == slot;
            bytes += length;
            Add(datagram, ChargeOf(bytes, slot), isPaid: count == 0, now);
            if (count++ == 0) _inHand = datagram;
            else datagram.Release();
            messages += (uint)_packer.FinishedCount;
            _packer.Settle(datagram, Parts, now);
        }
        foreach (ref HybridPart part in Parts)
        {
            part.Charge = 0;
            part.Stream.Hybrids.OnSent(now);
        }
        Relieve();
        Count(count, messages);
        _inHand = _inHand with { Length = bytes };
        train = new Train(_inHand.Memory, count > 1 ? slot : bytes, TrainRoute.Region, default, _channel);
        return true;
    }

    // The packet takes the place in each stream that was held for it.
    private void Add(in Slice datagram, int charge, bool isPaid, Instant now)
    {
        int region = 0;
        foreach (ref HybridPart part in Parts)
        {
            part.Messages.Allowance.FreeHeld(part.Held);
            part.Held = 0;
            part.Stream.Hybrids.AddPacket(datagram, ++region, Math.Max(0, charge - part.Charge), isPaid, now);
            part.Charge = Math.Max(part.Charge, charge);
        }
        _heldRoom = 0;
    }

    private void Count(int packets, uint messages)
    {
        DisseminationCounters counters = _context.Counters;
        counters.PacketsSent += (ulong)packets;
        counters.HybridPackets += (ulong)packets;
        counters.DataDatagrams += (ulong)packets;
        counters.MessageCopies += messages;
    }

    // The expected packets must fit into the rest of the chunk, or begin a new one.
    private void StartInOnePiece(int slot, int most)
    {
        long wanted = _packer.Wanted(_count);
        long packets = Math.Min(most, (wanted / (slot - HybridPacket.RegionsOffset - ListBytes())) + 1);
        long needed = packets == 1 ? Math.Min(slot, wanted) : packets * slot;
        if (_arena.Remaining < needed) _arena.StartChunk();
    }

    // More has come since the room was held: the packet grows if every region has room for that.
    private int FitHeld(int room, Instant now)
    {
        if (room <= _heldRoom) return room;
        int more = KernelCharge.OfDatagram(room + Sealing) - KernelCharge.OfDatagram(_heldRoom + Sealing);
        foreach (ref HybridPart part in Parts)
        {
            if (!part.Messages.Allowance.HasRoom(more, 0, now)) return _heldRoom;
        }
        return room;
    }

    private bool HaveRoom(int bytes, int slot, Instant now)
    {
        int charge = ChargeOf(bytes, slot);
        foreach (ref HybridPart part in Parts)
        {
            if (!part.Messages.Allowance.HasRoom(charge - part.Charge, 1, now)) return false;
        }
        return true;
    }

    private int ListBytes() => _count * HybridRegion.MaxLength;

    // The longest datagram that reaches all members of all regions.
    private int Slot()
    {
        int slot = int.MaxValue;
        foreach (ref HybridPart part in Parts) slot = Math.Min(slot, part.Stream.SlotBytes);
        return slot - Sealing;
    }

    // Bytes by which a datagram of several regions grows when it is sealed, more than one of a region does.
    private int Sealing => _context.Settings.IsSealed ? SharedSealing.MostAdded(_count) : 0;

    private int MostRegions(int slot) => _context.Settings.IsSealed
        ? slot / 2 / (UsualHeader + SealedRegion.Length)
        : slot / 4 / UsualHeader;

    private int ChargeOf(int bytes, int slot) =>
        KernelCharge.OfTrain(bytes + ((bytes + slot - 1) / slot * Sealing), slot + Sealing);

    private int MostInTrain(int slot)
    {
        int added = _context.Settings.IsSealed ? Sealing + SealedHeader.MostAdded : 0;
        int most = Math.Max(1, Train.MaxBytes / (slot + added));
        foreach (ref HybridPart part in Parts) most = Math.Min(most, part.Stream.TrainDatagrams);
        return most;
    }
}
