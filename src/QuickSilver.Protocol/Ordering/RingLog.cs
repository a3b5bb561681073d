using System.Diagnostics;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Ordering;

/// <summary>
/// The packets of one ring that this node holds, by their place in the order. What every member holds and this node has
/// delivered is forgotten from below. O(1) a packet; memory for <see cref="Capacity"/> places from the first packet on,
/// packets besides.
/// </summary>
/// <param name="counters">Counts what is held.</param>
/// <param name="spare">Places of rings that are over, for those that follow.</param>
internal sealed class RingLog(OrderedCounters counters, Stack<RingPacket[]> spare)
{
    // A change of the members comes seldom before the last but one is done with.
    private const int MostSpare = 2;

    /// <summary>Places above <see cref="Forgotten"/> that packets may have.</summary>
    public const int Capacity = 2048;

    private RingPacket[] _packets = [];

    /// <summary>Packets up to this are forgotten: every member holds them.</summary>
    public ulong Forgotten { get; private set; }

    /// <summary>This node holds, or has forgotten, all packets up to this.</summary>
    public ulong UpTo { get; private set; }

    /// <summary>The highest packet held; 0: none ever.</summary>
    public ulong Highest { get; private set; }

    /// <summary>True when a packet is held or was forgotten.</summary>
    public bool Has(ulong sequence) => sequence <= UpTo || Keeps(sequence);

    /// <summary>True when the bytes of a packet are here.</summary>
    public bool Keeps(ulong sequence) =>
        sequence > Forgotten && sequence - Forgotten <= Capacity && _packets.Length > 0
        && _packets[sequence % Capacity] is { Bytes.IsEmpty: false } packet && packet.Sequence == sequence;

    /// <summary>True when a packet of this place can be added.</summary>
    public bool HasRoomFor(ulong sequence) => sequence > Forgotten && sequence - Forgotten <= Capacity;

    /// <summary>A packet that is kept.</summary>
    public ref readonly RingPacket this[ulong sequence]
    {
        get
        {
            Debug.Assert(Keeps(sequence), "the packet is kept");
            return ref _packets[sequence % Capacity];
        }
    }

    /// <summary>Adds a packet that is not here; the log takes the caller's reference to its bytes.</summary>
    public void Add(in RingPacket packet)
    {
        Debug.Assert(HasRoomFor(packet.Sequence) && !Has(packet.Sequence), "a packet is added once, within the places");
        if (_packets.Length == 0 && !spare.TryPop(out _packets!)) _packets = new RingPacket[Capacity];
        _packets[packet.Sequence % Capacity] = packet;
        counters.PacketsHeld++;
        if (packet.Sequence > Highest) Highest = packet.Sequence;
        while (Keeps(UpTo + 1)) UpTo++;
    }

    /// <summary>Forgets packets up to a place.</summary>
    public void Forget(ulong upTo)
    {
        Debug.Assert(upTo <= UpTo, "what is forgotten was here");
        while (Forgotten < upTo) Release(++Forgotten);
    }

    /// <summary>Adds the ranges of missing packets up to a place.</summary>
    public void AddMissing(ulong upTo, int most, List<SequenceRange> missing)
    {
        for (ulong sequence = UpTo + 1; sequence <= upTo && most > 0; sequence++)
        {
            if (Keeps(sequence)) continue;
            ulong start = sequence;
            while (sequence <= upTo && !Keeps(sequence)) sequence++;
            missing.Add(new SequenceRange(start, sequence));
            most--;
        }
    }

    /// <summary>Releases all packets.</summary>
    public void Close()
    {
        for (ulong sequence = Forgotten + 1; sequence <= Highest; sequence++) Release(sequence);
        Forgotten = UpTo = Highest;
        if (_packets.Length > 0 && spare.Count < MostSpare) spare.Push(_packets);
        _packets = [];
    }

    private void Release(ulong sequence)
    {
        ref RingPacket packet = ref _packets[sequence % Capacity];
        if (packet.Sequence != sequence || packet.Bytes.IsEmpty) return;
        packet.Bytes.Release();
        packet = default;
        counters.PacketsHeld--;
    }
}
