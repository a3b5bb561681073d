using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>Names a view of the order: later ones are higher, and no two are alike.</summary>
/// <param name="Round">Above all rounds that its proposer knew; 0: no view.</param>
/// <param name="Site">Index of the site that proposed it.</param>
/// <param name="Life">The life of that site.</param>
internal readonly record struct OrderViewId(ulong Round, int Site, ulong Life) : IComparable<OrderViewId>
{
    /// <summary>The longest form on the wire.</summary>
    public const int MaxLength = 10 + 1 + 10;

    /// <summary>True for no view.</summary>
    public bool IsNone => Round == 0;

    /// <summary>By round, site and life.</summary>
    public int CompareTo(OrderViewId other)
    {
        int byRound = Round.CompareTo(other.Round);
        if (byRound != 0) return byRound;
        int bySite = Site.CompareTo(other.Site);
        return bySite != 0 ? bySite : Life.CompareTo(other.Life);
    }

    /// <summary>Writes it.</summary>
    public void Write(ref WireWriter writer)
    {
        writer.WriteVarint(Round);
        writer.WriteByte((byte)Site);
        writer.WriteVarint(Life);
    }

    /// <summary>Reads one.</summary>
    public static OrderViewId Read(ref WireReader reader)
    {
        var id = new OrderViewId(reader.ReadVarint(), reader.ReadByte(), reader.ReadVarint());
        if (id.Site >= SiteSet.MostSites || (id.IsNone && id != default)) reader.Fail();
        return id;
    }

    /// <summary>True when <paramref name="left"/> is earlier.</summary>
    public static bool operator <(OrderViewId left, OrderViewId right) => left.CompareTo(right) < 0;

    /// <summary>True when <paramref name="left"/> is later.</summary>
    public static bool operator >(OrderViewId left, OrderViewId right) => left.CompareTo(right) > 0;

    /// <summary>True when <paramref name="left"/> is not later.</summary>
    public static bool operator <=(OrderViewId left, OrderViewId right) => left.CompareTo(right) <= 0;

    /// <summary>True when <paramref name="left"/> is not earlier.</summary>
    public static bool operator >=(OrderViewId left, OrderViewId right) => left.CompareTo(right) >= 0;
}
