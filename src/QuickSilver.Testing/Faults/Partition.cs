namespace QuickSilver.Testing.Faults;

/// <summary>Nothing passes between some nodes and all others; the membership server stays reachable for all.</summary>
/// <param name="At">When it begins, counted from the start of the simulation.</param>
/// <param name="Duration">How long it lasts.</param>
/// <param name="Island">Indices of the nodes on one side.</param>
internal sealed record Partition(TimeSpan At, TimeSpan Duration, IReadOnlyList<int> Island) : Fault(At, Duration)
{
    internal override void Apply(SimulatedCluster cluster, bool begins)
    {
        foreach (int inside in Island)
        {
            for (int outside = 0; outside < cluster.Nodes.Count; outside++)
            {
                if (Island.Contains(outside)) continue;
                cluster.Conditions.Cut(inside, outside, begins);
                cluster.Conditions.Cut(outside, inside, begins);
            }
        }
    }
}
