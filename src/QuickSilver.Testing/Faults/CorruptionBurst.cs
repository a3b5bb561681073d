namespace QuickSilver.Testing.Faults;

/// <summary>Datagrams are damaged, as if their UDP checksum were right: flipped bits, a cut or a longer tail, a zeroed
/// stretch, the tail of another.</summary>
/// <param name="At">When it begins, counted from the start of the simulation.</param>
/// <param name="Duration">How long it lasts.</param>
/// <param name="From">Index of the sending node; null: every node.</param>
/// <param name="To">Index of the receiving node; null: every node.</param>
/// <param name="Probability">Probability of being damaged, 0 to 1.</param>
internal sealed record CorruptionBurst(TimeSpan At, TimeSpan Duration, int? From, int? To, double Probability)
    : Fault(At, Duration)
{
    internal override void Apply(SimulatedCluster cluster, bool begins) => cluster.Conditions.Corrupt(this, begins);
}
