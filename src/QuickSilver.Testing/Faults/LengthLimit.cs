namespace QuickSilver.Testing.Faults;

/// <summary>Datagrams longer than a limit vanish silently, as on a way whose MTU is smaller than its ends
/// believe; shorter ones pass.</summary>
/// <param name="At">When it begins, counted from the start of the simulation.</param>
/// <param name="Duration">How long it lasts.</param>
/// <param name="From">Index of the sending node; null: every node.</param>
/// <param name="To">Index of the receiving node; null: every node.</param>
/// <param name="Bytes">Length of the longest datagram that passes, headers of UDP and IP not counted.</param>
internal sealed record LengthLimit(TimeSpan At, TimeSpan Duration, int? From, int? To, int Bytes) : Fault(At, Duration)
{
    internal override void Apply(SimulatedCluster cluster, bool begins) => cluster.Conditions.Shorten(this, begins);
}
