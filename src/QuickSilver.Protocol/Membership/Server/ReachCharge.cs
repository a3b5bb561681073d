namespace QuickSilver.Protocol.Membership.Server;

/// <summary>All that fresh reports say against one node; kept by <see cref="ReachEvidence"/>.</summary>
/// <param name="accused">The node.</param>
internal sealed class ReachCharge(ServerNode accused)
{
    /// <summary>The node.</summary>
    public ServerNode Accused { get; } = accused;

    /// <summary>Who says it, and what, by the reporting nodes' keys.</summary>
    public List<(ReachReport Report, ReachFinding Finding)> Words { get; } = [];

    /// <summary>Whom those who find it silent themselves accuse, at least; <see cref="int.MaxValue"/>: nobody finds it silent itself.</summary>
    public int LeastAccusing { get; private set; } = int.MaxValue;

    /// <summary>Adds a word.</summary>
    public void Add(ReachReport report, ReachFinding finding)
    {
        Words.Add((report, finding));
        if (finding.IsOwn) LeastAccusing = Math.Min(LeastAccusing, report.Accused(TimeSpan.Zero));
    }
}
