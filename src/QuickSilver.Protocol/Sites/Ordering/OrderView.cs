using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>Sites that order messages together. Immutable.</summary>
/// <param name="Id">Its name.</param>
/// <param name="Sites">The sites.</param>
/// <param name="Lives">Their lives, by index; 0 for sites that are not in it.</param>
/// <param name="Base">All stamps of views before are at most this; 0 while it is only proposed.</param>
internal sealed record OrderView(OrderViewId Id, SiteSet Sites, IReadOnlyList<ulong> Lives, ulong Base)
{
    /// <summary>Bytes of one, at most.</summary>
    public static int LengthFor(int count) => 1 + OrderViewId.MaxLength + SiteSet.MaxLength + 10 + (10 * count);

    /// <summary>True when a life of a site is in it.</summary>
    public bool Has(int site, ulong life) => Sites.Contains(site) && Lives[site] == life;

    /// <summary>Writes one, or none.</summary>
    public static void Write(ref WireWriter writer, OrderView? view)
    {
        (view?.Id ?? default).Write(ref writer);
        if (view is null) return;
        view.Sites.Write(ref writer);
        writer.WriteVarint(view.Base);
        for (int site = 0; site < view.Lives.Count; site++)
        {
            if (view.Sites.Contains(site)) writer.WriteVarint(view.Lives[site]);
        }
    }

    /// <summary>Reads one; null for none. What contradicts itself fails the reader.</summary>
    public static OrderView? Read(ref WireReader reader, int count)
    {
        OrderViewId id = OrderViewId.Read(ref reader);
        if (reader.Failed || id.IsNone) return null;
        SiteSet sites = SiteSet.Read(ref reader);
        ulong after = reader.ReadVarint(OrderRecord.MostStamp);
        var lives = new ulong[count];
        for (int site = 0; site < SiteSet.MostSites && !reader.Failed; site++)
        {
            if (!sites.Contains(site)) continue;
            ulong life = site < count ? reader.ReadVarint() : 0;
            if (life == 0) reader.Fail();
            else lives[site] = life;
        }
        if (sites.IsEmpty) reader.Fail();
        return reader.Failed ? null : new OrderView(id, sites, lives, after);
    }
}
