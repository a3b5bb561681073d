using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Frames;

/// <summary>
/// The fixed header of every datagram of a link. Little-endian. Sealing is below it: a link's datagram is the text of a
/// sealed one.
/// <code>
/// off len field
///   0   2 magic       0x4C51 ("QL")
///   2   1 version     1
///   3   1 kind        a LinkKind
///   4   8 own epoch   drawn by the sender for each connection; never 0
///  12   8 peer epoch  the receiver's, as the sender knows it; 0 where it knows none, in a hello alone
///  20     body
/// </code>
/// </summary>
/// <param name="Kind">What the datagram is.</param>
/// <param name="Own">The sender's epoch.</param>
/// <param name="Peer">The receiver's epoch.</param>
internal readonly record struct LinkHeader(LinkKind Kind, ulong Own, ulong Peer)
{
    /// <summary>Bytes of a header.</summary>
    public const int Length = 20;

    /// <summary>Where the kind is.</summary>
    public const int KindAt = 3;

    /// <summary>The version that this build speaks.</summary>
    public const byte Version = 1;

    private const ushort Magic = 0x4C51;

    /// <summary>Writes it.</summary>
    public void Write(ref WireWriter writer)
    {
        writer.WriteUInt16(Magic);
        writer.WriteByte(Version);
        writer.WriteByte((byte)Kind);
        writer.WriteUInt64(Own);
        writer.WriteUInt64(Peer);
    }

    /// <summary>Reads and checks a header.</summary>
    /// <returns>Why it is refused; <see cref="RejectReason.None"/> when it is not.</returns>
    public static RejectReason TryRead(ReadOnlySpan<byte> datagram, out LinkHeader header)
    {
        header = default;
        if (datagram.Length < Length) return RejectReason.TooShort;
        var reader = new WireReader(datagram);
        if (reader.ReadUInt16() != Magic) return RejectReason.WrongMagic;
        if (reader.ReadByte() != Version) return RejectReason.WrongVersion;
        var kind = (LinkKind)reader.ReadByte();
        header = new LinkHeader(kind, reader.ReadUInt64(), reader.ReadUInt64());
        if (kind is < LinkKind.Hello or > LinkKind.Parity) return RejectReason.UnknownKind;
        bool isComplete = header.Own != 0 && (header.Peer != 0 || kind == LinkKind.Hello);
        return isComplete ? RejectReason.None : RejectReason.Malformed;
    }
}
