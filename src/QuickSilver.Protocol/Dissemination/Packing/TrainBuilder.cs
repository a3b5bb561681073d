using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
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
/// A packet that is expected to be short and alone lies behind others of its kind (<see cref="PacketMemory"/>). The
/// length of a source's messages is not known before it is asked. Where it turns out to be more, the packet takes the
/// rest of the chunk, and the next train is an ordinary one.
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
    private readonly RegionView _view;
    private readonly StreamLending _lending;
    private readonly StreamMessages _messages;
    private readonly PendingPackets _pending;
    private readonly PacketSizes _sizes;
    private readonly PacketPacker _packer;
    private readonly PacketMemory _memory;
    private readonly SendAllowance _allowance;
    private readonly DatagramFlags _packetFlags;
    private int _lastCount = 1;
    // Before the first train any number of bytes is expected.
    private int _lastBytes = int.MaxValue;

    public TrainBuilder(
        OwnMessages own,
        StreamLending lending,
        StreamMessages messages,
        PendingPackets pending,
        PacketSizes sizes,
        PacketMemory memory)
    {
        _context = own.Context;
        _view = messages.View;
        _lending = lending;
        _messages = messages;
        _pending = pending;
        _sizes = sizes;
        _packetFlags = _context.Transport.Facts.ChecksumPayloads && !_context.Settings.IsSealed
            ? DatagramFlags.PayloadChecksum : DatagramFlags.None;
        _packer = new PacketPacker(own, _view, messages);
        _memory = memory;
        _allowance = messages.Allowance;
    }

    /// <summary>The most packets that a stream builds at once.</summary>
    public static int BurstOf(StreamLending lending, PacketSizes sizes) =>
        lending.IsPossible ? Math.Max(LentPackets, sizes.TrainDatagrams) : sizes.TrainDatagrams;

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
        PacketPlace place = ChoosePlace();
        int limit = _allowance.Packets(MostAt(place), now);
        if (limit == 0) return 0;
        place = Start(place, ref limit);
        int slot = place == PacketPlace.Lone ? Math.Min(_sizes.Slot, _memory.Lone.Remaining) : _sizes.Slot;
        var built = new Built { First = _pending.Highest + 1, IsFull = true };
        while (built.IsFull && built.Count < limit && _messages.HasWork && HasRoom(place, slot))
        {
            if (!TryAdd(ref built, place, slot, now)) break;
        }
        if (built.Count == 0) return 0;
        _lastCount = built.Count;
        _lastBytes = built.Bytes;
        if (place == PacketPlace.Lone)
        {
            _context.Settings.Probes.Reached(
                built.Bytes < ShortestLent
                    ? "a packet that should be short and alone is put behind another"
                    : "a packet that should be short and alone is long");
        }
        _allowance.OnTrain(built.Count, built.Charge, now);
        train = place == PacketPlace.Shared && (built.Count > 1 || built.Bytes >= ShortestLent)
            ? Lend(built, out segment)
            : Send(built, out segment);
        return built.Count;
    }

    /// <summary>How soon the next packet asks for feedback.</summary>
    public FeedbackUrgency PacketUrgency =>
        _allowance.IsHalfUsed || _messages.WaitsForStability ? FeedbackUrgency.Immediate
            : _messages.IsAwaited ? FeedbackUrgency.Normal : FeedbackUrgency.Low;

    /// <summary>Builds a beacon: the highest sequence so far, and whether it is the last.</summary>
    /// <returns>The datagram, with one reference.</returns>
    public Slice BuildBeacon(bool isFinal)
    {
        Slice datagram = _memory.At(PacketPlace.OnePiece).Take(DatagramHeader.Length);
        DatagramFlags flags = isFinal ? DatagramFlags.Final : DatagramFlags.None;
        WriteHeader(datagram, DatagramKind.Beacon, _pending.Highest, flags);
        return datagram;
    }

    /// <summary>Builds an offer of the memory that packets could be lent from.</summary>
    /// <returns>The datagram, with one reference.</returns>
    public Slice BuildOffer()
    {
        Slice datagram = _memory.Notes.Take(NoteBody.DatagramLength);
        _lending.WriteOffer(datagram.Span[DatagramHeader.Length..]);
        WriteHeader(datagram, DatagramKind.Note, _pending.Highest, DatagramFlags.None);
        return datagram;
    }

    // One packet for everything there is, too short to be lent, lies alone.
    private PacketPlace ChoosePlace()
    {
        bool isLone = ExpectsLone();
        bool isLent = _lending.IsOn();
        return isLone ? PacketPlace.Lone : isLent ? PacketPlace.Shared : PacketPlace.OnePiece;
    }

    // Sources are expected to have as much as last time.
    private bool ExpectsLone()
    {
        if (_sizes.Slot < LoneRoom) return false;
        RegionBuffer backlog = _messages.Backlog;
        long expected = backlog.Bytes + (backlog.Direct.Count > 0 ? _lastBytes : 0);
        return DatagramHeader.Length + PacketRecord.MaxOverhead + expected < ShortestLent;
    }

    private int MostAt(PacketPlace place) => place switch
    {
        PacketPlace.Lone => 1,
        PacketPlace.Shared => LentPackets,
        _ => _sizes.TrainDatagrams,
    };

    // Makes room for the first packet, and where packets must not be apart, for all that are expected.
    private PacketPlace Start(PacketPlace place, ref int limit)
    {
        if (place == PacketPlace.Lone)
        {
            _memory.StartInOnePiece(place, LoneRoom);
            return place;
        }
        // Lent packets need not be contiguous, but lie in a chunk that others read.
        if (place == PacketPlace.Shared && _memory.TryContinueShared(_sizes.Slot)) return place;
        limit = Math.Min(limit, _sizes.TrainDatagrams);
        _memory.StartInOnePiece(PacketPlace.OnePiece, Expected(limit) * _sizes.Slot);
        return PacketPlace.OnePiece;
    }

    // How much sources have is not known before they are asked: as much as last time is assumed.
    private long Expected(int limit)
    {
        RegionBuffer backlog = _messages.Backlog;
        long wanted = (backlog.Bytes / (_sizes.Slot - DatagramHeader.Length)) + 1;
        if (backlog.Direct.Count > 0) wanted = Math.Max(wanted, _lastCount);
        return Math.Min(wanted, limit);
    }

    private bool HasRoom(PacketPlace place, int slot) => place == PacketPlace.Shared
        ? _messages.Packed < LentMessages && _memory.TryContinueShared(_sizes.Slot)
        : _memory.At(place).Remaining >= slot;

    // Packs one packet; false when the window has no room for it, or there was nothing.
    private bool TryAdd(ref Built built, PacketPlace place, int slot, Instant now)
    {
        RegionBuffer backlog = _messages.Backlog;
        bool isLent = place == PacketPlace.Shared;
        int most = backlog.Direct.Count > 0
            ? slot
            : (int)Math.Min(slot, DatagramHeader.Length + PacketRecord.MaxOverhead + backlog.Bytes);
        if (!_allowance.Admits(Charge(built.Bytes + most, isLent, built.Charge) - built.Charge, now))
        {
            _context.Settings.Probes.Reached("the window keeps a sender back");
            return false;
        }
        Arena arena = _memory.At(place);
        Slice room = arena.Take(slot);
        int length = _packer.Pack(room, _pending.Highest + 1, now);
        Slice datagram = length == slot ? room : arena.Trim(room, length);
        if (length == 0)
        {
            datagram.Release();
            return false;
        }
        built.IsFull = length == slot;
        built.Bytes += length;
        int chargeBefore = built.Charge;
        built.Charge = Charge(built.Bytes, isLent, chargeBefore);
        _allowance.OnPacked(built.Charge - chargeBefore, now);
        WriteHeader(datagram, DatagramKind.Data, _pending.Highest + 1, _packetFlags);
        _pending.Add(new PendingPacket { Datagram = datagram, Charge = _allowance.TotalCharge, Sent = now });
        if (built.Count++ == 0) built.Start = datagram;
        return true;
    }

    // The charge of a train so far; it does not fall when the train turns out to be lent.
    private int Charge(int bytes, bool isLent, int before) =>
        Math.Max(
            before,
            isLent && bytes >= ShortestLent ? KernelCharge.OfLent(bytes) : KernelCharge.OfTrain(bytes, _sizes.Slot));

    private Slice Send(in Built built, out int segment)
    {
        _lending.OnSentTrain();
        Slice train = built.Start with { Length = built.Bytes };
        train.Retain();
        segment = built.Count > 1 ? _sizes.Slot : built.Bytes;
        return train;
    }

    private Slice Lend(in Built built, out int segment)
    {
        _context.Counters.PacketsLent += (ulong)built.Count;
        Slice notes = WriteNotes(built.First, built.Count);
        segment = notes.Length;
        return notes;
    }

    // One note of all packets, with one reference. All chunks are of this node's own segment.
    private Slice WriteNotes(ulong first, int count)
    {
        Slice notes = _memory.Notes.Take(NoteList.DatagramLength(count));
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
            Version = _view.Version,
            ViewTag = _view.Number.Tag,
            ViewCounter = _view.Number.Counter,
            Sender = _context.SelfKey,
            Sequence = sequence,
        };
        header.WriteTo(datagram.Span);
    }

    // A train while it is built: its first packet, and what all of them have.
    private struct Built
    {
        public ulong First;
        public Slice Start;
        public int Count;
        public int Bytes;
        public int Charge;
        public bool IsFull;
    }
}
