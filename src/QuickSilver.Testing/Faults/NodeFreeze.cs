namespace QuickSilver.Testing.Faults;

/// <summary>A node's core thread stands still; its sockets go on filling.</summary>
/// <param name="At">When it begins, counted from the start of the simulation.</param>
/// <param name="Duration">How long it lasts.</param>
/// <param name="Node">Index of the machine.</param>
/// <param name="StopsClock">True: the machine's clock stood still meanwhile, as a suspended virtual machine's may;
/// false: it jumps on.</param>
internal sealed record NodeFreeze(TimeSpan At, TimeSpan Duration, int Node, bool StopsClock = false)
    : Fault(At, Duration)
{
    internal override IReadOnlyList<int> Hits => [Node];

    internal override void Apply(SimulatedCluster cluster, bool begins)
    {
        if (begins) cluster.On(Node).Freeze(Duration, StopsClock);
    }
}
