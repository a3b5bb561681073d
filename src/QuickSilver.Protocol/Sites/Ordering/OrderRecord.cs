using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>
/// A record of the order, from the gateway of one site to those of all others. The sender's texts and number of an
/// entry travel beside it.
/// <code>
/// kind         1 byte   1: an entry; 2: a stamp; 3: an entry of a third site
/// origin       1 byte   with 3: index of that site
/// incarnation  varint   life of the order at its site; not 0
/// number       varint   of the entry, from 1; with 2: of the last one
/// stamp        varint   of the entry; with 2: all later ones have higher stamps
/// an entry:
///   content    1 byte   0: the site begins, and nothing follows; 1: the body is the rest
/// a stamp:
///   count      1 byte   sites
///   reports    each: five varints (<see cref="StreamReport"/>), by the index of the site that it is about
/// </code>
/// </summary>
internal sealed record OrderRecord
{
    /// <summary>The highest stamp: places have 64 bits.</summary>
    public const ulong MostStamp = 1UL << 56;

    private const int HeadLength = 2 + 10 + 10 + 10 + 1;

    /// <summary>What it is.</summary>
    public required OrderRecordKind Kind { get; init; }

    /// <summary>The site of the entry, for a third site's; else -1.</summary>
    public int Origin { get; init; } = -1;

    /// <summary>Life of the order at the entry's site, or the sender's.</summary>
    public required ulong Incarnation { get; init; }

    /// <summary>Number of the entry; of a stamp: of the last entry before it.</summary>
    public required ulong Number { get; init; }

    /// <summary>The stamp.</summary>
    public required ulong Stamp { get; init; }

    /// <summary>False for the entry with which a site begins, and for stamps.</summary>
    public bool HasContent { get; init; }

    /// <summary>The body of an entry.</summary>
    public ReadOnlyMemory<byte> Body { get; init; }

    /// <summary>What the site has of each site; empty but for a stamp.</summary>
    public IReadOnlyList<StreamReport> Reports { get; init; } = [];

    /// <summary>The record that tells of an entry.</summary>
    /// <param name="entry">The entry.</param>
    /// <param name="isOwn">False for one of a third site.</param>
    public static OrderRecord Of(OrderedEntry entry, bool isOwn) => new()
    {
        Kind = isOwn ? OrderRecordKind.Entry : OrderRecordKind.Forward,
        Origin = isOwn ? -1 : entry.Site,
        Incarnation = entry.Incarnation,
        Number = entry.Number,
        Stamp = entry.Stamp,
        HasContent = entry.Content is not null,
        Body = entry.Content?.Body ?? default,
    };

    /// <summary>Writes it.</summary>
    public byte[] ToBytes()
    {
        var bytes = new byte[HeadLength + Body.Length + (Reports.Count * StreamReport.MaxLength)];
        var writer = new WireWriter(bytes);
        writer.WriteByte((byte)Kind);
        if (Kind == OrderRecordKind.Forward) writer.WriteByte((byte)Origin);
        writer.WriteVarint(Incarnation);
        writer.WriteVarint(Number);
        writer.WriteVarint(Stamp);
        if (Kind == OrderRecordKind.Stamp)
        {
            writer.WriteByte((byte)Reports.Count);
            foreach (StreamReport report in Reports) report.Write(ref writer);
        }
        else
        {
            writer.WriteByte(HasContent ? (byte)1 : (byte)0);
            writer.WriteBytes(Body.Span);
        }
        return bytes[..writer.Written];
    }

    /// <summary>Reads one; null when it is malformed. The body is a part of the bytes.</summary>
    public static OrderRecord? Read(ReadOnlyMemory<byte> bytes)
    {
        var reader = new WireReader(bytes.Span);
        var kind = (OrderRecordKind)reader.ReadByte();
        int origin = kind == OrderRecordKind.Forward ? reader.ReadByte() : -1;
        ulong incarnation = reader.ReadVarint();
        ulong number = reader.ReadVarint();
        ulong stamp = reader.ReadVarint();
        byte rest = reader.ReadByte();
        if (reader.Failed || incarnation == 0 || stamp > MostStamp || origin >= SiteSet.MostSites) return null;
        var record = new OrderRecord
        {
            Kind = kind,
            Origin = origin,
            Incarnation = incarnation,
            Number = number,
            Stamp = stamp,
        };
        switch (kind)
        {
            case OrderRecordKind.Entry or OrderRecordKind.Forward:
                if (rest > 1 || number == 0 || stamp == 0 || (rest == 0 && reader.Remaining > 0)) return null;
                return record with { HasContent = rest == 1, Body = bytes[^reader.Remaining..] };
            case OrderRecordKind.Stamp:
                if (rest > SiteSet.MostSites) return null;
                var reports = new List<StreamReport>();
                for (int count = rest; count > 0 && !reader.Failed; count--)
                    reports.Add(StreamReport.Read(ref reader));
                return reader.IsAtEnd ? record with { Reports = reports } : null;
            default:
                return null;
        }
    }
}
