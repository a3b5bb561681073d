namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// What a merge of two bundles saves and costs, if each group sends one message. Every group that both have saves a
/// copy. Every group that only one has is filtered by the residents of the other.
/// </summary>
/// <param name="Of">The bundle that looked for a partner.</param>
/// <param name="Partner">The partner.</param>
/// <param name="Versions">Sum of both bundles' versions: the price is void once one has changed.</param>
/// <param name="IsAmongSeveral">True when only bundles of two nodes or more were looked at.</param>
/// <param name="Saved">Copies saved.</param>
/// <param name="Filtered">Packets filtered.</param>
internal sealed record MergePrice(
    RegionBundle Of, RegionBundle Partner, uint Versions, bool IsAmongSeveral, long Saved, long Filtered)
{
    /// <summary>Computes the price of a merge. O(groups of both).</summary>
    public static MergePrice Compute(RegionBundle one, RegionBundle other, bool isAmongSeveral)
    {
        int shared = SortedCounters.CountShared(one.Groups, other.Groups);
        long filtered = ((long)(one.Groups.Length - shared) * other.Population)
            + ((long)(other.Groups.Length - shared) * one.Population);
        return new MergePrice(one, other, one.Version + other.Version, isAmongSeveral, shared, filtered);
    }

    /// <summary>
    /// True when this merge has the lower price: fewer packets filtered for each copy saved, then fewer filtered, then
    /// the older bundles.
    /// </summary>
    public bool IsBetterThan(MergePrice? other)
    {
        if (other is null) return true;
        Int128 here = (Int128)Filtered * other.Saved;
        Int128 there = (Int128)other.Filtered * Saved;
        if (here != there) return here < there;
        if (Filtered != other.Filtered) return Filtered < other.Filtered;
        (uint, uint) pair = Order(Of.Number, Partner.Number);
        return pair.CompareTo(Order(other.Of.Number, other.Partner.Number)) < 0;
    }

    /// <summary>True while neither bundle has changed, and the same bundles are looked at.</summary>
    public bool IsValid(bool isAmongSeveral) =>
        IsAmongSeveral == isAmongSeveral && Partner.Homes.Count > 0 && Versions == Of.Version + Partner.Version;

    private static (uint, uint) Order(uint one, uint other) => one < other ? (one, other) : (other, one);
}
