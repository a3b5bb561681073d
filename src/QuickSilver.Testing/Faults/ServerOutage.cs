namespace QuickSilver.Testing.Faults;

/// <summary>The membership server dies with all it knows, and its channels with it; an empty one takes its place at the
/// end of the fault.</summary>
/// <param name="At">When it dies, counted from the start of the simulation.</param>
/// <param name="Duration">How long there is none.</param>
internal sealed record ServerOutage(TimeSpan At, TimeSpan Duration) : Fault(At, Duration)
{
    internal override void Apply(SimulatedCluster cluster, bool begins)
    {
        if (begins) cluster.StopServer();
        else cluster.StartServer();
    }
}
