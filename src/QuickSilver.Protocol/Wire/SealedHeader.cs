using System.Buffers.Binary;

namespace QuickSilver.Protocol.Wire;

/// <summary>
/// The header of a sealed datagram: that of <see cref="DatagramHeader"/>, in whose last eight bytes other fields stand
/// for the checksums. Little-endian.
/// <code>
/// off len field
///   2   1 version            of the protocol, and the high bit
///   6   2 total length       of the sealed datagram
///  40   4 gate               low half of SipHash-2-4 under the view's gate key of bytes 0..39, 44..47 and the tag
///  44   1 lane               SealLane
///  45   1 cipher             of a hybrid packet's text, SealCipher; 0 otherwise
///  46   2 writer             index in the view of the node that sealed it; 65,535: a sender that is no member; of a
///                           hybrid packet, which is of no view and has gate 0, the number of its regions
///  48     ciphertext         of the body
///     0/8 counter            of the writer in the lane, from 1; absent in the lane of data: there it is the sequence
///   16/32 tag                covers the header with gate 0, the ciphertext, and the counter; as long as the cipher's
///   86 a region, 16/32       of a hybrid packet: SealedRegion, and a tag of all regions
/// </code>
/// </summary>
internal readonly struct SealedHeader
{
    /// <summary>The writer's index of a sender that is no member of the view.</summary>
    public const ushort NoMember = ushort.MaxValue;

    /// <summary>Bytes of the shortest tag of a cipher.</summary>
    public const int LeastTagBytes = 16;

    /// <summary>Bytes of the longest tag of a cipher.</summary>
    public const int MostTagBytes = 32;

    /// <summary>Bytes of a counter.</summary>
    public const int CounterBytes = 8;

    /// <summary>The most by which a datagram of one view grows when it is sealed.</summary>
    public const int MostAdded = CounterBytes + MostTagBytes;

    /// <summary>Offset of the gate.</summary>
    public const int GateOffset = 40;

    /// <summary>Bytes of the gate.</summary>
    public const int GateBytes = 4;

    /// <summary>Offset of the lane.</summary>
    internal const int LaneOffset = 44;

    /// <summary>Offset of the cipher of a hybrid packet's text.</summary>
    internal const int CipherOffset = 45;

    /// <summary>Offset of the two bytes of the writer's index.</summary>
    internal const int WriterOffset = 46;

    private SealedHeader(SealLane lane, ushort writer, SealCipher cipher)
    {
        Lane = lane;
        Writer = writer;
        Cipher = cipher;
    }

    /// <summary>The lane; none for a kind that is not known here and may be ignored.</summary>
    public SealLane Lane { get; }

    /// <summary>Index in the view of the node that sealed the datagram.</summary>
    public ushort Writer { get; }

    /// <summary>The cipher of a hybrid packet's text; none otherwise: there it is that of the view.</summary>
    public SealCipher Cipher { get; }

    /// <summary>By how much a datagram grows in a lane.</summary>
    /// <param name="lane">The lane.</param>
    /// <param name="tagBytes">Bytes of a tag of the cipher.</param>
    public static int AddedBytes(SealLane lane, int tagBytes) =>
        lane == SealLane.Data ? tagBytes : CounterBytes + tagBytes;

    /// <summary>
    /// Reads the header of the first datagram in a read: magic, version, length and lane. Nothing is authenticated.
    /// Allocates nothing, never throws.
    /// </summary>
    /// <param name="read">The rest of a read.</param>
    /// <param name="versions">The versions that are read.</param>
    /// <param name="header">The fields that plain datagrams have, too.</param>
    /// <param name="fields">The fields that only sealed datagrams have.</param>
    public static RejectReason TryRead(
        ReadOnlySpan<byte> read, ProtocolVersions versions, out DatagramHeader header, out SealedHeader fields)
    {
        fields = default;
        RejectReason reason = DatagramHeader.TryReadFields(read, versions, DatagramHeader.SealedBit, out header);
        if (reason != RejectReason.None) return reason;
        SealLane lane = DatagramKinds.LaneOf(header.Kind);
        fields = new SealedHeader(lane, NoMember, SealCipher.None);
        if (lane == SealLane.None) return header.Ignorable ? RejectReason.None : RejectReason.UnknownKind;
        if (header.TotalLength < DatagramHeader.Length + AddedBytes(lane, LeastTagBytes))
            return RejectReason.WrongLength;
        var cipher = (SealCipher)read[CipherOffset];
        fields = new SealedHeader(lane, BinaryPrimitives.ReadUInt16LittleEndian(read[WriterOffset..]), cipher);
        bool isLane = (SealLane)read[LaneOffset] == lane;
        bool isCipher = lane == SealLane.Hybrid ? SealCiphers.IsKnown(cipher) : cipher == SealCipher.None;
        return isLane && isCipher ? RejectReason.None : RejectReason.NotAllowed;
    }

    /// <summary>
    /// Writes the header of a sealed datagram, with gate 0. Its fields are those of the datagram that is sealed.
    /// </summary>
    /// <param name="plain">The datagram.</param>
    /// <param name="sealing">Destination of the sealed datagram, of its length.</param>
    /// <param name="lane">Its lane.</param>
    /// <param name="writer">Index of this node in the view.</param>
    /// <param name="cipher">The cipher of a hybrid packet's text; none otherwise.</param>
    public static void Write(
        ReadOnlySpan<byte> plain,
        Span<byte> sealing,
        SealLane lane,
        ushort writer,
        SealCipher cipher = SealCipher.None)
    {
        plain[..GateOffset].CopyTo(sealing);
        sealing[DatagramHeader.VersionOffset] |= DatagramHeader.SealedBit;
        BinaryPrimitives.WriteUInt16LittleEndian(
            sealing[DatagramHeader.TotalLengthOffset..], (ushort)sealing.Length);
        BinaryPrimitives.WriteUInt32LittleEndian(sealing[GateOffset..], 0);
        sealing[LaneOffset] = (byte)lane;
        sealing[CipherOffset] = (byte)cipher;
        BinaryPrimitives.WriteUInt16LittleEndian(sealing[WriterOffset..], writer);
    }
}
