using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// The last report of a node on the members that hold it up; kept by <see cref="ReachabilityMonitor"/>.
/// </summary>
/// <param name="node">The node that reports.</param>
/// <param name="at">The time of the report.</param>
internal sealed class ReachReport(ServerNode node, Instant at)
{
    /// <summary>The share of a period after which two findings count as due at about the same time.</summary>
    public const double Nearly = 0.8;

    /// <summary>Limit on the findings of a report that count: its own before hearsay.</summary>
    public const int MostFindings = 64;

    private readonly List<ReachFinding> _findings = [];

    // Start times of its own findings, sorted; null: to be made.
    private List<Instant>? _ownSince;

    // Indices in the list: a report may be as long as a frame, and each of its entries is looked up.
    private readonly Dictionary<ServerNode, int> _indices = [];

    /// <summary>The node that reports.</summary>
    public ServerNode Node { get; } = node;

    /// <summary>The time of the report.</summary>
    public Instant At { get; } = at;

    /// <summary>
    /// Time since which the node has asked others without reading any datagram; <see cref="Instant.Never"/> when it
    /// reads some, or does not ask.
    /// </summary>
    public Instant UnheardSince { get; init; } = Instant.Never;

    /// <summary>
    /// Time since which the node has asked others without any answer; <see cref="Instant.Never"/> when some answer, or
    /// it does not ask.
    /// </summary>
    public Instant UnansweredSince { get; init; } = Instant.Never;

    /// <summary>The nodes that it finds silent.</summary>
    public IReadOnlyList<ReachFinding> Findings => _findings;

    /// <summary>The views it waits for.</summary>
    public List<ReachDrain> Drains { get; } = [];

    /// <summary>Nodes whose control datagrams arrive while no data does, and the time since then.</summary>
    public SortedDictionary<ServerNode, Instant> Blocked { get; } =
        new(Comparer<ServerNode>.Create(static (left, right) => left.Key.CompareTo(right.Key)));

    /// <summary>True when no further findings count.</summary>
    public bool IsFull => _findings.Count >= MostFindings;

    /// <summary>Its finding on a node; null when there is none.</summary>
    public ReachFinding? Find(ServerNode accused) =>
        _indices.TryGetValue(accused, out int index) ? _findings[index] : null;

    /// <summary>The views it waits for, indexed by number.</summary>
    public Dictionary<ViewNumber, ReachDrain> DrainsByView()
    {
        var drains = new Dictionary<ViewNumber, ReachDrain>(Drains.Count);
        foreach (ReachDrain drain in Drains) drains.TryAdd(drain.View, drain);
        return drains;
    }

    /// <summary>Drops its finding on a node.</summary>
    public void Remove(ServerNode accused)
    {
        Blocked.Remove(accused);
        if (!_indices.Remove(accused, out int index)) return;
        _ownSince = null;
        _findings.RemoveAt(index);
        for (; index < _findings.Count; index++) _indices[_findings[index].Accused] = index;
    }

    /// <summary>True when the node has asked for the period and has read no datagram.</summary>
    public bool IsDeaf(Instant now, TimeSpan period) =>
        UnheardSince != Instant.Never && now - UnheardSince >= period;

    /// <summary>True when the node has asked for the period without any answer.</summary>
    public bool IsUnanswered(Instant now, TimeSpan period) =>
        UnansweredSince != Instant.Never && now - UnansweredSince >= period;

    /// <summary>
    /// Number of nodes that the node itself has found silent for the period: a passing silence is no finding. O(log
    /// findings) from the second call on.
    /// </summary>
    public int Accused(TimeSpan period)
    {
        if (_ownSince is null)
        {
            IEnumerable<ReachFinding> own = _findings.Where(static finding => finding.IsOwn);
            _ownSince = [.. own.Select(static finding => finding.Since)];
            _ownSince.Sort();
        }
        Instant last = At - period;
        int from = 0;
        for (int to = _ownSince.Count; from < to;)
        {
            int middle = (from + to) / 2;
            if (_ownSince[middle] <= last) from = middle + 1;
            else to = middle;
        }
        return from;
    }

    /// <summary>
    /// Adds a finding. Of two about one node, in two views, its own counts before hearsay, then the older one.
    /// </summary>
    public void Add(ReachFinding finding)
    {
        _ownSince = null;
        if (_indices.TryAdd(finding.Accused, _findings.Count))
        {
            _findings.Add(finding);
            return;
        }
        Span<ReachFinding> findings = System.Runtime.InteropServices.CollectionsMarshal.AsSpan(_findings);
        ref ReachFinding other = ref findings[_indices[finding.Accused]];
        if (finding.IsOwn != other.IsOwn ? finding.IsOwn : finding.Since < other.Since) other = finding;
    }
}
