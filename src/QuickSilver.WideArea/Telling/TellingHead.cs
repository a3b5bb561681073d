using QuickSilver.Protocol.Wire;

namespace QuickSilver.WideArea.Telling;

/// <summary>The beginning of what is told: a version byte of 2, and the kind.</summary>
internal static class TellingHead
{
    /// <summary>Its bytes.</summary>
    public const int Length = 2;

    private const byte Version = 2;

    /// <summary>Writes it.</summary>
    public static void Write(ref WireWriter writer, TellingKind kind)
    {
        writer.WriteByte(Version);
        writer.WriteByte((byte)kind);
    }

    /// <summary>The kind of a message; null when it has no such head.</summary>
    public static TellingKind? KindOf(ReadOnlySpan<byte> body) =>
        body.Length >= Length && body[0] == Version ? (TellingKind)body[1] : null;
}
