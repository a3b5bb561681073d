using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Network;

namespace QuickSilver.Testing.Faults;

/// <summary>The next copies of one kind of datagram are lost, so many in a row, and nothing else is: only tokens, only
/// acknowledgements, only repairs. With <see cref="DatagramKind.Data"/> at the instant of a sender's last message, only
/// that one.</summary>
/// <param name="At">When it begins, counted from the start of the simulation.</param>
/// <param name="Duration">How long it lasts at most.</param>
/// <param name="Kind">The kind.</param>
/// <param name="Count">How many copies.</param>
/// <param name="From">Index of the sending node; null: every node.</param>
/// <param name="To">Index of the receiving node; null: every node.</param>
internal sealed record KindLoss(TimeSpan At, TimeSpan Duration, DatagramKind Kind, int Count, int? From, int? To)
    : Fault(At, Duration)
{
    internal override void Apply(SimulatedCluster cluster, bool begins)
    {
        if (begins) cluster.Conditions.Begin(this, new KindDropper(Kind, From, To, Count));
        else cluster.Conditions.End(this);
    }
}
