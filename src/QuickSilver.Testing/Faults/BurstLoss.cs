using QuickSilver.Testing.Network;

namespace QuickSilver.Testing.Faults;

/// <summary>Loss that comes in bursts: ways are good or bad for random times, and lose only while they are
/// bad.</summary>
/// <param name="At">When it begins, counted from the start of the simulation.</param>
/// <param name="Duration">How long it lasts.</param>
/// <param name="Scope">Which ways are bad at the same times.</param>
/// <param name="Good">Mean time for which a way is good.</param>
/// <param name="Bad">Mean time for which it is bad.</param>
/// <param name="Loss">Probability of being lost on a bad way, 0 to 1.</param>
internal sealed record BurstLoss(
    TimeSpan At, TimeSpan Duration, LossScope Scope, TimeSpan Good, TimeSpan Bad, double Loss) : Fault(At, Duration)
{
    internal override void Apply(SimulatedCluster cluster, bool begins)
    {
        if (begins) cluster.Conditions.Begin(this, new BurstyLoss(cluster.Random, Scope, Good, Bad, Loss, cluster.Now));
        else cluster.Conditions.End(this);
    }
}
