using QuickSilver.Testing.Network;

namespace QuickSilver.Testing.Faults;

/// <summary>
/// One single copy of one datagram is lost, or comes late: the n-th that passes between two nodes after the beginning.
/// Run after run with the next number, it goes through all single losses, or all single overtakings, of a small world.
/// </summary>
/// <param name="At">When counting begins, from the start of the simulation.</param>
/// <param name="Duration">How long counting goes on; the copy is spared when it has not come by then.</param>
/// <param name="Ordinal">Which copy, from 0.</param>
/// <param name="Late">How late it comes; zero: it is lost.</param>
internal sealed record CopyFault(TimeSpan At, TimeSpan Duration, long Ordinal, TimeSpan Late) : Fault(At, Duration)
{
    internal override void Apply(SimulatedCluster cluster, bool begins)
    {
        if (begins) cluster.Conditions.Begin(this, new CopyPicker(Ordinal, Late));
        else cluster.Conditions.End(this);
    }
}
