namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// What all fresh reports say, sorted by whom it is said of: gathered once for a judgement, so that judging costs as much as there are findings, and
/// not their square. Core thread only.
/// </summary>
internal sealed class ReachEvidence
{
    private readonly Dictionary<ServerNode, ReachCharge> _byNode = [];
    private readonly List<ReachCharge> _charges = [];

    /// <summary>The nodes that something is said against, in the order in which they are met.</summary>
    public IReadOnlyList<ReachCharge> Charges => _charges;

    /// <summary>Findings looked at since the start, each time that one is: what judging has cost.</summary>
    public ulong Work { get; private set; }

    /// <summary>Begins anew.</summary>
    public void Clear()
    {
        _byNode.Clear();
        _charges.Clear();
    }

    /// <summary>Adds all that a report says.</summary>
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

    /// <summary>What is said against a node; null when nothing is.</summary>
    public ReachCharge? Find(ServerNode node) => _byNode.GetValueOrDefault(node);

    /// <summary>Counts a finding that was looked at once more.</summary>
    public void Look() => Work++;
}
