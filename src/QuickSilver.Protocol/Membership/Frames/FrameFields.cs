using System.Text;
using System.Text.Unicode;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>Reads the fields of frames that <see cref="WireReader"/> does not know. All are total, as the reader is.</summary>
internal static class FrameFields
{
    /// <summary>Longest name of a cluster, node or group, in bytes of UTF-8.</summary>
    public const int MaxNameBytes = 255;

    /// <summary>A text of at most <paramref name="cap"/> bytes; a failure when it is longer or not UTF-8.</summary>
    public static string ReadText(ref WireReader reader, int cap)
    {
        ReadOnlySpan<byte> bytes = reader.ReadBytes((int)reader.ReadVarint((ulong)cap));
        if (Utf8.IsValid(bytes)) return Encoding.UTF8.GetString(bytes);
        reader.Fail();
        return "";
    }

    /// <summary>An address and a port.</summary>
    public static NetEndpoint ReadEndpoint(ref WireReader reader)
    {
        uint address = reader.ReadUInt32();
        return new NetEndpoint(address, (ushort)reader.ReadVarint(ushort.MaxValue));
    }

    /// <summary>A counter of 32 bits that is not 0.</summary>
    public static uint ReadCounter(ref WireReader reader)
    {
        uint counter = (uint)reader.ReadVarint(uint.MaxValue);
        if (counter == 0) reader.Fail();
        return counter;
    }

    /// <summary>How many items follow, each of at least <paramref name="itemBytes"/>: never more than the rest of the frame can hold.</summary>
    public static int ReadCount(ref WireReader reader, int itemBytes) => (int)reader.ReadVarint((ulong)(reader.Remaining / itemBytes));
}
