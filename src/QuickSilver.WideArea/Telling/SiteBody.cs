using QuickSilver.Protocol.Wire;

namespace QuickSilver.WideArea.Telling;

/// <summary>
/// How a gateway reaches another site, as it tells its own site.
/// <code>
/// head    2 bytes  TellingHead, kind 6
/// number  8 bytes  of the gateway's life
/// site    a name
/// flags   1 byte   bit 0: the site is reached; bit 1: the gateway has a link to it
/// via     a name   if it is reached: the neighbour
/// link    LinkFields, if there is one
/// </code>
/// </summary>
internal readonly record struct SiteBody(ulong Number, SiteRoute Route)
{
    private const byte ReachedBit = 1;
    private const byte LinkBit = 2;

    /// <summary>Writes it.</summary>
    public byte[] Write()
    {
        var bytes = new byte[TellingHead.Length + 8 + (2 * TellingText.MaxLength) + 1 + LinkFields.MaxLength];
        var writer = new WireWriter(bytes);
        TellingHead.Write(ref writer, TellingKind.Site);
        writer.WriteUInt64(Number);
        TellingText.Write(ref writer, Route.Site);
        writer.WriteByte((byte)((Route.Via is null ? 0 : ReachedBit) | (Route.Link is null ? 0 : LinkBit)));
        if (Route.Via is { } via) TellingText.Write(ref writer, via);
        if (Route.Link is { } link) LinkFields.Write(ref writer, link);
        return bytes[..writer.Written];
    }

    /// <summary>Reads it; false when it is another kind or malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out SiteBody site)
    {
        site = default;
        if (TellingHead.KindOf(body) != TellingKind.Site) return false;
        var reader = new WireReader(body[TellingHead.Length..]);
        ulong number = reader.ReadUInt64();
        string name = TellingText.Read(ref reader);
        byte flags = reader.ReadByte();
        if (flags > (ReachedBit | LinkBit)) return false;
        string? via = (flags & ReachedBit) != 0 ? TellingText.Read(ref reader) : null;
        SiteLinkStatistics? link = (flags & LinkBit) != 0 ? LinkFields.Read(ref reader, name) : null;
        site = new SiteBody(number, new SiteRoute(name, via) { Link = link });
        return reader.IsAtEnd;
    }
}
