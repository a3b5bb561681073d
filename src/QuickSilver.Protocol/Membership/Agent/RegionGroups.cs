namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>
/// Computes a region's groups from "like this region, plus these groups, minus those". One merge, O(groups); all lists
/// rise.
/// </summary>
internal static class RegionGroups
{
    /// <summary>
    /// Computes the counters of the groups: <paramref name="plus"/> itself when there is no other region.
    /// </summary>
    /// <param name="like">Groups of the other region; empty: none.</param>
    /// <param name="plus">Groups that it lacks.</param>
    /// <param name="minus">Groups that only it has.</param>
    /// <returns>Null when the other region has a group of <paramref name="plus"/> or lacks one of
    /// <paramref name="minus"/>, or when no group remains.</returns>
    public static uint[]? Apply(ReadOnlySpan<uint> like, uint[] plus, uint[] minus)
    {
        if (minus.Length > like.Length || like.Length - minus.Length + plus.Length == 0) return null;
        if (like.IsEmpty) return plus;
        uint[] groups = new uint[like.Length - minus.Length + plus.Length];
        int count = 0;
        int p = 0;
        int m = 0;
        foreach (uint group in like)
        {
            while (p < plus.Length && plus[p] < group && count < groups.Length) groups[count++] = plus[p++];
            if (p < plus.Length && plus[p] == group) return null;
            if (m < minus.Length && minus[m] == group)
            {
                m++;
                continue;
            }

            // A group of minus that the other region lacks is never passed; then there is one group too many to place.
            if (count == groups.Length) return null;
            groups[count++] = group;
        }
        if (m < minus.Length || plus.Length - p != groups.Length - count) return null;
        plus.AsSpan(p).CopyTo(groups.AsSpan(count));
        return groups;
    }

    /// <summary>True when all groups of <paramref name="part"/> are in <paramref name="whole"/>.</summary>
    public static bool IsSubset(ReadOnlySpan<uint> part, ReadOnlySpan<uint> whole)
    {
        if (part == whole) return true;
        int next = 0;
        foreach (uint group in part)
        {
            while (next < whole.Length && whole[next] < group) next++;
            if (next == whole.Length || whole[next] != group) return false;
        }
        return true;
    }
}
