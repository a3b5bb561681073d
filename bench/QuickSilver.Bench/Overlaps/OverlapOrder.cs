namespace QuickSilver.Bench.Overlaps;

/// <summary>What the members of an irregular overlap are told.</summary>
/// <param name="Pattern">Index among <see cref="OverlapPattern.MakeAll"/>.</param>
/// <param name="Nodes">Nodes of all processes.</param>
/// <param name="NodesAProcess">Nodes of one process.</param>
/// <param name="Groups">Number of groups.</param>
/// <param name="Hybrid">Groups with a multicast address of their own, rising.</param>
internal sealed record OverlapOrder(int Pattern, int Nodes, int NodesAProcess, int Groups, int[] Hybrid)
{
    /// <summary>Which nodes are in which groups.</summary>
    public OverlapPattern Make() => OverlapPattern.MakeAll(Nodes, Groups)[Pattern];

    /// <summary>The groups that span most regions of a pattern: those gain most by an address of their own.</summary>
    /// <param name="pattern">Which nodes are in which groups.</param>
    /// <param name="nodes">Number of nodes.</param>
    /// <param name="most">Groups at most.</param>
    public static int[] ChooseHybrid(OverlapPattern pattern, int nodes, int most)
    {
        string[] regions = Regions(pattern, nodes);
        return
        [
            .. Enumerable.Range(0, pattern.Members.Count)
                .Select(group => (
                    Group: group, Regions: pattern.Members[group].Select(node => regions[node]).Distinct().Count()))
                .Where(static one => one.Regions > 1).OrderByDescending(static one => one.Regions).Take(most)
                .Select(static one => one.Group).Order(),
        ];
    }

    /// <summary>Number of exact regions: sets of nodes that are in the same groups.</summary>
    public static int CountRegions(OverlapPattern pattern, int nodes) => Regions(pattern, nodes).Distinct().Count();

    private static string[] Regions(OverlapPattern pattern, int nodes) =>
    [
        .. Enumerable.Range(0, nodes).Select(node => string.Join(
            ',', Enumerable.Range(0, pattern.Members.Count).Where(
                group => Array.BinarySearch(pattern.Members[group], node) >= 0))),
    ];
}
