using System.Buffers.Binary;

namespace QuickSilver.Protocol.Wire;

/// <summary>
/// The protected part of a packet of a lateral group: what repairs combine. Length and checksum lie inside, so a packet
/// that is rebuilt from a repair is cut to its length, and one that is rebuilt wrong is recognised.
/// <code>
/// off len field
///   0   4 checksum     CRC-32C of the id and of everything from byte 4 to the end of the content
///   4   2 length       bytes of the content
///   6     content:
///         term         varint   term of the step in which the message was sent
///         step         varint   counter of the step
///         back         varint   the message's number less that of the sender's first in that step
///         before       varint   0: the group's first message ever came in that step; else one more than the term of
///                               the step of the message before that first one
///         before step  varint   counter of that step, only if there is one
///         fragments    varint   how many the message has, only in a fragment
///         bytes                 the message, or the fragment
/// </code>
/// In a combination each block is followed by zeros, up to the longest.
/// </summary>
internal readonly ref struct LateralBlock
{
    /// <summary>Bytes of checksum and length.</summary>
    public const int HeadLength = 6;

    /// <summary>The longest content before the message's bytes.</summary>
    public const int MaxPrefix = 10 + 10 + 10 + 10 + 10 + 3;

    /// <summary>The longest block that nodes accept.</summary>
    public const int MaxLength = 1500;

    /// <summary>Term of the step in which it was sent.</summary>
    public ulong Term { get; init; }

    /// <summary>Counter of that step.</summary>
    public ulong Step { get; init; }

    /// <summary>Number of the sender's first message to the group in that step.</summary>
    public ulong FirstInStep { get; init; }

    /// <summary>Term of the step of the message before that first one; 0: there is none.</summary>
    public ulong BeforeTerm { get; init; }

    /// <summary>Counter of that step.</summary>
    public ulong BeforeStep { get; init; }

    /// <summary>Fragments of the message; 0 when it is whole.</summary>
    public uint Fragments { get; init; }

    /// <summary>The message's bytes, or the fragment's.</summary>
    public ReadOnlySpan<byte> Bytes { get; init; }

    /// <summary>Offset of <see cref="Bytes"/> in the block.</summary>
    public int BytesOffset { get; private init; }

    /// <summary>Bytes of the content before the message's bytes.</summary>
    /// <param name="id">The packet's id.</param>
    internal int PrefixLength(in LateralId id) =>
        WireWriter.VarintLength(Term)
        + WireWriter.VarintLength(Step)
        + WireWriter.VarintLength(id.Number - FirstInStep)
        + WireWriter.VarintLength(BeforeTerm == 0 ? 0 : BeforeTerm + 1)
        + (BeforeTerm == 0 ? 0 : WireWriter.VarintLength(BeforeStep))
        + (id.Fragment == 0 ? 0 : WireWriter.VarintLength(Fragments));

    /// <summary>Writes a block.</summary>
    /// <param name="room">Receives it.</param>
    /// <param name="id">The packet's id.</param>
    /// <returns>Its length.</returns>
    public int WriteTo(Span<byte> room, in LateralId id)
    {
        var writer = new WireWriter(room[HeadLength..]);
        writer.WriteVarint(Term);
        writer.WriteVarint(Step);
        writer.WriteVarint(id.Number - FirstInStep);
        writer.WriteVarint(BeforeTerm == 0 ? 0 : BeforeTerm + 1);
        if (BeforeTerm != 0) writer.WriteVarint(BeforeStep);
        if (id.Fragment != 0) writer.WriteVarint(Fragments);
        writer.WriteBytes(Bytes);
        System.Diagnostics.Debug.Assert(!writer.Overflowed, "the room was measured");
        int length = HeadLength + writer.Written;
        BinaryPrimitives.WriteUInt16LittleEndian(room[4..], (ushort)writer.Written);
        BinaryPrimitives.WriteUInt32LittleEndian(room, Checksum(room[..length], id));
        return length;
    }

    /// <summary>Reads a block, which zeros may follow, and checks that it is the packet's.</summary>
    /// <returns>False when it is malformed or another packet's.</returns>
    public static bool TryRead(ReadOnlySpan<byte> padded, in LateralId id, out LateralBlock block, out int length)
    {
        block = default;
        length = 0;
        if (padded.Length < HeadLength) return false;
        length = HeadLength + BinaryPrimitives.ReadUInt16LittleEndian(padded[4..]);
        if (length > padded.Length || length > MaxLength || padded[length..].ContainsAnyExcept((byte)0)) return false;
        ReadOnlySpan<byte> bytes = padded[..length];
        if (Checksum(bytes, id) != BinaryPrimitives.ReadUInt32LittleEndian(bytes)) return false;
        var reader = new WireReader(bytes[HeadLength..]);
        ulong term = reader.ReadVarint();
        ulong step = reader.ReadVarint();
        ulong back = reader.ReadVarint(id.Number - 1);
        ulong before = reader.ReadVarint();
        ulong beforeStep = before == 0 ? 0 : reader.ReadVarint();
        ulong fragments = id.Fragment == 0 ? 0 : reader.ReadVarint(LateralId.MaxFragments);
        if (reader.Failed || before == 1 || (before == 0) != (back == id.Number - 1)) return false;
        if (id.Fragment > fragments || fragments == 1) return false;
        int rest = reader.Remaining;
        block = new LateralBlock
        {
            Term = term,
            Step = step,
            FirstInStep = id.Number - back,
            BeforeTerm = before == 0 ? 0 : before - 1,
            BeforeStep = beforeStep,
            Fragments = (uint)fragments,
            Bytes = bytes[(length - rest)..],
            BytesOffset = length - rest,
        };
        return true;
    }

    /// <summary>The checksum of a block.</summary>
    /// <param name="block">The block without the zeros behind it.</param>
    /// <param name="id">The packet's id.</param>
    internal static uint Checksum(ReadOnlySpan<byte> block, in LateralId id)
    {
        Span<byte> name = stackalloc byte[24];
        BinaryPrimitives.WriteUInt64LittleEndian(name, id.Sender);
        BinaryPrimitives.WriteUInt64LittleEndian(name[8..], id.Number);
        BinaryPrimitives.WriteUInt32LittleEndian(name[16..], id.Group);
        BinaryPrimitives.WriteUInt32LittleEndian(name[20..], id.Fragment);
        return Crc32C.Of(name, block[4..]);
    }
}
