using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>
/// What a site tells of itself, so that sites agree who takes part. Immutable. The newest of a life counts.
/// <code>
/// count     1 byte   sites
/// life      varint   not 0
/// version   varint   rises with each change
/// policy    1 byte   <see cref="CutPolicy"/>
/// flags     1 byte   1: ready for the view that it has joined
/// clock     varint   its highest stamp
/// reach     sites that it reaches
/// view      <see cref="OrderView"/>, or none
/// joined    the one that it has joined and not begun, or none
/// accepted  the view for which the limits were accepted, or none
/// of each site:
///   have    varint   the last entry in the present view
///   limit   varint   with an accepted view: the last entry that is delivered
///   past    view's id, and a varint (<see cref="StreamEnd"/>)
/// </code>
/// </summary>
internal sealed record SiteState
{
    private const int LeastOfSite = 1 + 3 + 1;

    /// <summary>The life of the site.</summary>
    public required ulong Life { get; init; }

    /// <summary>Rises with each change.</summary>
    public required ulong Version { get; init; }

    /// <summary>What it does in a cut.</summary>
    public CutPolicy Policy { get; init; }

    /// <summary>Sites that it reaches.</summary>
    public SiteSet Reach { get; init; }

    /// <summary>The view that it is in; null before the first.</summary>
    public OrderView? View { get; init; }

    /// <summary>The view that it has joined and not begun: it takes no more of the present one.</summary>
    public OrderView? Joined { get; init; }

    /// <summary>True when it has all that it is to deliver before that view.</summary>
    public bool IsReady { get; init; }

    /// <summary>The highest stamp that it knows.</summary>
    public ulong Clock { get; init; }

    /// <summary>The last view for which it accepted how the present one ends.</summary>
    public OrderViewId Accepted { get; init; }

    /// <summary>How: the last entry of each site.</summary>
    public ulong[] Limits { get; init; } = [];

    /// <summary>What it has of each site, in its view.</summary>
    public required ulong[] Have { get; init; }

    /// <summary>How far each site's entries were delivered.</summary>
    public required StreamEnd[] Past { get; init; }

    /// <summary>Bytes of one, at most.</summary>
    public static int LengthFor(int count) =>
        64 + SiteSet.MaxLength + (2 * OrderView.LengthFor(count)) + OrderViewId.MaxLength
        + (count * (10 + 10 + OrderViewId.MaxLength + 10));

    /// <summary>Writes it.</summary>
    public void Write(ref WireWriter writer)
    {
        writer.WriteByte((byte)Have.Length);
        writer.WriteVarint(Life);
        writer.WriteVarint(Version);
        writer.WriteByte((byte)Policy);
        writer.WriteByte(IsReady ? (byte)1 : (byte)0);
        writer.WriteVarint(Clock);
        Reach.Write(ref writer);
        OrderView.Write(ref writer, View);
        OrderView.Write(ref writer, Joined);
        Accepted.Write(ref writer);
        for (int site = 0; site < Have.Length; site++)
        {
            writer.WriteVarint(Have[site]);
            if (!Accepted.IsNone) writer.WriteVarint(Limits[site]);
            Past[site].View.Write(ref writer);
            writer.WriteVarint(Past[site].Number);
        }
    }

    /// <summary>Reads one; null when it is malformed.</summary>
    public static SiteState? Read(ref WireReader reader)
    {
        int count = reader.ReadByte();
        if (reader.Failed || count > SiteSet.MostSites || reader.Remaining < LeastOfSite * count) return null;
        ulong life = reader.ReadVarint(), version = reader.ReadVarint();
        byte policy = reader.ReadByte(), flags = reader.ReadByte();
        ulong clock = reader.ReadVarint(OrderRecord.MostStamp);
        SiteSet reach = SiteSet.Read(ref reader);
        OrderView? view = OrderView.Read(ref reader, count), joined = OrderView.Read(ref reader, count);
        OrderViewId accepted = OrderViewId.Read(ref reader);
        if (reader.Failed || life == 0 || policy > (byte)CutPolicy.GoOn || flags > 1) return null;
        var have = new ulong[count];
        ulong[] limits = accepted.IsNone ? [] : new ulong[count];
        var past = new StreamEnd[count];
        for (int site = 0; site < count && !reader.Failed; site++)
        {
            have[site] = reader.ReadVarint();
            if (!accepted.IsNone) limits[site] = reader.ReadVarint();
            past[site] = new StreamEnd(OrderViewId.Read(ref reader), reader.ReadVarint());
        }
        if (reader.Failed) return null;
        return new SiteState
        {
            Life = life,
            Version = version,
            Policy = (CutPolicy)policy,
            Reach = reach,
            View = view,
            Joined = joined,
            IsReady = flags == 1,
            Clock = clock,
            Accepted = accepted,
            Limits = limits,
            Have = have,
            Past = past,
        };
    }
}
