namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// The findings of all fresh reports, grouped by accused node. Gathered once for a judgement, so that its cost is
/// linear in the findings, not quadratic. Core thread only.
/// </summary>
internal sealed class ReachEvidence
{
    private readonly Dictionary<ServerNode, ReachCharge> _byNode = [];
    private readonly List<ReachCharge> _charges = [];

    /// <summary>The accused nodes, in the order of their first findings.</summary>
    public IReadOnlyList<ReachCharge> Charges => _charges;

    /// <summary>Number of examinations of findings since the start: the cost of judging.</summary>
    public ulong Work { get; private set; }

    /// <summary>Clears the findings.</summary>
    public void Clear()
    {
        _byNode.Clear();
        _charges.Clear();
    }

    /// <summary>Adds all findings of a report.</summary>
    public void Add(ReachReport report)
    {
        foreach (ReachFinding finding in report.Findings)
        {
            Work++;
            if (!_byNode.TryGetValue(finding.Accused, out ReachCharge? charge))
            {
                charge = new ReachCharge(finding.Accused);
                _byNode.Add(finding.Accused, charge);
                _charges.Add(charge);
            }
            charge.Add(report, finding);
        }
    }

    /// <summary>The findings against a node; null when there are none.</summary>
    public ReachCharge? Find(ServerNode node) => _byNode.GetValueOrDefault(node);

    /// <summary>Counts a finding that was examined again.</summary>
    public void Look() => Work++;
}
