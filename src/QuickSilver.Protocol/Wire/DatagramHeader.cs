using System.Buffers.Binary;

namespace QuickSilver.Protocol.Wire;

/// <summary>
/// The fixed header that begins every datagram. Little-endian throughout. In sealed datagrams other fields stand for
/// the checksums: see <see cref="SealedHeader"/>.
/// <code>
/// off len field
///   0   2 magic              0x5351 ("QS")
///   2   1 version            low seven bits: of the protocol, that of the view; high bit: sealed (SealedHeader)
///   3   1 kind               low seven bits a DatagramKind; high bit: may be ignored where the kind is unknown
///   4   2 flags              DatagramFlags
///   6   2 total length       header included; a read is split into datagrams by it
///   8   8 cluster instance   random, chosen by the first membership server
///  16   4 view tag           ViewNumber.Tag; 0 where no view is meant
///  20   4 view counter       ViewNumber.Counter
///  24   8 sender             NodeNumber.Key; for data, beacons and repairs the stream's sender, else the sending node
///  32   8 sequence           data and repairs: the packet's, below 2^48; beacons: the highest so far; feedback: key of
///                           the sender addressed; carrier probes: their number; else 0. In a repair from a peer the
///                           upper two bytes are that peer's index in the view
///  40   4 header checksum    CRC-32C of bytes 0..39 and 44..47, and for control kinds of the body too
///  44   4 payload checksum   CRC-32C of the body, if the flag is set; else 0. In a hybrid packet that of its list of
///                           regions, always
///  48     body
/// </code>
/// </summary>
internal struct DatagramHeader
{
    /// <summary>Bytes of a header.</summary>
    public const int Length = 48;

    /// <summary>Offset of the kind byte.</summary>
    public const int KindOffset = 3;

    /// <summary>Added to the version of a sealed datagram. A cluster is sealed, or it is not.</summary>
    public const byte SealedBit = 0x80;

    /// <summary>Bytes kept free in every size budget for sealing, which adds up to
    /// <see cref="SealedHeader.MostAdded"/>.</summary>
    public const int EncryptionReserve = 44;

    /// <summary>The longest datagram: the capacity of one kernel train.</summary>
    public const int MaxDatagram = 65_493;

    /// <summary>Offset of the two bytes of the total length.</summary>
    public const int TotalLengthOffset = 6;

    /// <summary>Offset of the version byte.</summary>
    internal const int VersionOffset = 2;

    private const ushort Magic = 0x5351;
    private const int FlagsOffset = 4;
    private const int ClusterOffset = 8;
    private const int ViewTagOffset = 16;
    private const int ViewCounterOffset = 20;
    private const int SenderOffset = 24;
    private const int SequenceOffset = 32;
    private const int RelayOffset = 38;
    private const int RelayShift = 48;
    private const int ChecksummedLength = 40;
    private const int HeaderChecksumOffset = 40;
    private const int PayloadChecksumOffset = 44;

    /// <summary>Makes a header of no kind.</summary>
    public DatagramHeader()
    {
    }

    /// <summary>
    /// The version of the protocol, that of the datagram's view; the oldest where no view is meant.
    /// </summary>
    public byte Version = ProtocolVersions.OldestSpoken;

    /// <summary>The kind of the datagram.</summary>
    public DatagramKind Kind;

    /// <summary>True when a node that does not know the kind may drop it without counting an error.</summary>
    public bool Ignorable;

    /// <summary>Flags.</summary>
    public DatagramFlags Flags;

    /// <summary>Length of the datagram in bytes, header included.</summary>
    public int TotalLength;

    /// <summary>The cluster instance.</summary>
    public ulong Cluster;

    /// <summary>Tag of the region view's number.</summary>
    public uint ViewTag;

    /// <summary>Counter of the region view's number.</summary>
    public uint ViewCounter;

    /// <summary><see cref="NodeNumber.Key"/> of the sender.</summary>
    public ulong Sender;

    /// <summary>
    /// Sequence number, where the kind has one; in feedback the <see cref="NodeNumber.Key"/> of the stream's sender.
    /// </summary>
    public ulong Sequence;

    /// <summary>Index in the view of the member that sends a repair from its cache; 0 in all other datagrams.</summary>
    public ushort Relay;

    /// <summary>
    /// Reads the header of the first datagram in <paramref name="read"/> and checks magic, version, length and header
    /// checksum, which covers the body of control kinds. Allocates nothing, never throws.
    /// </summary>
    /// <param name="read">The rest of a read: one or more datagrams.</param>
    /// <param name="versions">The versions that are read.</param>
    /// <param name="header">The header; meaningless unless the result is <see cref="RejectReason.None"/>, except that
    /// <see cref="TotalLength"/> is then set whenever it is plausible.</param>
    /// <returns><see cref="RejectReason.None"/>, or the reason to drop the datagram.</returns>
    public static RejectReason TryRead(ReadOnlySpan<byte> read, ProtocolVersions versions, out DatagramHeader header)
    {
        RejectReason reason = TryReadFields(read, versions, 0, out header);
        if (reason != RejectReason.None) return reason;
        ReadOnlySpan<byte> datagram = read[..header.TotalLength];
        uint expected = BinaryPrimitives.ReadUInt32LittleEndian(datagram[HeaderChecksumOffset..]);
        return HeaderChecksum(datagram, header.Kind) == expected ? RejectReason.None : RejectReason.HeaderChecksum;
    }

    /// <summary>Reads the number of the region view of a header that is known to be good.</summary>
    internal static void ReadView(ReadOnlySpan<byte> datagram, out uint tag, out uint counter)
    {
        tag = BinaryPrimitives.ReadUInt32LittleEndian(datagram[ViewTagOffset..]);
        counter = BinaryPrimitives.ReadUInt32LittleEndian(datagram[ViewCounterOffset..]);
    }

    /// <summary>Reads a datagram of any version: one of this node, or one whose version has been checked.</summary>
    public static RejectReason TryRead(ReadOnlySpan<byte> read, out DatagramHeader header) =>
        TryRead(read, ProtocolVersions.All, out header);

    /// <summary>Reads the fields that plain and sealed datagrams have, and checks magic, version and length.</summary>
    /// <param name="read">The rest of a read.</param>
    /// <param name="versions">The versions that are read.</param>
    /// <param name="sealedBit"><see cref="SealedBit"/> to read sealed datagrams, 0 to read others.</param>
    /// <param name="header">The fields.</param>
    internal static RejectReason TryReadFields(
        ReadOnlySpan<byte> read, ProtocolVersions versions, byte sealedBit, out DatagramHeader header)
    {
        header = default;
        if (read.Length < Length) return RejectReason.TooShort;
        if (BinaryPrimitives.ReadUInt16LittleEndian(read) != Magic) return RejectReason.WrongMagic;
        byte version = (byte)(read[VersionOffset] ^ sealedBit);
        if (!versions.Contains(version)) return RejectReason.WrongVersion;
        int total = BinaryPrimitives.ReadUInt16LittleEndian(read[TotalLengthOffset..]);
        if (total < Length || total > read.Length || total > MaxDatagram) return RejectReason.WrongLength;

        byte kind = read[KindOffset];
        header.Version = version;
        header.Kind = (DatagramKind)(kind & ~DatagramKinds.IgnorableBit);
        header.Ignorable = (kind & DatagramKinds.IgnorableBit) != 0;
        header.Flags = (DatagramFlags)BinaryPrimitives.ReadUInt16LittleEndian(read[FlagsOffset..]);
        header.TotalLength = total;
        header.Cluster = BinaryPrimitives.ReadUInt64LittleEndian(read[ClusterOffset..]);
        header.ViewTag = BinaryPrimitives.ReadUInt32LittleEndian(read[ViewTagOffset..]);
        header.ViewCounter = BinaryPrimitives.ReadUInt32LittleEndian(read[ViewCounterOffset..]);
        header.Sender = BinaryPrimitives.ReadUInt64LittleEndian(read[SenderOffset..]);
        header.Sequence = BinaryPrimitives.ReadUInt64LittleEndian(read[SequenceOffset..]);
        if (header.IsFromPeer)
        {
            header.Relay = (ushort)(header.Sequence >> RelayShift);
            header.Sequence &= (1UL << RelayShift) - 1;
        }
        return RejectReason.None;
    }

    /// <summary>True when the payload's checksum is filled in.</summary>
    public readonly bool HasPayloadChecksum => (Flags & DatagramFlags.PayloadChecksum) != 0;

    /// <summary>
    /// True when the payload needs no checksum or has the right one. Only for kinds that have one
    /// (<see cref="DatagramKinds.HasOwnChecksum"/>); of a hybrid packet the list of regions.
    /// </summary>
    public readonly bool PayloadIsIntact(ReadOnlySpan<byte> datagram) =>
        Kind == DatagramKind.Hybrid
            ? HybridPacket.ListIsIntact(datagram[..TotalLength])
            : !HasPayloadChecksum || Crc32C.Of(datagram[Length..TotalLength]) == PayloadChecksumOf(datagram);

    /// <summary>
    /// Writes the header over the first <see cref="Length"/> bytes of <paramref name="datagram"/>, whose body must
    /// already be in place, with the checksums that kind and flags require. <see cref="TotalLength"/> is taken from the
    /// span.
    /// </summary>
    public readonly void WriteTo(Span<byte> datagram)
    {
        WriteFields(datagram);
        bool isChecked = HasPayloadChecksum && DatagramKinds.HasOwnChecksum(Kind);
        uint payload = isChecked ? Crc32C.Of(datagram[Length..]) : 0;
        if (Kind == DatagramKind.Hybrid) payload = HybridPacket.ListChecksum(datagram);
        WriteChecksums(datagram, payload);
    }

    /// <summary>
    /// Like <see cref="WriteTo"/>, with a payload checksum that is known: the body of a packet from its sender, of
    /// which another copy was sent.
    /// </summary>
    internal readonly void WriteSealed(Span<byte> datagram, uint payloadChecksum)
    {
        WriteFields(datagram);
        WriteChecksums(datagram, payloadChecksum);
    }

    /// <summary>The payload checksum that stands in a datagram.</summary>
    internal static uint PayloadChecksumOf(ReadOnlySpan<byte> datagram) =>
        BinaryPrimitives.ReadUInt32LittleEndian(datagram[PayloadChecksumOffset..]);

    /// <summary>The flags that stand in a datagram.</summary>
    internal static DatagramFlags FlagsOf(ReadOnlySpan<byte> datagram) =>
        (DatagramFlags)BinaryPrimitives.ReadUInt16LittleEndian(datagram[FlagsOffset..]);

    /// <summary>
    /// How soon the sender of a packet, a note or a beacon wants feedback. A beacon follows a silence, after which
    /// feedback is due.
    /// </summary>
    public readonly FeedbackUrgency Urgency
    {
        get
        {
            if ((Flags & DatagramFlags.FeedbackWanted) != 0) return FeedbackUrgency.Immediate;
            bool isAwaited = Kind == DatagramKind.Beacon || (Flags & DatagramFlags.FeedbackAwaited) != 0;
            return isAwaited ? FeedbackUrgency.Normal : FeedbackUrgency.Low;
        }
    }

    /// <summary>True for a repair that a peer sends from its cache, not the stream's sender.</summary>
    public readonly bool IsFromPeer =>
        Kind is DatagramKind.Repair or DatagramKind.RepairNote or DatagramKind.RepairPart
        && (Flags & DatagramFlags.FromPeer) != 0;

    /// <summary>
    /// Turns the header of a packet that a repair note names into that of a repair, with the note's sender. The packet
    /// itself stays unchanged.
    /// </summary>
    public void BecomeRepair(in DatagramHeader note)
    {
        Kind = DatagramKind.Repair;
        Flags = (Flags & DatagramFlags.PayloadChecksum) | (note.Flags & DatagramFlags.FromPeer);
        Relay = note.Relay;
    }

    /// <summary>
    /// Turns a stored data datagram into a repair from its sender, in place: kind and flags change, the payload and its
    /// checksum stay as the sender made them.
    /// </summary>
    public static void MarkAsRepair(Span<byte> datagram) => MarkAsRepair(datagram, DatagramFlags.None);

    /// <summary>Turns a stored data datagram into a repair from a peer, in place.</summary>
    /// <param name="datagram">The datagram as its sender made it.</param>
    /// <param name="relay">The peer's index in the view: once the peer is removed, its repairs do not count.</param>
    public static void MarkAsPeerRepair(Span<byte> datagram, int relay)
    {
        BinaryPrimitives.WriteUInt16LittleEndian(datagram[RelayOffset..], (ushort)relay);
        MarkAsRepair(datagram, DatagramFlags.FromPeer);
    }

    private static void MarkAsRepair(Span<byte> datagram, DatagramFlags add)
    {
        datagram[KindOffset] = (byte)DatagramKind.Repair;
        var flags = (DatagramFlags)BinaryPrimitives.ReadUInt16LittleEndian(datagram[FlagsOffset..]);
        flags = (flags & (DatagramFlags.PayloadChecksum | DatagramFlags.Hybrid)) | add;
        BinaryPrimitives.WriteUInt16LittleEndian(datagram[FlagsOffset..], (ushort)flags);
        BinaryPrimitives.WriteUInt32LittleEndian(
            datagram[HeaderChecksumOffset..], HeaderChecksum(datagram, DatagramKind.Repair));
    }

    private readonly void WriteChecksums(Span<byte> datagram, uint payloadChecksum)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(datagram[PayloadChecksumOffset..], payloadChecksum);
        BinaryPrimitives.WriteUInt32LittleEndian(datagram[HeaderChecksumOffset..], HeaderChecksum(datagram, Kind));
    }

    private readonly void WriteFields(Span<byte> datagram)
    {
        BinaryPrimitives.WriteUInt16LittleEndian(datagram, Magic);
        datagram[VersionOffset] = Version;
        datagram[KindOffset] = (byte)((byte)Kind | (Ignorable ? DatagramKinds.IgnorableBit : 0));
        BinaryPrimitives.WriteUInt16LittleEndian(datagram[FlagsOffset..], (ushort)Flags);
        BinaryPrimitives.WriteUInt16LittleEndian(datagram[TotalLengthOffset..], (ushort)datagram.Length);
        BinaryPrimitives.WriteUInt64LittleEndian(datagram[ClusterOffset..], Cluster);
        BinaryPrimitives.WriteUInt32LittleEndian(datagram[ViewTagOffset..], ViewTag);
        BinaryPrimitives.WriteUInt32LittleEndian(datagram[ViewCounterOffset..], ViewCounter);
        BinaryPrimitives.WriteUInt64LittleEndian(datagram[SenderOffset..], Sender);
        BinaryPrimitives.WriteUInt64LittleEndian(
            datagram[SequenceOffset..], IsFromPeer ? Sequence | ((ulong)Relay << RelayShift) : Sequence);
    }

    // Covers the payload's checksum too, which ties the payload to this header: another packet's body is not accepted
    // as this one's.
    private static uint HeaderChecksum(ReadOnlySpan<byte> datagram, DatagramKind kind) =>
        Crc32C.Of(
            datagram[..ChecksummedLength],
            DatagramKinds.HasOwnChecksum(kind) || kind == DatagramKind.Hybrid
                ? datagram[PayloadChecksumOffset..Length]
                : datagram[PayloadChecksumOffset..]);
}
