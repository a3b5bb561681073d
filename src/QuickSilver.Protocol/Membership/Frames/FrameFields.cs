using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.Unicode;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// Reads the fields of frames that <see cref="WireReader"/> does not know. All methods are total, as the reader is.
/// </summary>
internal static class FrameFields
{
    /// <summary>Longest name of a cluster, node or group, in bytes of UTF-8.</summary>
    public const int MaxNameBytes = 255;

    /// <summary>
    /// Longest group name that a node requests at all, in bytes of UTF-8. The server alone decides which of them are
    /// valid, and refuses longer ones than <see cref="MaxNameBytes"/>.
    /// </summary>
    public const int MaxRequestedNameBytes = 1 << 10;

    // Combining marks in a row: writing systems stack two.
    private const int MostMarks = 2;

    /// <summary>
    /// True for text that is shown as it is. Names appear in logs and on terminals. They may not begin lines of their
    /// own there, change the reading order, hide characters, or cover their neighbours with marks.
    /// </summary>
    public static bool IsPlain(ReadOnlySpan<char> text)
    {
        int marks = 0;
        while (!text.IsEmpty)
        {
            if (Rune.DecodeFromUtf16(text, out Rune rune, out int length) != OperationStatus.Done) return false;
            text = text[length..];
            switch (Rune.GetUnicodeCategory(rune))
            {
                case UnicodeCategory.Control or UnicodeCategory.Format or UnicodeCategory.LineSeparator
                    or UnicodeCategory.ParagraphSeparator or UnicodeCategory.PrivateUse or UnicodeCategory.Surrogate:
                    return false;
                case UnicodeCategory.NonSpacingMark or UnicodeCategory.SpacingCombiningMark
                    or UnicodeCategory.EnclosingMark:
                    if (++marks > MostMarks) return false;
                    break;
                default:
                    marks = 0;
                    break;
            }
        }
        return true;
    }

    /// <summary>
    /// Reads a name of at most <paramref name="limit"/> bytes; fails when it is longer, not UTF-8, or not plain.
    /// </summary>
    public static string ReadName(ref WireReader reader, int limit = MaxNameBytes)
    {
        string name = ReadText(ref reader, limit);
        if (!IsPlain(name)) reader.Fail();
        return name;
    }

    /// <summary>Reads a text of at most <paramref name="limit"/> bytes; fails when it is longer or not UTF-8.</summary>
    public static string ReadText(ref WireReader reader, int limit)
    {
        ReadOnlySpan<byte> bytes = reader.ReadBytes((int)reader.ReadVarint((ulong)limit));
        if (Utf8.IsValid(bytes)) return Encoding.UTF8.GetString(bytes);
        reader.Fail();
        return "";
    }

    /// <summary>
    /// Reads an address and a port: the last four bytes of the address (u32), and the port (varint). For an IPv6
    /// address the port is greater by 65,536, and the rest follows: the next four bytes (u32) and the first eight
    /// (u64).
    /// </summary>
    public static NetEndpoint ReadEndpoint(ref WireReader reader)
    {
        uint last = reader.ReadUInt32();
        ulong port = reader.ReadVarint(FrameBuilder.IPv6Port + ushort.MaxValue);
        if (port < FrameBuilder.IPv6Port) return new NetEndpoint(last, (ushort)port);
        ulong low = ((ulong)reader.ReadUInt32() << 32) | last;
        var address = new NetAddress(reader.ReadUInt64(), low);
        if (!address.IsIPv6) reader.Fail();
        return new NetEndpoint(address, (ushort)(port - FrameBuilder.IPv6Port));
    }

    /// <summary>Reads a range of versions: two bytes, the oldest first; fails when it is impossible.</summary>
    public static ProtocolVersions ReadVersions(ref WireReader reader)
    {
        var versions = new ProtocolVersions(reader.ReadByte(), reader.ReadByte());
        if (!versions.IsValid) reader.Fail();
        return versions;
    }

    /// <summary>Reads a byte that is 0 or 1; fails for another.</summary>
    public static bool ReadFlag(ref WireReader reader)
    {
        byte flag = reader.ReadByte();
        if (flag > 1) reader.Fail();
        return flag == 1;
    }

    /// <summary>Reads a secret: 16 bytes.</summary>
    public static UInt128 ReadSecret(ref WireReader reader)
    {
        ulong lower = reader.ReadUInt64();
        return new UInt128(reader.ReadUInt64(), lower);
    }

    /// <summary>
    /// Reads an epoch: its term (varint) and its server (u64). Fails for term 0: there is no epoch with it.
    /// </summary>
    public static Epoch ReadEpoch(ref WireReader reader)
    {
        ulong term = reader.ReadVarint(uint.MaxValue);
        if (term == 0) reader.Fail();
        return new Epoch(term, reader.ReadUInt64());
    }

    /// <summary>Reads a step: its counter (varint), and unless that is 0, for none, its epoch.</summary>
    public static StepNumber ReadStep(ref WireReader reader)
    {
        ulong counter = reader.ReadVarint();
        return counter == 0 ? default : new StepNumber(ReadEpoch(ref reader), counter);
    }

    /// <summary>Reads a <see cref="NodeNumber.Key"/>; fails when its term or its counter is 0.</summary>
    public static ulong ReadKey(ref WireReader reader)
    {
        ulong key = reader.ReadVarint();
        if (!IsKey(key)) reader.Fail();
        return key;
    }

    /// <summary>
    /// Reads a number of keys (varint), each as a signed difference to the one before, which is 0 for the first.
    /// </summary>
    public static ulong[] ReadKeys(ref WireReader reader)
    {
        ulong[] keys = new ulong[ReadCount(ref reader, 1)];
        ulong key = 0;
        for (int index = 0; index < keys.Length && !reader.Failed; index++)
        {
            key = unchecked(key + (ulong)reader.ReadSignedVarint());
            if (!IsKey(key)) reader.Fail();
            keys[index] = key;
        }
        return keys;
    }

    /// <summary>True for a value that can be a <see cref="NodeNumber.Key"/>.</summary>
    public static bool IsKey(ulong key) => (uint)key != 0 && key >> 32 != 0;

    /// <summary>Reads a counter of 32 bits; fails when it is 0.</summary>
    public static uint ReadCounter(ref WireReader reader)
    {
        uint counter = (uint)reader.ReadVarint(uint.MaxValue);
        if (counter == 0) reader.Fail();
        return counter;
    }

    /// <summary>
    /// Reads the number of items that follow, each of at least <paramref name="itemBytes"/>; fails when the rest of the
    /// frame cannot hold them.
    /// </summary>
    public static int ReadCount(ref WireReader reader, int itemBytes) =>
        (int)reader.ReadVarint((ulong)(reader.Remaining / itemBytes));
}
