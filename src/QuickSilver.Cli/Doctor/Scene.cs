using QuickSilver.WideArea;

namespace QuickSilver.Cli.Doctor;

/// <summary>What was gathered about this machine, the cluster and the network.</summary>
/// <param name="Options">The options of the node.</param>
/// <param name="Machine">This machine.</param>
internal sealed record Scene(QuickSilverOptions Options, MachineFacts Machine)
{
    /// <summary>Why the node did not start; null if it did.</summary>
    public Exception? StartFailure { get; init; }

    /// <summary>What each server of the command line said when it was asked alone.</summary>
    public IReadOnlyList<ServerAnswer> Servers { get; init; } = [];

    /// <summary>Where servers of the cluster's name announce themselves.</summary>
    public IReadOnlyList<string> Announced { get; init; } = [];

    /// <summary>Where announcements of the cluster's name came from that do not count.</summary>
    public IReadOnlyList<string> Refused { get; init; } = [];

    /// <summary>The records of the node's log.</summary>
    public IReadOnlyList<HeardRecord> Records { get; init; } = [];

    /// <summary>The other nodes that exchanged messages with this one.</summary>
    public IReadOnlyList<PeerReport> Peers { get; init; } = [];

    /// <summary>The other sites, as this site's gateway reaches them; none if no gateway was heard.</summary>
    public IReadOnlyList<SiteRoute> Sites { get; init; } = [];

    /// <summary>The statistics of the node at the end; null if it did not start.</summary>
    public NodeStatistics? Statistics { get; init; }

    /// <summary>How the region of the exchange was carried; null if it is not known.</summary>
    public Carrier? Carrier { get; init; }

    /// <summary>True if all nodes are on this machine.</summary>
    public bool IsLocal => Options.Membership.Mode == MembershipMode.Loopback;

    /// <summary>The code of the failed start; null if it did not fail, or without one.</summary>
    public ErrorCode? StartCode => (StartFailure as QuickSilverException)?.Code;

    /// <summary>The records with an id, each text once.</summary>
    public IEnumerable<string> Heard(params int[] ids) =>
        Records.Where(one => ids.Contains(one.Id)).Select(static one => one.Text).Distinct();
}
