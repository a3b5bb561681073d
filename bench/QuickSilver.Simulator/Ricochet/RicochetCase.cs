using QuickSilver.Protocol.Lateral;

namespace QuickSilver.Simulator.Ricochet;

/// <summary>One point of the evaluation of Ricochet.</summary>
/// <param name="Members">The groups of each node.</param>
/// <param name="Rates">The c of each group.</param>
/// <param name="Code">How repairs are built.</param>
internal sealed record RicochetCase(int[][] Members, double[] Rates, LateralCode Code)
{
    /// <summary>Share of the datagrams that a receiver drops.</summary>
    public double Loss { get; init; } = 0.01;

    /// <summary>How many datagrams a receiver drops in a row.</summary>
    public int Burst { get; init; } = 1;

    /// <summary>Time between two messages of a node, in milliseconds.</summary>
    public double Interval { get; init; } = 10;

    /// <summary>Virtual seconds.</summary>
    public double Seconds { get; init; } = 12;

    /// <summary>Bins that are filled in turn.</summary>
    public int Lanes { get; init; } = 1;

    /// <summary>Decides everything.</summary>
    public ulong Seed { get; init; } = 1;

    /// <summary>Draws members as the paper does: each node joins d of g groups, g = d x nodes / size.</summary>
    public static int[][] Draw(int nodes, int groupsOfNode, int size, ulong seed)
    {
        var random = new Protocol.Core.SeededRandom(seed);
        int groups = Math.Max(1, groupsOfNode * nodes / size);
        var members = new int[nodes][];
        for (int node = 0; node < nodes; node++)
        {
            var chosen = new SortedSet<int>();
            while (chosen.Count < Math.Min(groupsOfNode, groups)) chosen.Add((int)random.NextBelow((ulong)groups));
            members[node] = [.. chosen];
        }
        return members;
    }
}
