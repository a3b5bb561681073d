using QuickSilver.Protocol.Wire;
using QuickSilver.WideArea.Groups;

namespace QuickSilver.WideArea.Telling;

/// <summary>
/// The members of a group at the sender's site, as gateways tell each other in a stream of their own, that of the group
/// name <see cref="SiteTelling.GroupName"/>. Each replaces the one before. Gateways of earlier versions get none.
/// <code>
/// version  1 byte   1
/// group    varint   number of the group; not 0
/// flags    1 byte   bit 0: acknowledges when all members hold; bit 1: asks others to do so
/// count    varint   members, at most 1,048,576
/// names    varint   names that follow, at most 64 and the count; each a name
/// </code>
/// </summary>
internal readonly record struct RosterBody(uint Group, bool AcksWhenHeld, bool Asks, MemberRoster Roster)
{
    private const byte Version = 1;
    private const byte AcksBit = 1;
    private const byte AsksBit = 2;
    private const int MostMembers = 1 << 20;

    /// <summary>True when both say the same.</summary>
    public bool IsLike(in RosterBody other) =>
        AcksWhenHeld == other.AcksWhenHeld && Asks == other.Asks && Roster.IsLike(other.Roster);

    /// <summary>Bytes of a roster, at most.</summary>
    public static int LengthOf(MemberRoster roster) => 10 + (roster.Names.Count * TellingText.MaxLength);

    /// <summary>Writes it.</summary>
    public byte[] Write()
    {
        var bytes = new byte[1 + 5 + 1 + LengthOf(Roster)];
        var writer = new WireWriter(bytes);
        writer.WriteByte(Version);
        writer.WriteVarint(Group);
        writer.WriteByte((byte)((AcksWhenHeld ? AcksBit : 0) | (Asks ? AsksBit : 0)));
        WriteRoster(ref writer, Roster);
        return bytes[..writer.Written];
    }

    /// <summary>Reads it; false when it is malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> bytes, out RosterBody body)
    {
        body = default;
        var reader = new WireReader(bytes);
        if (reader.ReadByte() != Version) return false;
        uint group = (uint)reader.ReadVarint(uint.MaxValue);
        byte flags = reader.ReadByte();
        if (reader.Failed || group == 0 || flags > (AcksBit | AsksBit)) return false;
        body = new RosterBody(group, (flags & AcksBit) != 0, (flags & AsksBit) != 0, ReadRoster(ref reader));
        return reader.IsAtEnd;
    }

    /// <summary>Writes count and names.</summary>
    public static void WriteRoster(ref WireWriter writer, MemberRoster roster)
    {
        writer.WriteVarint((ulong)Math.Min(roster.Count, MostMembers));
        writer.WriteVarint((ulong)roster.Names.Count);
        foreach (string name in roster.Names) TellingText.Write(ref writer, name);
    }

    /// <summary>Reads count and names; fails the reader when they are malformed.</summary>
    public static MemberRoster ReadRoster(ref WireReader reader)
    {
        int count = (int)reader.ReadVarint(MostMembers);
        int told = (int)reader.ReadVarint((ulong)Math.Min(count, GroupMembers.MostNames));
        var names = new List<string>();
        for (; told > 0 && !reader.Failed; told--) names.Add(TellingText.Read(ref reader));
        return reader.Failed || count == 0 ? MemberRoster.Empty : new MemberRoster(count, names);
    }
}
