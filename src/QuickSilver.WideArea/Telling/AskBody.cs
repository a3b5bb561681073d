using QuickSilver.Protocol.Wire;

namespace QuickSilver.WideArea.Telling;

/// <summary>
/// A node asks which sites hold a message that it has sent. Asked again until the answer is final.
/// <code>
/// head      2 bytes  TellingHead, kind 4
/// number    8 bytes  of the question, drawn by the node
/// sequence  varint   number of the message; at least 1
/// group     a name
/// </code>
/// </summary>
internal readonly record struct AskBody(ulong Number, ulong Sequence, string Group)
{
    /// <summary>Writes it.</summary>
    public byte[] Write()
    {
        var bytes = new byte[TellingHead.Length + 8 + 10 + TellingText.MaxLength];
        var writer = new WireWriter(bytes);
        TellingHead.Write(ref writer, TellingKind.Ask);
        writer.WriteUInt64(Number);
        writer.WriteVarint(Sequence);
        TellingText.Write(ref writer, Group);
        return bytes[..writer.Written];
    }

    /// <summary>Reads it; false when it is another kind or malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out AskBody ask)
    {
        ask = default;
        if (TellingHead.KindOf(body) != TellingKind.Ask) return false;
        var reader = new WireReader(body[TellingHead.Length..]);
        ask = new AskBody(reader.ReadUInt64(), reader.ReadVarint(), TellingText.Read(ref reader));
        return reader.IsAtEnd && ask.Sequence > 0;
    }
}
