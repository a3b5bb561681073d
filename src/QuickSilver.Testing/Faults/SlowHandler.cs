namespace QuickSilver.Testing.Faults;

/// <summary>The application's handler on a node takes its time for each message, on the core thread.</summary>
/// <param name="At">When it begins, counted from the start of the simulation.</param>
/// <param name="Duration">How long it lasts.</param>
/// <param name="Node">Index of the machine.</param>
/// <param name="PerMessage">Time for each message.</param>
internal sealed record SlowHandler(TimeSpan At, TimeSpan Duration, int Node, TimeSpan PerMessage) : Fault(At, Duration)
{
    internal override IReadOnlyList<int> Hits => [Node];

    internal override void Apply(SimulatedCluster cluster, bool begins) =>
        cluster.On(Node).Work.HandlerTime = begins ? PerMessage : TimeSpan.Zero;
}
