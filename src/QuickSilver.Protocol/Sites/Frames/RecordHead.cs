using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Frames;

/// <summary>
/// The head of a <see cref="RecordKind.Message"/> or <see cref="RecordKind.Held"/> record: which way it goes, and who
/// sent it. Root, tree, hops and targets differ from link to link; all else stays.
/// <code>
/// kind     1 byte   RecordKind: 1 or 3
/// root     1 byte   the site whose source tree it follows
/// tree     8 bytes  version of the overlay in which the tree is
/// hops     1 byte   links that it may still take; at least 1
/// targets  SiteSet  sites that it is for, behind this link; at least one
/// site     1 byte   the site that it comes from
/// node     8 bytes  key of the node that sent it; never 0
/// group    varint   the group; 0 in kind 3
/// number   varint   counts from 1 in each stream; 0 in kind 3
/// behind   varint   the number, less the lowest that some target may lack
/// payload  the rest
/// </code>
/// </summary>
internal readonly record struct RecordHead
{
    /// <summary>The longest head.</summary>
    public const int MaxLength = 1 + 1 + 8 + 1 + SiteSet.MaxLength + 1 + 8 + 5 + 10 + 10;

    /// <summary>Kind of the record.</summary>
    public RecordKind Kind { get; init; }

    /// <summary>The site whose source tree it follows.</summary>
    public int Root { get; init; }

    /// <summary>Version of the overlay.</summary>
    public ulong Tree { get; init; }

    /// <summary>Links that it may still take.</summary>
    public int Hops { get; init; }

    /// <summary>Sites that it is for.</summary>
    public SiteSet Targets { get; init; }

    /// <summary>Who sent it, and to which group.</summary>
    public StreamId Stream { get; init; }

    /// <summary>Its number in the stream.</summary>
    public ulong Number { get; init; }

    /// <summary>The lowest number that some target may lack: what is below, each of them holds or will never get.
    /// </summary>
    public ulong Lowest { get; init; }

    /// <summary>Writes it.</summary>
    public void Write(ref WireWriter writer)
    {
        writer.WriteByte((byte)Kind);
        writer.WriteByte((byte)Root);
        writer.WriteUInt64(Tree);
        writer.WriteByte((byte)Hops);
        Targets.Write(ref writer);
        writer.WriteByte((byte)Stream.Site);
        writer.WriteUInt64(Stream.Node);
        writer.WriteVarint(Stream.Group);
        writer.WriteVarint(Number);
        writer.WriteVarint(Number - Lowest);
    }

    /// <summary>Reads a head; the reader is then at the payload.</summary>
    /// <returns>False when it is malformed.</returns>
    public static bool TryRead(ref WireReader reader, out RecordHead head)
    {
        var kind = (RecordKind)reader.ReadByte();
        int root = reader.ReadByte();
        ulong tree = reader.ReadUInt64();
        int hops = reader.ReadByte();
        SiteSet targets = SiteSet.Read(ref reader);
        int site = reader.ReadByte();
        ulong node = reader.ReadUInt64();
        uint group = (uint)reader.ReadVarint(uint.MaxValue);
        ulong number = reader.ReadVarint();
        ulong behind = reader.ReadVarint(number);
        head = new RecordHead
        {
            Kind = kind,
            Root = root,
            Tree = tree,
            Hops = hops,
            Targets = targets,
            Stream = new StreamId(site, node, group),
            Number = number,
            Lowest = number - behind,
        };
        if (reader.Failed || node == 0 || hops == 0 || targets.IsEmpty) return false;
        if (root >= SiteSet.MostSites || site >= SiteSet.MostSites) return false;
        return kind switch
        {
            RecordKind.Message => group > 0 && head.Lowest > 0,
            RecordKind.Held => group == 0 && number == 0,
            _ => false,
        };
    }
}
