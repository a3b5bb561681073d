using System.Text;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.WideArea.Telling;

/// <summary>
/// What a gateway tells the nodes of its site, in the group <see cref="SiteTelling.GroupName"/>: which groups are held
/// up, and by which site. Each message replaces the one before.
/// <code>
/// version  1 byte   1
/// count    varint   groups, at most 1,000
/// groups   each: the name and the slow site, a byte with the length and UTF-8
/// </code>
/// </summary>
internal static class PressureBody
{
    private const byte Version = 1;
    private const int MostGroups = 1000;

    /// <summary>Writes it; groups beyond a thousand are left out.</summary>
    public static byte[] Write(IReadOnlyList<(string Group, string Site)> held)
    {
        int count = Math.Min(held.Count, MostGroups);
        var bytes = new byte[1 + 5 + (count * 2 * 256)];
        var writer = new WireWriter(bytes);
        writer.WriteByte(Version);
        writer.WriteVarint((ulong)count);
        for (int index = 0; index < count; index++)
        {
            WriteText(ref writer, held[index].Group);
            WriteText(ref writer, held[index].Site);
        }
        return bytes[..writer.Written];
    }

    /// <summary>Reads it; false when it is malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out Dictionary<string, string> held)
    {
        held = [];
        var reader = new WireReader(body);
        if (reader.ReadByte() != Version) return false;
        int count = (int)reader.ReadVarint(MostGroups);
        for (int index = 0; index < count && !reader.Failed; index++)
        {
            string group = Encoding.UTF8.GetString(reader.ReadBytes(reader.ReadByte()));
            held[group] = Encoding.UTF8.GetString(reader.ReadBytes(reader.ReadByte()));
        }
        return reader.IsAtEnd;
    }

    private static void WriteText(ref WireWriter writer, string text)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(text);
        writer.WriteByte((byte)bytes.Length);
        writer.WriteBytes(bytes);
    }
}
