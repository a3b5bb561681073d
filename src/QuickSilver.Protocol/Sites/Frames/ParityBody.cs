using System.Numerics;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Frames;

/// <summary>
/// Body of a <see cref="LinkKind.Parity"/>: the exclusive or of the records of a set, which are packets with numbers in
/// a row. Who lacks one of them makes it from the others.
/// <code>
/// first    varint   the lowest link number of the set; at least 1
/// count    1 byte   packets in the set, 1 to 64
/// lengths  2 bytes  exclusive or of the records' lengths
/// parity   the rest: exclusive or of the records, each with zeros behind it up to the longest; at least a byte
/// </code>
/// It has no feedback: an end of an earlier version drops it, and would drop what is asked for with it.
/// </summary>
internal readonly ref struct ParityBody
{
    /// <summary>Limit on the packets of a set.</summary>
    public const int MostPackets = 64;

    /// <summary>The lowest link number of the set.</summary>
    public ulong First { get; init; }

    /// <summary>How many packets it has.</summary>
    public int Count { get; init; }

    /// <summary>Exclusive or of the records' lengths.</summary>
    public ushort Lengths { get; init; }

    /// <summary>Exclusive or of the records.</summary>
    public ReadOnlySpan<byte> Parity { get; init; }

    /// <summary>The highest link number of the set.</summary>
    public ulong Last => First + (ulong)Count - 1;

    /// <summary>Writes it.</summary>
    public void Write(ref WireWriter writer)
    {
        writer.WriteVarint(First);
        writer.WriteByte((byte)Count);
        writer.WriteUInt16(Lengths);
        writer.WriteBytes(Parity);
    }

    /// <summary>Reads a body; false when it is malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out ParityBody parity)
    {
        var reader = new WireReader(body);
        ulong first = reader.ReadVarint();
        int count = reader.ReadByte();
        ushort lengths = reader.ReadUInt16();
        ReadOnlySpan<byte> rest = reader.ReadBytes(reader.Remaining);
        parity = new ParityBody { First = first, Count = count, Lengths = lengths, Parity = rest };
        if (reader.Failed || first == 0 || count is < 1 or > MostPackets || rest.IsEmpty) return false;
        if (first > ulong.MaxValue - MostPackets || rest.Length > ushort.MaxValue) return false;
        // No length is above that of the parity, so no bit of theirs is either.
        uint bits = BitOperations.RoundUpToPowerOf2((uint)rest.Length + 1);
        return count == 1 ? lengths == rest.Length : lengths < bits;
    }
}
