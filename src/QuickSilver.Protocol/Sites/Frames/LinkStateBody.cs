using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Frames;

/// <summary>
/// A <see cref="RecordKind.LinkState"/> record: the links of one site that are up, with their costs, and the groups
/// that have members there. Each gateway floods its own; the newest counts.
/// <code>
/// kind    1 byte   2
/// site    1 byte   whose links they are
/// node    8 bytes  key of its gateway's node; never 0
/// number  varint   rises with each that the node makes; at least 1
/// count   varint   links, at most 127
/// links   each: site 1 byte, ascending; cost varint, at least 1
/// flags   1 byte   bit 0: members of groups that are not named may be there
/// count   varint   groups, at most 100
/// groups  each: varint, the difference to the one before; at least 1
/// </code>
/// </summary>
internal readonly ref struct LinkStateBody
{
    /// <summary>The most groups that are named; a site with more says that any may be there.</summary>
    public const int MostGroups = 100;

    /// <summary>The longest body.</summary>
    public const int MaxLength = 1 + 1 + 8 + 10 + 1 + ((SiteSet.MostSites - 1) * 6) + 1 + 1 + (MostGroups * 5);

    private const byte AnyBit = 1;

    /// <summary>Whose links they are.</summary>
    public int Site { get; private init; }

    /// <summary>Key of the gateway's node.</summary>
    public ulong Node { get; private init; }

    /// <summary>Rises with each that the node makes.</summary>
    public ulong Number { get; private init; }

    /// <summary>True when members of groups that are not named may be there.</summary>
    public bool HasAnyGroup { get; private init; }

    private ReadOnlySpan<byte> LinkBytes { get; init; }

    private ReadOnlySpan<byte> GroupBytes { get; init; }

    private int LinkCount { get; init; }

    private int GroupCount { get; init; }

    /// <summary>Writes a record.</summary>
    /// <param name="writer">The record.</param>
    /// <param name="site">Whose links they are.</param>
    /// <param name="node">Key of its gateway's node.</param>
    /// <param name="number">Higher than that of the one before.</param>
    /// <param name="links">Links that are up, by the site at their other end, ascending.</param>
    /// <param name="groups">Groups with members there, ascending; with more than <see cref="MostGroups"/>, any may be.
    /// </param>
    public static void Write(
        ref WireWriter writer,
        int site,
        ulong node,
        ulong number,
        scoped ReadOnlySpan<(int Site, uint Cost)> links,
        scoped ReadOnlySpan<uint> groups)
    {
        writer.WriteByte((byte)RecordKind.LinkState);
        writer.WriteByte((byte)site);
        writer.WriteUInt64(node);
        writer.WriteVarint(number);
        writer.WriteVarint((ulong)links.Length);
        foreach ((int peer, uint cost) in links)
        {
            writer.WriteByte((byte)peer);
            writer.WriteVarint(cost);
        }
        bool any = groups.Length > MostGroups;
        if (any) groups = default;
        writer.WriteByte(any ? AnyBit : (byte)0);
        writer.WriteVarint((ulong)groups.Length);
        uint before = 0;
        foreach (uint group in groups)
        {
            writer.WriteVarint(group - before);
            before = group;
        }
    }

    /// <summary>Reads a record; false when it is malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> record, out LinkStateBody state)
    {
        var reader = new WireReader(record);
        bool isOne = reader.ReadByte() == (byte)RecordKind.LinkState;
        int site = reader.ReadByte();
        ulong node = reader.ReadUInt64();
        ulong number = reader.ReadVarint();
        int links = (int)reader.ReadVarint(SiteSet.MostSites - 1);
        WireReader linkStart = reader;
        int before = reader.Remaining;
        if (!CheckLinks(ref reader, links, site)) reader.Fail();
        ReadOnlySpan<byte> linkBytes = reader.Failed ? default : linkStart.ReadBytes(before - reader.Remaining);
        byte flags = reader.ReadByte();
        int groups = (int)reader.ReadVarint(MostGroups);
        WireReader groupStart = reader;
        before = reader.Remaining;
        if (!CheckGroups(ref reader, groups)) reader.Fail();
        ReadOnlySpan<byte> groupBytes = reader.Failed ? default : groupStart.ReadBytes(before - reader.Remaining);
        state = new LinkStateBody
        {
            Site = site,
            Node = node,
            Number = number,
            HasAnyGroup = flags == AnyBit,
            LinkBytes = linkBytes,
            LinkCount = links,
            GroupBytes = groupBytes,
            GroupCount = groups,
        };
        return reader.IsAtEnd && isOne && site < SiteSet.MostSites && node != 0 && number > 0 && flags <= AnyBit
            && (flags == 0 || groups == 0);
    }

    /// <summary>Copies the links.</summary>
    public (int Site, uint Cost)[] CopyLinks()
    {
        var links = new (int Site, uint Cost)[LinkCount];
        var reader = new WireReader(LinkBytes);
        for (int index = 0; index < links.Length; index++)
            links[index] = (reader.ReadByte(), (uint)reader.ReadVarint());
        return links;
    }

    /// <summary>Copies the groups.</summary>
    public uint[] CopyGroups()
    {
        var groups = new uint[GroupCount];
        var reader = new WireReader(GroupBytes);
        uint group = 0;
        for (int index = 0; index < groups.Length; index++) groups[index] = group += (uint)reader.ReadVarint();
        return groups;
    }

    private static bool CheckLinks(ref WireReader reader, int count, int site)
    {
        int last = -1;
        for (int index = 0; index < count; index++)
        {
            int peer = reader.ReadByte();
            ulong cost = reader.ReadVarint(uint.MaxValue);
            if (reader.Failed || peer <= last || peer == site || peer >= SiteSet.MostSites || cost == 0) return false;
            last = peer;
        }
        return true;
    }

    private static bool CheckGroups(ref WireReader reader, int count)
    {
        ulong group = 0;
        for (int index = 0; index < count; index++)
        {
            ulong step = reader.ReadVarint(uint.MaxValue);
            group += step;
            if (reader.Failed || step == 0 || group > uint.MaxValue) return false;
        }
        return true;
    }
}
