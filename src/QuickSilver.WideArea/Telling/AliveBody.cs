using QuickSilver.Protocol.Wire;

namespace QuickSilver.WideArea.Telling;

/// <summary>
/// A gateway is there. What one with another number has told before is void.
/// <code>
/// head    2 bytes  TellingHead, kind 2
/// number  8 bytes  of the gateway's life
/// site    a name   the own site
/// </code>
/// </summary>
internal readonly record struct AliveBody(ulong Number, string Site)
{
    /// <summary>Writes it.</summary>
    public byte[] Write()
    {
        var bytes = new byte[TellingHead.Length + 8 + TellingText.MaxLength];
        var writer = new WireWriter(bytes);
        TellingHead.Write(ref writer, TellingKind.Alive);
        writer.WriteUInt64(Number);
        TellingText.Write(ref writer, Site);
        return bytes[..writer.Written];
    }

    /// <summary>Reads it; false when it is another kind or malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out AliveBody alive)
    {
        alive = default;
        if (TellingHead.KindOf(body) != TellingKind.Alive) return false;
        var reader = new WireReader(body[TellingHead.Length..]);
        alive = new AliveBody(reader.ReadUInt64(), TellingText.Read(ref reader));
        return reader.IsAtEnd;
    }
}
