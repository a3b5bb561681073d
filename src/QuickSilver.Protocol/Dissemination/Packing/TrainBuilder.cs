using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Repairs;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Packing;

/// <summary>
/// Builds one stream's trains in the memory where they stay until they are stable. Packets of equal length lie one
/// after another in one piece of pooled memory, as many as backlog, rate and window allow. Each packet is weighed
/// against the window on its own, so a whole train never overruns a small share. See <see cref="SendAllowance"/>.
/// <para>
/// Where the packets are lent (<see cref="StreamLending"/>), each lies in a chunk that the members read, and the train
/// is one note of their places. A lone short packet is sent as it is: the note would cost as much. When no shared
/// chunk is free, packets are sent.
/// </para>
/// <para>
/// Where a full packet takes a chunk of its own, lone short packets would each take one too. Hundreds of chunks that
/// begin at the same offset of a page evict each other from the processor's caches. So packets that are expected to be
/// short and alone lie behind each other in chunks of their own. The length of a source's messages is not known before
/// it is asked. Where it turns out to be more, the packet takes the rest of the chunk, and the next train is an
/// ordinary one.
/// </para>
/// <para>
/// Allocates nothing in steady state.
/// </para>
/// </summary>
internal sealed class TrainBuilder
{
    // Limits of a train of lent packets. Longer trains save few calls, and readers begin later; so they do when many
    // small messages are packed.
    private const int LentPackets = 8;
    private const int LentMessages = 2048;

    // A shorter lone packet costs readers the same by a copy as by a note.
    private const int ShortestLent = 4 << 10;

    // The least room for a packet expected to be short and alone; full packets up to this length lie behind each other
    // anyway.
    private const int LoneRoom = ShortestLent + (1 << 10);

    private readonly SendContext _context;
    private readonly StreamSender _stream;
    private readonly StreamLending _lending;
    private readonly StreamMessages _messages;
    private readonly PendingPackets _pending;
    private readonly PacketPacker _packer;
    private readonly Arena _arena;
    private readonly Arena _lone;
    private readonly Arena _notes;
    private readonly SendAllowance _allowance;
    private readonly DatagramFlags _packetFlags;
    private int _slot;
    private int _lastCount = 1;
    // Before the first train any number of bytes is expected.
    private int _lastBytes = int.MaxValue;

    public TrainBuilder(
        SendContext context,
        StreamSender stream,
        StreamLending lending,
        StreamMessages messages,
        PendingPackets pending,
        long predecessorShare,
        Instant now)
    {
        TransportFacts facts = context.Transport.Facts;
        _context = context;
        _stream = stream;
        _lending = lending;
        _messages = messages;
        _pending = pending;
        _packetFlags = facts.ChecksumPayloads && !context.Settings.IsSealed
            ? DatagramFlags.PayloadChecksum : DatagramFlags.None;
        FitSlot();
        _packer = new PacketPacker(context, stream.View, messages);
        _arena = new Arena(context.Pool, BufferOwner.Pending, context.Transport.SharedMemory);
        _lone = new Arena(context.Pool, BufferOwner.Pending);
        _notes = new Arena(context.Pool, BufferOwner.Pending);
        int burst = lending.IsPossible ? Math.Max(LentPackets, TrainDatagrams) : TrainDatagrams;
        _allowance = new SendAllowance(context, stream, predecessorShare, burst, now);
    }

    /// <summary>The most datagrams in one of the stream's trains.</summary>
    public int TrainDatagrams { get; private set; }

    /// <summary>The longest datagram that is packed now.</summary>
    public int SlotBytes => _slot;

    /// <summary>What window and rate let the stream send.</summary>
    public SendAllowance Allowance => _allowance;

    /// <summary>
    /// Packs the next train from the backlog and the direct groups, and adds its packets to the pending ones.
    /// </summary>
    /// <param name="now">The present instant.</param>
    /// <param name="train">The train's bytes, with one reference of its own.</param>
    /// <param name="segment">Length of all its datagrams but the last.</param>
    /// <returns>Number of packets; 0 when the stream is blocked, or there was nothing.</returns>
    public int Build(Instant now, out Slice train, out int segment)
    {
        train = default;
        segment = 0;
        RegionBuffer backlog = _stream.Backlog;
        bool isLone = ExpectsLone(backlog);
        bool lends = _lending.IsOn() && !isLone;
        int limit = _allowance.Packets(isLone ? 1 : lends ? LentPackets : TrainDatagrams, now);
        if (limit == 0) return 0;
        Arena arena = isLone ? _lone : _arena;
        int slot = _slot;
        // Lent packets need not be contiguous, but lie in a chunk that others read.
        lends = lends && TryContinueShared();
        if (isLone)
        {
            if (arena.Remaining < LoneRoom) arena.StartChunk();
            slot = Math.Min(slot, arena.Remaining);
        }
        else if (!lends)
        {
            limit = Math.Min(limit, TrainDatagrams);
            StartInOnePiece(limit);
        }
        ulong first = _pending.Highest + 1;
        int count = 0, bytes = 0, charge = 0;
        bool isFull = true;
        while (isFull && count < limit && _stream.HasWork && (lends ? MayLendMore() : arena.Remaining >= slot))
        {
            int packetLimit = backlog.Direct.Count > 0
                ? slot
                : (int)Math.Min(slot, DatagramHeader.Length + PacketRecord.MaxOverhead + backlog.Bytes);
            int next = Charge(bytes + packetLimit, lends, charge) - charge;
            if (!_allowance.Admits(next, now))
            {
                _context.Settings.Probes.Reached("the window keeps a sender back");
                break;
            }
            Slice datagram = PackNext(arena, slot, now);
            if (datagram.Length == 0)
            {
                datagram.Release();
                break;
            }
            isFull = datagram.Length == slot;
            bytes += datagram.Length;
            int chargeBefore = charge;
            charge = Charge(bytes, lends, charge);
            _allowance.OnPacked(charge - chargeBefore, now);
            WriteHeader(datagram, DatagramKind.Data, _pending.Highest + 1, _packetFlags);
            _pending.Add(new PendingPacket { Datagram = datagram, Charge = _allowance.TotalCharge, Sent = now });
            if (count++ == 0) train = datagram;
        }
        if (count == 0) return 0;
        _lastCount = count;
        _lastBytes = bytes;
        if (isLone)
        {
            _context.Settings.Probes.Reached(
                bytes < ShortestLent
                    ? "a packet that should be short and alone is put behind another"
                    : "a packet that should be short and alone is long");
        }
        _allowance.OnTrain(count, charge, now);
        if (lends && (count > 1 || bytes >= ShortestLent))
        {
            _context.Counters.PacketsLent += (ulong)count;
            train = WriteNotes(first, count);
            segment = train.Length;
            return count;
        }
        _lending.OnSentTrain();
        train = train with { Length = bytes };
        train.Retain();
        segment = count > 1 ? _slot : bytes;
        return count;
    }

    /// <summary>How soon the next packet asks for feedback.</summary>
    public FeedbackUrgency PacketUrgency =>
        _allowance.IsHalfUsed || _stream.WaitsForStability ? FeedbackUrgency.Immediate
            : _stream.IsAwaited ? FeedbackUrgency.Normal : FeedbackUrgency.Low;

    /// <summary>Adds a hybrid packet to the pending ones.</summary>
    /// <param name="datagram">The hybrid datagram; the stream takes a reference of its own.</param>
    /// <param name="region">Position of the stream's region in it, from 1.</param>
    /// <param name="charge">Its charge.</param>
    /// <param name="isPaid">True when <see cref="SendAllowance.TryHold"/> has taken it from the rate.</param>
    /// <param name="now">The present instant.</param>
    public void AddHybrid(in Slice datagram, int region, int charge, bool isPaid, Instant now)
    {
        _allowance.OnPacked(charge, now);
        if (!isPaid) _allowance.OnTrain(1, charge, now);
        datagram.Retain();
        _pending.Add(new PendingPacket
        {
            Datagram = datagram,
            HybridRegion = (byte)region,
            Charge = _allowance.TotalCharge,
            Sent = now,
        });
    }

    /// <summary>
    /// A pending packet as the stream's own datagram; one that left in a hybrid packet is derived when it is first
    /// asked for.
    /// </summary>
    public Slice DatagramOf(ulong sequence)
    {
        ref PendingPacket packet = ref _pending[sequence];
        if (packet.HybridRegion == 0) return packet.Datagram;
        Slice place = _lone.Take(HybridPacket.LongestDerived(packet.Datagram.Length, isLongIndex: true));
        int length = HybridPacket.Derive(
            packet.Datagram.Span, packet.HybridRegion - 1, _stream.View.Number.Epoch, place.Span);
        System.Diagnostics.Debug.Assert(length > 0, "what was packed can be derived");
        packet.Datagram.Release();
        packet.Datagram = _lone.Trim(place, length);
        packet.HybridRegion = 0;
        return packet.Datagram;
    }

    /// <summary>Packs datagrams of a length that reaches all live members of the view from now on.</summary>
    public void FitSlot()
    {
        TransportFacts facts = _context.Transport.Facts;
        _slot = _context.Paths.LongestTo(_stream.View, _context.SelfKey, facts.SlotBytes);
        int limit = _slot < facts.SlotBytes && facts.TrainDatagrams > 1 ? Train.MaxDatagrams : facts.TrainDatagrams;
        int sealing = _context.Settings.IsSealed ? SealedHeader.MostAdded : 0;
        int fitting = Train.MaxBytes / (_slot + sealing);
        TrainDatagrams = Math.Clamp(Math.Min(limit, fitting), 1, Train.MaxDatagrams);
        // Longer packets have no lateral repairs, so they need no room.
        if (_slot > RegionBlock.MaxLength) return;
        _slot = Math.Max(Math.Min(_slot, PathLadder.Floor), _slot - _context.RepairRoom);
    }

    /// <summary>Builds a beacon: the highest sequence so far, and whether it is the last.</summary>
    /// <returns>The datagram, with one reference.</returns>
    public Slice BuildBeacon(bool isFinal)
    {
        Slice datagram = _arena.Take(DatagramHeader.Length);
        DatagramFlags flags = isFinal ? DatagramFlags.Final : DatagramFlags.None;
        WriteHeader(datagram, DatagramKind.Beacon, _pending.Highest, flags);
        return datagram;
    }

    /// <summary>Builds an offer of the memory that packets could be lent from.</summary>
    /// <returns>The datagram, with one reference.</returns>
    public Slice BuildOffer()
    {
        Slice datagram = _notes.Take(NoteBody.DatagramLength);
        _lending.WriteOffer(datagram.Span[DatagramHeader.Length..]);
        WriteHeader(datagram, DatagramKind.Note, _pending.Highest, DatagramFlags.None);
        return datagram;
    }

    /// <summary>Releases the memory kept for the next train.</summary>
    public void ReleaseSpare()
    {
        _arena.Close();
        _lone.Close();
        _notes.Close();
    }

    public void Close()
    {
        _allowance.Close();
        ReleaseSpare();
    }

    private Slice PackNext(Arena arena, int room, Instant now)
    {
        Slice slot = arena.Take(room);
        int length = _packer.Pack(slot, _pending.Highest + 1, now);
        return length == room ? slot : arena.Trim(slot, length);
    }

    // One packet for everything there is, too short to be lent: sources are expected to have as much as last time.
    private bool ExpectsLone(RegionBuffer backlog)
    {
        if (_slot < LoneRoom) return false;
        long expected = backlog.Bytes + (backlog.Direct.Count > 0 ? _lastBytes : 0);
        return DatagramHeader.Length + PacketRecord.MaxOverhead + expected < ShortestLent;
    }

    // The expected packets must fit into the rest of the chunk, or begin a new one. How much sources have is not known
    // before they are asked: as much as last time is assumed.
    private void StartInOnePiece(int limit)
    {
        RegionBuffer backlog = _stream.Backlog;
        long wanted = (backlog.Bytes / (_slot - DatagramHeader.Length)) + 1;
        if (backlog.Direct.Count > 0) wanted = Math.Max(wanted, _lastCount);
        if (_arena.Remaining < Math.Min(wanted, limit) * _slot) _arena.StartChunk();
    }

    // The charge of a train so far; it does not fall when the train turns out to be lent.
    private int Charge(int bytes, bool lends, int before) =>
        Math.Max(
            before,
            lends && bytes >= ShortestLent ? KernelCharge.OfLent(bytes) : KernelCharge.OfTrain(bytes, _slot));

    private bool MayLendMore() => _messages.Packed < LentMessages && TryContinueShared();

    private bool TryContinueShared()
    {
        if (_arena.IsShared && _arena.Remaining >= _slot) return true;
        _arena.StartChunk(shared: true);
        if (!_arena.IsShared) _context.Settings.Probes.Reached("no block of the segment is free");
        return _arena.IsShared;
    }

    // One note of all packets, with one reference. All chunks are of this node's own segment.
    private Slice WriteNotes(ulong first, int count)
    {
        Slice notes = _notes.Take(NoteList.DatagramLength(count));
        Span<byte> body = notes.Span[DatagramHeader.Length..];
        for (int index = 0; index < count; index++)
        {
            ulong sequence = first + (ulong)index;
            bool isShared = _context.Transport.SharedMemory!.TryLocate(_pending[sequence].Datagram, out NoteBody note);
            System.Diagnostics.Debug.Assert(isShared, "the chunk is read by others");
            NoteList.Write(body, index, note);
        }
        WriteHeader(notes, DatagramKind.Note, first, DatagramFlags.None);
        return notes;
    }

    private void WriteHeader(Slice datagram, DatagramKind kind, ulong sequence, DatagramFlags flags)
    {
        FeedbackUrgency urgency = PacketUrgency;
        if (urgency == FeedbackUrgency.Immediate) flags |= DatagramFlags.FeedbackWanted;
        else if (urgency == FeedbackUrgency.Normal) flags |= DatagramFlags.FeedbackAwaited;
        var header = new DatagramHeader
        {
            Kind = kind,
            Flags = flags,
            Cluster = _context.ClusterInstance,
            ViewTag = _stream.View.Number.Tag,
            ViewCounter = _stream.View.Number.Counter,
            Sender = _context.SelfKey,
            Sequence = sequence,
        };
        header.WriteTo(datagram.Span);
    }
}
