namespace QuickSilver.Testing.Faults;

/// <summary>A node ends from one instant to the next; at the end of the fault a new one starts on the same machine, at
/// the same address, as a new incarnation, and joins what its machine belongs to. A machine whose node has ended
/// already gets one all the same, unless it was destroyed by a
/// <see cref="NodeCrash"/>.</summary>
/// <param name="At">When it ends, counted from the start of the simulation.</param>
/// <param name="Duration">How long the machine is without a node: shorter or longer than the detector's
/// patience.</param>
/// <param name="Node">Index of the machine.</param>
internal sealed record NodeRestart(TimeSpan At, TimeSpan Duration, int Node) : Fault(At, Duration)
{
    internal override IReadOnlyList<int> Hits => [Node];

    internal override void Apply(SimulatedCluster cluster, bool begins)
    {
        if (begins) cluster.On(Node).Crash();
        else cluster.Revive(Node);
    }
}
