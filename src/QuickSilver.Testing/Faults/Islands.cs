namespace QuickSilver.Testing.Faults;

/// <summary>
/// Nothing passes between islands of nodes. Nodes that are in none form one more, the mainland, where the membership
/// server stands.
/// </summary>
/// <param name="At">When it begins, counted from the start of the simulation.</param>
/// <param name="Duration">How long it lasts.</param>
/// <param name="Sets">Indices of the nodes of each island.</param>
/// <param name="FromServer">True: the islands are cut off from the membership server as well; false: its channels go
/// on.</param>
internal sealed record Islands(TimeSpan At, TimeSpan Duration, IReadOnlyList<IReadOnlyList<int>> Sets, bool FromServer)
    : Fault(At, Duration)
{
    internal override IReadOnlyList<int> Hits => [.. Sets.SelectMany(set => set)];

    internal override void Apply(SimulatedCluster cluster, bool begins)
    {
        int[] island = new int[cluster.Options.Nodes];
        for (int set = 0; set < Sets.Count; set++)
        {
            foreach (int node in Sets[set]) island[node] = set + 1;
        }
        for (int from = 0; from < island.Length; from++)
        {
            if (FromServer && island[from] != 0) cluster.BreakMembership(from, begins);
            for (int to = 0; to < island.Length; to++)
            {
                if (island[from] != island[to]) cluster.Conditions.Cut(from, to, begins);
            }
        }
    }
}
