using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>Turns "like this region, plus these groups, minus those" into a region's groups. One merge, O(groups).</summary>
internal static class RegionGroups
{
    /// <summary>The groups, by id.</summary>
    /// <param name="like">Groups of the other region; empty: none.</param>
    /// <param name="plus">Counters of groups that it lacks, rising.</param>
    /// <param name="minus">Counters of groups that only it has, rising.</param>
    /// <param name="epoch">Epoch of all of them.</param>
    /// <returns>
    /// Null when the other region has a group of <paramref name="plus"/>, lacks one of <paramref name="minus"/>, or nothing is left.
    /// </returns>
    public static GroupId[]? Apply(GroupId[] like, uint[] plus, uint[] minus, Epoch epoch)
    {
        if (minus.Length > like.Length || like.Length - minus.Length + plus.Length == 0) return null;
        var groups = new GroupId[like.Length - minus.Length + plus.Length];
        int count = 0;
        int p = 0;
        int m = 0;
        foreach (GroupId group in like)
        {
            while (p < plus.Length && plus[p] < group.Counter) groups[count++] = new GroupId(epoch, plus[p++]);
            if (p < plus.Length && plus[p] == group.Counter) return null;
            if (m < minus.Length && minus[m] == group.Counter)
            {
                m++;
                continue;
            }

            // A group of minus that the other region lacks is never passed; then there is one group too many to place.
            if (count == groups.Length) return null;
            groups[count++] = group;
        }
        if (m < minus.Length || plus.Length - p != groups.Length - count) return null;
        while (p < plus.Length) groups[count++] = new GroupId(epoch, plus[p++]);
        return groups;
    }
}
