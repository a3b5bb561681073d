namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>A place in the order of all sites.</summary>
/// <param name="Stamp">A Lamport stamp.</param>
/// <param name="Site">Index of the site whose entry it is.</param>
internal readonly record struct OrderPlace(ulong Stamp, int Site) : IComparable<OrderPlace>
{
    /// <summary>By stamp, then by site.</summary>
    public int CompareTo(OrderPlace other)
    {
        int byStamp = Stamp.CompareTo(other.Stamp);
        return byStamp != 0 ? byStamp : Site.CompareTo(other.Site);
    }

    /// <summary>The number that applications see: rising, and different for all entries.</summary>
    public ulong ToNumber() => (Stamp * SiteSet.MostSites) + (ulong)Site;

    /// <summary>True when <paramref name="left"/> comes first.</summary>
    public static bool operator <(OrderPlace left, OrderPlace right) => left.CompareTo(right) < 0;

    /// <summary>True when <paramref name="left"/> comes last.</summary>
    public static bool operator >(OrderPlace left, OrderPlace right) => left.CompareTo(right) > 0;

    /// <summary>True when <paramref name="left"/> does not come last.</summary>
    public static bool operator <=(OrderPlace left, OrderPlace right) => left.CompareTo(right) <= 0;

    /// <summary>True when <paramref name="left"/> does not come first.</summary>
    public static bool operator >=(OrderPlace left, OrderPlace right) => left.CompareTo(right) >= 0;
}
