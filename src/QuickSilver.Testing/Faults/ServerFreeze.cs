namespace QuickSilver.Testing.Faults;

/// <summary>The membership server stands still, and no node does; what nodes send meanwhile is read
/// afterwards.</summary>
/// <param name="At">When it begins, counted from the start of the simulation.</param>
/// <param name="Duration">How long it lasts.</param>
/// <param name="ReadLag">Time from its end, when late alarms fire, until what came meanwhile is read.</param>
internal sealed record ServerFreeze(TimeSpan At, TimeSpan Duration, TimeSpan ReadLag) : Fault(At, Duration)
{
    internal override void Apply(SimulatedCluster cluster, bool begins)
    {
        if (begins) cluster.FreezeServer(Duration, ReadLag);
    }
}
