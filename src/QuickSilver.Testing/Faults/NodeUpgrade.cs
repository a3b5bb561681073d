namespace QuickSilver.Testing.Faults;

/// <summary>A node ends, and at the end of the fault one of another build starts on the same machine, as with a
/// <see cref="NodeRestart"/>.</summary>
/// <param name="At">When it ends, counted from the start of the simulation.</param>
/// <param name="Duration">How long the machine is without a node.</param>
/// <param name="Node">Index of the machine.</param>
/// <param name="Newest">The newest version of the protocol that the new build speaks; lower than before when an upgrade
/// is taken back.</param>
internal sealed record NodeUpgrade(TimeSpan At, TimeSpan Duration, int Node, int Newest) : Fault(At, Duration)
{
    internal override IReadOnlyList<int> Hits => [Node];

    internal override void Apply(SimulatedCluster cluster, bool begins)
    {
        if (begins)
        {
            cluster.Install(Node, Newest);
            cluster.On(Node).Crash();
        }
        else
        {
            cluster.Revive(Node);
        }
    }
}
