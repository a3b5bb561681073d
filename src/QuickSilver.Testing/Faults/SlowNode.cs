namespace QuickSilver.Testing.Faults;

/// <summary>A node works so many times slower: it reads late, its timers fire late, its buffers fill.</summary>
/// <param name="At">When it begins, counted from the start of the simulation.</param>
/// <param name="Duration">How long it lasts.</param>
/// <param name="Node">Index of the machine.</param>
/// <param name="Factor">How many times slower.</param>
internal sealed record SlowNode(TimeSpan At, TimeSpan Duration, int Node, int Factor) : Fault(At, Duration)
{
    internal override IReadOnlyList<int> Hits => [Node];

    internal override void Apply(SimulatedCluster cluster, bool begins) => cluster.On(Node).Slow(begins ? Factor : 1);
}
