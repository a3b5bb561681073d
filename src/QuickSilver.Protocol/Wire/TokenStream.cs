namespace QuickSilver.Protocol.Wire;

/// <summary>
/// A token's record of one stream. Sequences are written as differences from <see cref="Cleanup"/>, which is close to
/// all of them.
/// <code>
/// sender      8 bytes  NodeNumber.Key
/// cleanup     varint   every live member held all packets up to here a round ago: caches may forget them
/// cutoff      signed   up to here packets may be called missing
/// highest     signed   highest sequence that any visited member has seen
/// contiguous  signed   smallest contiguous sequence among the visited
/// read        varint   0: unknown; else slowest read position among the visited minus cleanup, zigzag, plus 1
/// drops       varint   datagrams that the visited members' kernels dropped since the round before
/// detail      1 byte   0: no more follows; 1: the partitions follow; 2: the sender is removed; 3: the sender is
///                      removed, and the missing packets follow; 6: the sender is removed, and its stream closed at
///                      highest
///   (1) held      signed*  per partition: all its members hold all its packets up to here
///   (1) place     varint   smallest contiguous place among the visited members of the partition being walked
///   (1) previous  TokenRangeList  the packets that the member before misses
///   (1) common    TokenRangeList  the packets that all visited members of the partition miss
///   (3) missing   OrphanRangeList  the missing packets of the removed sender's stream, and their holders
/// </code>
/// Reused from round to round.
/// </summary>
internal sealed class TokenStream
{
    /// <summary>The shortest record; a count of streams is checked against it before records are made.</summary>
    internal const int MinLength = 8 + 6 + 1;

    private const byte DetailFlag = 1;
    private const byte OrphanFlag = 2;
    private const byte ClosedFlag = 4;

    private ulong[] _held = [];

    /// <summary><see cref="NodeNumber.Key"/> of the stream's sender.</summary>
    public ulong Sender { get; set; }

    /// <summary>Caches may forget packets up to here.</summary>
    public ulong Cleanup { get; set; }

    /// <summary>Up to here packets may be called missing.</summary>
    public ulong Cutoff { get; set; }

    /// <summary>Highest sequence seen by any visited member.</summary>
    public ulong Highest { get; set; }

    /// <summary>Smallest contiguous sequence among the visited.</summary>
    public ulong Contiguous { get; set; }

    /// <summary>Slowest read position among the visited; null: none has reported one.</summary>
    public ulong? ReadPosition { get; set; }

    /// <summary>Datagrams dropped by the visited members' kernels since the round before.</summary>
    public ulong Drops { get; set; }

    /// <summary>
    /// True when the partitions' part is present, or, for a removed sender's stream, <see cref="Missing"/>.
    /// </summary>
    public bool HasDetail { get; set; }

    /// <summary>True when the sender is removed from the cluster.</summary>
    public bool IsOrphan { get; private set; }

    /// <summary>
    /// True when a removed sender's stream is closed: every live member holds all its remaining packets, up to
    /// <see cref="Highest"/>.
    /// </summary>
    public bool IsClosed { get; private set; }

    /// <summary>The packets of a removed sender's stream that members miss.</summary>
    public OrphanRangeList Missing { get; } = new();

    /// <summary>Smallest contiguous place among the visited members of the partition being walked.</summary>
    public ulong Place { get; set; }

    /// <summary>The packets of the partition being walked that the member before misses.</summary>
    public TokenRangeList Previous { get; } = new();

    /// <summary>The packets that all visited members of the partition being walked miss.</summary>
    public TokenRangeList Common { get; } = new();

    /// <summary>Per partition: all its members hold all its packets up to here.</summary>
    public Span<ulong> Held => _held;

    /// <summary>Resets the record for a stream.</summary>
    public void Reset(ulong sender, int partitions)
    {
        if (_held.Length != partitions) _held = new ulong[partitions];
        Array.Clear(_held);
        Sender = sender;
        Cleanup = Cutoff = Highest = Contiguous = Drops = Place = 0;
        ReadPosition = null;
        HasDetail = IsOrphan = IsClosed = false;
        Previous.Clear();
        Common.Clear();
        Missing.Clear();
    }

    /// <summary>
    /// Marks the sender as removed: from here on the record lists the missing packets of its stream instead of
    /// partitions.
    /// </summary>
    public void Orphan()
    {
        if (IsOrphan) return;
        IsOrphan = true;
        HasDetail = true;
        ReadPosition = null;
    }

    /// <summary>Marks the removed sender's stream as closed.</summary>
    public void Close(ulong highest)
    {
        IsOrphan = true;
        IsClosed = true;
        HasDetail = false;
        ReadPosition = null;
        Highest = highest;
        // Members visited before may have known of packets that nobody holds.
        Contiguous = Math.Min(Contiguous, highest);
    }

    internal void WriteTo(ref WireWriter writer)
    {
        writer.WriteUInt64(Sender);
        writer.WriteVarint(Cleanup);
        writer.WriteSignedVarint((long)(Cutoff - Cleanup));
        writer.WriteSignedVarint((long)(Highest - Cleanup));
        writer.WriteSignedVarint((long)(Contiguous - Cleanup));
        if (ReadPosition is { } readPosition) writer.WriteVarint(Zigzag.Encode((long)(readPosition - Cleanup)) + 1);
        else writer.WriteVarint(0);
        writer.WriteVarint(Drops);
        int detail = (HasDetail ? DetailFlag : 0) | (IsOrphan ? OrphanFlag : 0) | (IsClosed ? ClosedFlag : 0);
        writer.WriteByte((byte)detail);
        if (!HasDetail) return;
        if (IsOrphan)
        {
            Missing.WriteTo(ref writer);
            return;
        }
        foreach (ulong held in _held) writer.WriteSignedVarint((long)(held - Cleanup));
        writer.WriteVarint(Place);
        Previous.WriteTo(ref writer);
        Common.WriteTo(ref writer);
    }

    internal void ReadFrom(ref WireReader reader, int members, int partitions)
    {
        Reset(reader.ReadUInt64(), partitions);
        Cleanup = reader.ReadVarint(long.MaxValue);
        Cutoff = Near(ref reader);
        Highest = Near(ref reader);
        Contiguous = Near(ref reader);
        // A packet that every member holds has been seen: loops over sequences rely on it.
        if (Highest < Cleanup || Highest < Contiguous) reader.Fail();
        ulong readPosition = reader.ReadVarint();
        if (readPosition != 0) ReadPosition = Shift(ref reader, Zigzag.Decode(readPosition - 1));
        Drops = reader.ReadVarint();
        byte detail = reader.ReadByte();
        bool isKnown = detail
            is 0 or DetailFlag or OrphanFlag or (OrphanFlag | DetailFlag) or (OrphanFlag | ClosedFlag);
        if (!isKnown) reader.Fail();
        HasDetail = (detail & DetailFlag) != 0;
        IsOrphan = (detail & OrphanFlag) != 0;
        IsClosed = (detail & ClosedFlag) != 0;
        if (!HasDetail) return;
        if (IsOrphan)
        {
            Missing.ReadFrom(ref reader, members);
            if (Missing.Count > 0 && Missing[Missing.Count - 1].End - 1 > Highest) reader.Fail();
            return;
        }
        for (int index = 0; index < partitions; index++) _held[index] = Near(ref reader);
        Place = reader.ReadVarint();
        Previous.ReadFrom(ref reader);
        Common.ReadFrom(ref reader);
    }

    private ulong Near(ref WireReader reader) => Shift(ref reader, reader.ReadSignedVarint());

    private ulong Shift(ref WireReader reader, long difference)
    {
        long sum = unchecked((long)Cleanup + difference);
        if (sum >= 0 && (difference < 0 || sum >= (long)Cleanup)) return (ulong)sum;
        reader.Fail();
        return 0;
    }
}
