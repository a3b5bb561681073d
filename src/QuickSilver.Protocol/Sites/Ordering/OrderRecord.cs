using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>
/// A record of the order, from the gateway of one site to those of all others. The sender's texts and number of an
/// entry travel beside it.
/// <code>
/// kind         1 byte   1: an entry; 2: a stamp; 3: an entry of any site; 4: a state
/// a state:     <see cref="SiteState"/>, the rest
/// origin       1 byte   with 3: index of that site
/// view         <see cref="OrderViewId"/> in which it counts; not none
/// number       varint   of the entry, from 1; with 2: of the last one
/// stamp        varint   of the entry; with 2: all later ones have higher stamps
/// an entry:    the body, the rest
/// a stamp:
///   count      1 byte   sites
///   have       varint   each: the last entry that is here
/// </code>
/// </summary>
internal sealed record OrderRecord
{
    /// <summary>The highest stamp: places have 64 bits.</summary>
    public const ulong MostStamp = 1UL << 56;

    private const int HeadLength = 2 + OrderViewId.MaxLength + 10 + 10 + 1;

    /// <summary>What it is.</summary>
    public required OrderRecordKind Kind { get; init; }

    /// <summary>The site of the entry, for a third site's; else -1.</summary>
    public int Origin { get; init; } = -1;

    /// <summary>The view in which it counts; none for a state.</summary>
    public OrderViewId View { get; init; }

    /// <summary>Number of the entry; of a stamp: of the last entry before it.</summary>
    public ulong Number { get; init; }

    /// <summary>The stamp.</summary>
    public ulong Stamp { get; init; }

    /// <summary>The body of an entry.</summary>
    public ReadOnlyMemory<byte> Body { get; init; }

    /// <summary>What the site has of each site; empty but for a stamp.</summary>
    public IReadOnlyList<ulong> Have { get; init; } = [];

    /// <summary>The state; null but for one.</summary>
    public SiteState? State { get; init; }

    /// <summary>True for entries.</summary>
    public bool HasContent => Kind is OrderRecordKind.Entry or OrderRecordKind.Forward;

    /// <summary>The record that tells of an entry.</summary>
    /// <param name="entry">The entry.</param>
    /// <param name="isOwn">False when it is forwarded.</param>
    public static OrderRecord Of(OrderedEntry entry, bool isOwn) => new()
    {
        Kind = isOwn ? OrderRecordKind.Entry : OrderRecordKind.Forward,
        Origin = isOwn ? -1 : entry.Site,
        View = entry.View,
        Number = entry.Number,
        Stamp = entry.Stamp,
        Body = entry.Content!.Body,
    };

    /// <summary>Writes it.</summary>
    public byte[] ToBytes()
    {
        int rest = State is null ? Body.Length + (10 * Have.Count) : SiteState.LengthFor(State.Have.Length);
        var bytes = new byte[HeadLength + rest];
        var writer = new WireWriter(bytes);
        writer.WriteByte((byte)Kind);
        if (State is not null)
        {
            State.Write(ref writer);
            return bytes[..writer.Written];
        }
        if (Kind == OrderRecordKind.Forward) writer.WriteByte((byte)Origin);
        View.Write(ref writer);
        writer.WriteVarint(Number);
        writer.WriteVarint(Stamp);
        if (Kind == OrderRecordKind.Stamp) writer.WriteByte((byte)Have.Count);
        foreach (ulong have in Have) writer.WriteVarint(have);
        writer.WriteBytes(Body.Span);
        return bytes[..writer.Written];
    }

    /// <summary>Reads one; null when it is malformed. The body is a part of the bytes.</summary>
    public static OrderRecord? Read(ReadOnlyMemory<byte> bytes)
    {
        var reader = new WireReader(bytes.Span);
        var kind = (OrderRecordKind)reader.ReadByte();
        if (kind == OrderRecordKind.State)
        {
            SiteState? state = SiteState.Read(ref reader);
            return state is not null && reader.IsAtEnd ? new OrderRecord { Kind = kind, State = state } : null;
        }
        int origin = kind == OrderRecordKind.Forward ? reader.ReadByte() : -1;
        OrderViewId view = OrderViewId.Read(ref reader);
        ulong number = reader.ReadVarint();
        ulong stamp = reader.ReadVarint();
        if (reader.Failed || view.IsNone || stamp > MostStamp || origin >= SiteSet.MostSites) return null;
        var record = new OrderRecord { Kind = kind, Origin = origin, View = view, Number = number, Stamp = stamp };
        switch (kind)
        {
            case OrderRecordKind.Entry or OrderRecordKind.Forward:
                return number == 0 || stamp == 0 ? null : record with { Body = bytes[^reader.Remaining..] };
            case OrderRecordKind.Stamp:
                int count = reader.ReadByte();
                if (count > SiteSet.MostSites || count > reader.Remaining) return null;
                var have = new ulong[count];
                for (int site = 0; site < count; site++) have[site] = reader.ReadVarint();
                return reader.IsAtEnd ? record with { Have = have } : null;
            default:
                return null;
        }
    }
}
