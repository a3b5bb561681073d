namespace QuickSilver.Testing.Faults;

/// <summary>
/// A stranger sends datagrams in the nodes' names: with each copy of a real datagram another may come, from an address
/// that is not its sender's, with the right checksums, that says more than the real one: a later token, a higher
/// acknowledgement, a packet or a beacon further on.
/// </summary>
/// <param name="At">When it begins, counted from the start of the simulation.</param>
/// <param name="Duration">How long it lasts.</param>
/// <param name="Probability">Probability that a copy has such company, 0 to 1.</param>
internal sealed record ForgedSource(TimeSpan At, TimeSpan Duration, double Probability) : Fault(At, Duration)
{
    internal override void Apply(SimulatedCluster cluster, bool begins) => cluster.Conditions.Forge(this, begins);
}
