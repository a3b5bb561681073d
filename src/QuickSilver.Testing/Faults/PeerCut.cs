namespace QuickSilver.Testing.Faults;

/// <summary>Nothing passes from some hosts of an election to the others.</summary>
/// <param name="At">When it begins, counted from the start of the simulation.</param>
/// <param name="Duration">How long it lasts.</param>
/// <param name="Hosts">A bit for each of them.</param>
/// <param name="IsOneWay">True when the others reach them.</param>
internal sealed record PeerCut(TimeSpan At, TimeSpan Duration, int Hosts, bool IsOneWay) : Fault(At, Duration)
{
    internal override void Apply(SimulatedCluster cluster, bool begins)
    {
        if (begins) cluster.Election?.Cut(Hosts, Duration, IsOneWay);
    }
}
