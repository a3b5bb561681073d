namespace QuickSilver.Protocol.Dissemination.Packing;

/// <summary>
/// The packets of one stream that are not yet stable, in a ring indexed by sequence number: found, added and released
/// in O(1), released as a prefix. The papers' sender scanned its whole table at each acknowledgement. Allocates only to
/// grow.
/// </summary>
internal sealed class PendingPackets
{
    private const int FirstCapacity = 16;

    private PendingPacket[] _ring = [];

    /// <summary>All packets up to here are released.</summary>
    public ulong Released { get; private set; }

    /// <summary>Sequence of the packet added last; equal to <see cref="Released"/> when there is none.</summary>
    public ulong Highest { get; private set; }

    public int Count => (int)(Highest - Released);

    public bool Contains(ulong sequence) => sequence > Released && sequence <= Highest;

    /// <summary>A packet in place; valid until the next <see cref="Add"/>.</summary>
    public ref PendingPacket this[ulong sequence]
    {
        get
        {
            System.Diagnostics.Debug.Assert(Contains(sequence), "not pending");
            return ref _ring[(int)(sequence & (ulong)(_ring.Length - 1))];
        }
    }

    /// <summary>Adds the next packet, whose reference to its datagram passes to the ring.</summary>
    public void Add(in PendingPacket packet)
    {
        if (Count == _ring.Length) Grow();
        Highest++;
        this[Highest] = packet;
    }

    /// <summary>Releases all packets up to a sequence.</summary>
    public void ReleaseTo(ulong sequence)
    {
        System.Diagnostics.Debug.Assert(sequence <= Highest, "never sent");
        while (Released < sequence)
        {
            ref PendingPacket packet = ref this[Released + 1];
            packet.Datagram.Release();
            packet = default;
            Released++;
        }
    }

    private void Grow()
    {
        PendingPacket[] old = _ring;
        var ring = new PendingPacket[Math.Max(FirstCapacity, old.Length * 2)];
        for (ulong sequence = Released + 1; sequence <= Highest; sequence++)
        {
            ring[(int)(sequence & (ulong)(ring.Length - 1))] = old[(int)(sequence & (ulong)(old.Length - 1))];
        }
        _ring = ring;
    }
}
