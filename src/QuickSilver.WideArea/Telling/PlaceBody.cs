using QuickSilver.Protocol.Wire;
using QuickSilver.WideArea.Groups;

namespace QuickSilver.WideArea.Telling;

/// <summary>
/// The members of a group at a site, as a gateway tells its own site.
/// <code>
/// head     2 bytes  TellingHead, kind 3
/// number   8 bytes  of the gateway's life
/// group    a name
/// site     a name
/// flags    1 byte   bit 0: the site is reached; bit 1: what is sent now goes there
/// roster   RosterBody's count and names
/// </code>
/// </summary>
internal readonly record struct PlaceBody(
    ulong Number, string Group, string Site, bool IsReached, bool Receives, MemberRoster Roster)
{
    private const byte ReachedBit = 1;
    private const byte ReceivesBit = 2;

    /// <summary>Writes it.</summary>
    public byte[] Write()
    {
        var bytes = new byte[
            TellingHead.Length + 8 + (2 * TellingText.MaxLength) + 1 + RosterBody.LengthOf(Roster)];
        var writer = new WireWriter(bytes);
        TellingHead.Write(ref writer, TellingKind.Place);
        writer.WriteUInt64(Number);
        TellingText.Write(ref writer, Group);
        TellingText.Write(ref writer, Site);
        writer.WriteByte((byte)((IsReached ? ReachedBit : 0) | (Receives ? ReceivesBit : 0)));
        RosterBody.WriteRoster(ref writer, Roster);
        return bytes[..writer.Written];
    }

    /// <summary>Reads it; false when it is another kind or malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out PlaceBody place)
    {
        place = default;
        if (TellingHead.KindOf(body) != TellingKind.Place) return false;
        var reader = new WireReader(body[TellingHead.Length..]);
        ulong number = reader.ReadUInt64();
        string group = TellingText.Read(ref reader), site = TellingText.Read(ref reader);
        byte flags = reader.ReadByte();
        if (flags > (ReachedBit | ReceivesBit)) return false;
        MemberRoster roster = RosterBody.ReadRoster(ref reader);
        place = new PlaceBody(
            number, group, site, (flags & ReachedBit) != 0, (flags & ReceivesBit) != 0, roster);
        return reader.IsAtEnd;
    }
}
