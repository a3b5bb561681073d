namespace QuickSilver.Testing.Faults;

/// <summary>Nothing passes between two sets of nodes, while everybody else, the membership server included, reaches
/// both.</summary>
/// <param name="At">When it begins, counted from the start of the simulation.</param>
/// <param name="Duration">How long it lasts.</param>
/// <param name="Left">Indices of the nodes of one side.</param>
/// <param name="Right">Indices of the nodes of the other side.</param>
internal sealed record PartialPartition(
    TimeSpan At, TimeSpan Duration, IReadOnlyList<int> Left, IReadOnlyList<int> Right)
    : Fault(At, Duration)
{
    internal override void Apply(SimulatedCluster cluster, bool begins)
    {
        foreach (int left in Left)
        {
            foreach (int right in Right)
            {
                if (left == right) continue;
                cluster.Conditions.Cut(left, right, begins);
                cluster.Conditions.Cut(right, left, begins);
            }
        }
    }
}
