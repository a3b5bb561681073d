using QuickSilver.Protocol.Wire;

namespace QuickSilver.WideArea.Telling;

/// <summary>
/// A node wants to be told which sites have members. Told again while it does.
/// <code>
/// head   2 bytes  TellingHead, kind 1
/// first  1 byte   1 when it knows nothing yet, and wants all; else 0
/// </code>
/// </summary>
internal static class HelloBody
{
    /// <summary>Writes it.</summary>
    public static byte[] Write(bool isFirst)
    {
        var bytes = new byte[TellingHead.Length + 1];
        var writer = new WireWriter(bytes);
        TellingHead.Write(ref writer, TellingKind.Hello);
        writer.WriteByte(isFirst ? (byte)1 : (byte)0);
        return bytes;
    }

    /// <summary>Reads it; false when it is malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out bool isFirst)
    {
        isFirst = body.Length == TellingHead.Length + 1 && body[^1] == 1;
        return TellingHead.KindOf(body) == TellingKind.Hello && body.Length == TellingHead.Length + 1 && body[^1] <= 1;
    }
}
