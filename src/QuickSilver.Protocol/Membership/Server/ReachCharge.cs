namespace QuickSilver.Protocol.Membership.Server;

/// <summary>The findings of fresh reports against one node; kept by <see cref="ReachEvidence"/>.</summary>
/// <param name="accused">The node that is accused.</param>
internal sealed class ReachCharge(ServerNode accused)
{
    /// <summary>The node that is accused.</summary>
    public ServerNode Accused { get; } = accused;

    /// <summary>The findings with their reports, in the order of the reporting nodes' keys.</summary>
    public List<(ReachReport Report, ReachFinding Finding)> Findings { get; } = [];

    /// <summary>
    /// Least number of nodes that an accuser with a finding of its own accuses; <see cref="int.MaxValue"/> when there
    /// is no such accuser.
    /// </summary>
    public int LeastAccusing { get; private set; } = int.MaxValue;

    /// <summary>Adds a finding.</summary>
    public void Add(ReachReport report, ReachFinding finding)
    {
        Findings.Add((report, finding));
        if (finding.IsOwn) LeastAccusing = Math.Min(LeastAccusing, report.Accused(TimeSpan.Zero));
    }
}
