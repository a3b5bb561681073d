using QuickSilver.Protocol.Core;

namespace QuickSilver.Bench;

/// <summary>Which nodes are in which groups.</summary>
/// <param name="Name">The pattern's name.</param>
/// <param name="Members">Of each group, the indices of its nodes, rising.</param>
internal sealed record OverlapPattern(string Name, IReadOnlyList<int[]> Members)
{
    /// <summary>Makes all patterns.</summary>
    public static OverlapPattern[] MakeAll(int nodes, int groups) =>
    [
        Make("nested halves", groups, group => First(Math.Max(2, nodes >> (group % 4)))),
        Make("disjoint thirds", groups, group => Where(nodes, node => node % 3 == group % 3)),
        Make("random thirds", groups, group => Draw(nodes, group, (nodes + (group % 3)) / 3)),
        Make("one region a node", groups, group => group < nodes ? [group] : First(nodes)),
        Make("Zipf popularity", groups, group => Draw(nodes, group, Popular(nodes, group))),
    ];

    private static OverlapPattern Make(string name, int groups, Func<int, int[]> members) =>
        new(name, [.. Enumerable.Range(0, groups).Select(members)]);

    private static int[] First(int count) => [.. Enumerable.Range(0, count)];

    private static int[] Where(int nodes, Func<int, bool> isMember) => [.. Enumerable.Range(0, nodes).Where(isMember)];

    // The group of rank k has 1 / k^0.4 of the nodes, and two at least.
    private static int Popular(int nodes, int group) =>
        Math.Clamp((int)Math.Round(nodes / Math.Pow(group + 1, 0.4)), 2, nodes);

    private static int[] Draw(int nodes, int group, int count)
    {
        var random = new SeededRandom(SeededRandom.Mix((ulong)group + 1));
        int[] all = First(nodes);
        for (int index = 0; index < count; index++)
        {
            int other = index + (int)random.NextBelow((ulong)(nodes - index));
            (all[index], all[other]) = (all[other], all[index]);
        }
        return [.. all[..count].Order()];
    }
}
