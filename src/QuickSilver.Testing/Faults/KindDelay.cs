using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Network;

namespace QuickSilver.Testing.Faults;

/// <summary>
/// A schedule with a bias: every copy of one kind of datagram comes later than it would, so that all other kinds
/// overtake it, systematically and not once in a while. Tokens behind the data they speak of, data behind its beacons,
/// repairs behind the second request: orders that evenly drawn delays hardly ever make.
/// </summary>
/// <param name="At">When it begins, counted from the start of the simulation.</param>
/// <param name="Duration">How long it lasts.</param>
/// <param name="Kind">The kind.</param>
/// <param name="By">How much later each copy comes.</param>
/// <param name="From">Index of the sending node; null: every node.</param>
/// <param name="To">Index of the receiving node; null: every node.</param>
internal sealed record KindDelay(TimeSpan At, TimeSpan Duration, DatagramKind Kind, TimeSpan By, int? From, int? To)
    : Fault(At, Duration)
{
    internal override void Apply(SimulatedCluster cluster, bool begins)
    {
        if (begins) cluster.Conditions.Begin(this, new KindDelayer(Kind, From, To, By));
        else cluster.Conditions.End(this);
    }
}
