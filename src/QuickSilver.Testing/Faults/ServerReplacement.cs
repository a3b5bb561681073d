namespace QuickSilver.Testing.Faults;

/// <summary>The membership server dies with all it knows, and its channels with it; an empty one takes its place at
/// once.</summary>
/// <param name="At">When, counted from the start of the simulation.</param>
internal sealed record ServerReplacement(TimeSpan At) : Fault(At, TimeSpan.Zero)
{
    internal override void Apply(SimulatedCluster cluster, bool begins)
    {
        if (begins) cluster.ReplaceServer();
    }
}
