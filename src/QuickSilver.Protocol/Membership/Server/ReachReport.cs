using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>The last that a node has said of what holds it up; kept by <see cref="ReachabilityMonitor"/>.</summary>
/// <param name="node">The node.</param>
/// <param name="at">When it said so.</param>
internal sealed class ReachReport(ServerNode node, Instant at)
{
    /// <summary>So many findings of a report count: one's own before hearsay.</summary>
    public const int MostFindings = 64;

    private readonly List<ReachFinding> _findings = [];

    // When its own findings began, sorted; null: to be made.
    private List<Instant>? _ownSince;

    // Where in the list: a report may be as long as a frame, and every entry of it is looked up.
    private readonly Dictionary<ServerNode, int> _places = [];

    /// <summary>The node.</summary>
    public ServerNode Node { get; } = node;

    /// <summary>When it said so.</summary>
    public Instant At { get; } = at;

    /// <summary>
    /// Since when the node has asked in vain and read nothing from anybody; <see cref="Instant.Never"/>: it reads, or does not ask.
    /// </summary>
    public Instant UnheardSince { get; init; } = Instant.Never;

    /// <summary>
    /// Since when the node has asked in vain and nobody has answered; <see cref="Instant.Never"/>: somebody does, or it does not ask.
    /// </summary>
    public Instant UnansweredSince { get; init; } = Instant.Never;

    /// <summary>Whom it finds silent.</summary>
    public IReadOnlyList<ReachFinding> Findings => _findings;

    /// <summary>The views it waits for.</summary>
    public List<ReachDrain> Drains { get; } = [];

    /// <summary>Nodes of whose data nothing arrives here, and since when that is known.</summary>
    public SortedDictionary<ServerNode, Instant> Blocked { get; } =
        new(Comparer<ServerNode>.Create(static (left, right) => left.Key.CompareTo(right.Key)));

    /// <summary>True when no more findings count.</summary>
    public bool IsFull => _findings.Count >= MostFindings;

    /// <summary>What it says of a node; null when it says nothing.</summary>
    public ReachFinding? Find(ServerNode accused) => _places.TryGetValue(accused, out int place) ? _findings[place] : null;

    /// <summary>The views it waits for, to be looked up.</summary>
    public Dictionary<ViewNumber, ReachDrain> DrainsByView()
    {
        var drains = new Dictionary<ViewNumber, ReachDrain>(Drains.Count);
        foreach (ReachDrain drain in Drains) drains.TryAdd(drain.View, drain);
        return drains;
    }

    /// <summary>Nothing is held against a node any more.</summary>
    public void Remove(ServerNode accused)
    {
        Blocked.Remove(accused);
        if (!_places.Remove(accused, out int place)) return;
        _ownSince = null;
        _findings.RemoveAt(place);
        for (; place < _findings.Count; place++) _places[_findings[place].Accused] = place;
    }

    /// <summary>True when for so long the node has read nothing from anybody, though it asked.</summary>
    public bool IsDeaf(Instant now, TimeSpan period) => UnheardSince != Instant.Never && now - UnheardSince >= period;

    /// <summary>True when for so long nobody has answered the node, though it asked.</summary>
    public bool IsUnanswered(Instant now, TimeSpan period) => UnansweredSince != Instant.Never && now - UnansweredSince >= period;

    /// <summary>How many the node itself has found silent for so long: a passing silence is no finding. O(log findings) from the second time on.</summary>
    public int Accused(TimeSpan period)
    {
        if (_ownSince is null)
        {
            _ownSince = [.. _findings.Where(static finding => finding.IsOwn).Select(static finding => finding.Since)];
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

    /// <summary>Adds a finding; of two about one node, in two views, the one that has lasted longer counts, and one's own before hearsay.</summary>
    public void Add(ReachFinding finding)
    {
        _ownSince = null;
        if (_places.TryAdd(finding.Accused, _findings.Count))
        {
            _findings.Add(finding);
            return;
        }
        ref ReachFinding other = ref System.Runtime.InteropServices.CollectionsMarshal.AsSpan(_findings)[_places[finding.Accused]];
        if (finding.IsOwn != other.IsOwn ? finding.IsOwn : finding.Since < other.Since) other = finding;
    }
}
