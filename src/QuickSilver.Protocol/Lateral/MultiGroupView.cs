using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Lateral;

/// <summary>
/// The other members of this node's lateral groups, by the set of those groups that they share with it: the paper's
/// regions, which do not count the node itself. Made from region views, once a step; O(members of views x groups).
/// Immutable. Source: Ricochet, sections 3.1.1 and 3.2.2.
/// </summary>
internal sealed class MultiGroupView
{
    /// <summary>Makes a view of its parts.</summary>
    internal MultiGroupView(uint[] groups, int[] sizes, List<LateralRegion> regions)
    {
        Groups = groups;
        Sizes = sizes;
        Regions = regions;
    }

    /// <summary>The node's groups, rising.</summary>
    public uint[] Groups { get; }

    /// <summary>Other members of each group.</summary>
    public int[] Sizes { get; }

    /// <summary>The regions that have members.</summary>
    public IReadOnlyList<LateralRegion> Regions { get; }

    /// <summary>Makes the view of a node.</summary>
    /// <param name="groups">Counters of the node's lateral groups, rising.</param>
    /// <param name="views">The region views that span them.</param>
    /// <param name="self">The node's key.</param>
    public static MultiGroupView Make(uint[] groups, IReadOnlyList<RegionView> views, ulong self)
    {
        int[] sizes = new int[groups.Length];
        var regions = new List<LateralRegion>();
        var shared = new List<int>();
        foreach (RegionView view in views)
        {
            LateralRegion? region = null;
            for (int index = 0; index < view.Members.Length; index++)
            {
                NodeInfo member = view.Members[index];
                if (member.IsRemoved || member.Number.Key == self) continue;
                if (region is null || view.IsMerged)
                {
                    Share(groups, view.GroupsOf(index), shared);
                    region = shared.Count == 0 ? null : RegionOf(regions, shared);
                }
                if (region is null) continue;
                region.Members.Add(member);
                foreach (int group in region.Groups) sizes[group]++;
            }
        }
        return new MultiGroupView(groups, sizes, regions);
    }

    private static void Share(uint[] groups, GroupSet others, List<int> shared)
    {
        shared.Clear();
        ReadOnlySpan<uint> counters = others.Counters;
        int at = 0;
        for (int index = 0; index < groups.Length; index++)
        {
            while (at < counters.Length && counters[at] < groups[index]) at++;
            if (at < counters.Length && counters[at] == groups[index]) shared.Add(index);
        }
    }

    private static LateralRegion RegionOf(List<LateralRegion> regions, List<int> shared)
    {
        foreach (LateralRegion known in regions)
        {
            if (known.Groups.AsSpan().SequenceEqual(System.Runtime.InteropServices.CollectionsMarshal.AsSpan(shared)))
                return known;
        }
        var region = new LateralRegion([.. shared]);
        regions.Add(region);
        return region;
    }
}
