using System.Text;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.WideArea.Telling;

/// <summary>Names in what is told: a byte with the length, and UTF-8. What is no valid name fails the reader.</summary>
internal static class TellingText
{
    /// <summary>The longest name with its length.</summary>
    public const int MaxLength = 1 + byte.MaxValue;

    /// <summary>Writes a name.</summary>
    public static void Write(ref WireWriter writer, string name)
    {
        Span<byte> bytes = stackalloc byte[byte.MaxValue];
        int length = Encoding.UTF8.GetBytes(name, bytes);
        writer.WriteByte((byte)length);
        writer.WriteBytes(bytes[..length]);
    }

    /// <summary>Reads a name; empty when the reader has failed.</summary>
    public static string Read(ref WireReader reader)
    {
        string name = Encoding.UTF8.GetString(reader.ReadBytes(reader.ReadByte()));
        if (!reader.Failed && Names.IsValid(name)) return name;
        reader.Fail();
        return "";
    }
}
