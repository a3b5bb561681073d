using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// The time between reports to a new server and its next step, in which the survivors of a lost server register. It
/// lasts until all nodes that any report names have registered, or are known to be removed. It lasts at most
/// <see cref="MembershipServerSettings.TakeoverTimeout"/>: nodes missing then are removed. A connection that is being
/// made may be that of a missing node: such connections are waited for ten seconds more. No step is made before the
/// end, so no survivor misses a message that another sends in the new epoch.
/// <para>
/// A node may be in a group without being named in any report: the lost server died during its notifications of the
/// step, and had notified only that node. So the gathering continues when all named nodes are back. It ends when no
/// node has come for a quarter of the reconnect grace, at the latest after the whole grace. All connections broke at
/// the same instant, so the nodes come together. An unnamed node that comes between the quarter and the whole is
/// refused, and has to return as a new node.
/// </para>
/// <para>
/// Nodes that share no group do not name each other. So the time may begin again, for later nodes with groups that no
/// step of this server has had. A node with a group that a step has had is too late, and is refused. The time begins
/// again only within its own length. Otherwise any node that claims to be a survivor could hold up the cluster later.
/// </para>
/// <para>
/// Reports may contradict each other: one lists a node as removed that others name as a member, or that is here. None
/// of them can prove anything. An absent node counts as removed when at least as many reports list it as removed as
/// name it. A present node is removed when its accuser is a member that it names itself, as the same process. That
/// member has gone on without it, in steps that the node can never get. It is also removed when more reports list it as
/// removed than name it. Otherwise its accusers are removed, since they have ended its streams. A vote counts only from
/// a node of the session that is followed. A member that the accused has met may come from a later session, unknown to
/// the accused.
/// </para>
/// <para>
/// Only members count. A node that reports no group and no view neither votes nor counts as present. Voters of one
/// identity are one, as <see cref="Concern"/> says.
/// </para>
/// <para>
/// Awkward case: the lost server may have activated a step without a node that did not install it in time, or that it
/// had removed. That node can never get the messages of that step: it counts as removed. The reports identify it. Some
/// node was allowed to send in a step that this one has not installed. Either it knows a view of that step, or an
/// earlier one, with this node in it that this node cannot know. Or it is a member of one of this node's groups, or of
/// one that this node publishes to, and does not know this node.
/// </para>
/// <para>
/// A missing member may have died, and its process been restarted. A newcomer with its control endpoint, or otherwise
/// its name, is its successor. Then the member is gone, but counts as back for the majority. It is neither waited for
/// nor counted as missing, and the newcomer counts once.
/// </para>
/// </summary>
/// <param name="instance">The cluster instance.</param>
/// <param name="followed">The session of the first report; a report of a later session begins another takeover.</param>
/// <param name="sight">Tells which registered nodes are silent.</param>
/// <param name="probes">Hooks of simulator tests.</param>
internal sealed class Takeover(ulong instance, Epoch followed, QuorumLossGuard sight, Probes probes)
{
    private const int MostRemoved = 1 << 16;

    private readonly SortedSet<ulong> _missing = [];
    private readonly HashSet<ulong> _registered = [];
    private readonly HashSet<ulong> _earlier = [];
    private readonly SortedDictionary<ulong, List<ServerNode>> _accusers = [];
    private readonly HashSet<ServerNode> _voters = [];
    private readonly HashSet<ServerNode> _believed = [];
    private readonly Dictionary<ulong, int> _naming = [];
    private readonly HashSet<ulong> _removed = [];
    private readonly Dictionary<ulong, StepNumber> _mustKnow = [];
    private readonly Dictionary<ulong, NodeInfo> _described = [];
    private readonly SortedDictionary<ulong, ServerNode> _followers = [];
    private readonly HashSet<ServerNode> _following = [];
    private readonly List<ServerNode> _candidates = [];
    private bool _isMore;
    private readonly List<(ServerNode Node, ReportFrame Report)> _reports = [];

    /// <summary>The cluster instance.</summary>
    public ulong Instance { get; } = instance;

    /// <summary>The session of the first report.</summary>
    public Epoch Followed { get; } = followed;

    /// <summary>The latest end of the time for unnamed nodes.</summary>
    public Instant EarliestEnd { get; set; }

    /// <summary>The latest time at which a survivor lost its server.</summary>
    public Instant LostAt { get; set; }

    /// <summary>The time until which the gathering may begin again.</summary>
    public Instant LastBegin { get; set; }

    /// <summary>The end of the time for unnamed nodes if no further node comes.</summary>
    public Instant QuietEnd { get; set; }

    /// <summary>The time as of which nodes are present or away.</summary>
    public Instant LookedAt { get; set; }

    /// <summary>True while nodes register.</summary>
    public bool IsGathering { get; set; }

    /// <summary>Keys of nodes that are named and have not registered, rising.</summary>
    public IReadOnlyCollection<ulong> Missing => _missing;

    /// <summary>
    /// Number of members that are present: connected survivors, and restarted processes that succeed a missing one.
    /// </summary>
    public int Present
    {
        get
        {
            var here = new HashSet<ServerNode>(_followers.Values);
            here.UnionWith(Members);
            here.RemoveWhere(node => node.Info.IsRemoved || IsAway(node));
            return here.Count;
        }
    }

    /// <summary>
    /// Number of known members that are away: those that have not registered, and those that were lost sight of after
    /// they had.
    /// </summary>
    public int Absent => _missing.Count + Lost.Count();

    /// <summary>
    /// True when at least as many of the known nodes, removed ones excluded, are present as are away. Half is enough:
    /// one of those away is usually the node in the lost server's own process.
    /// </summary>
    public bool HasMajority => Present >= Absent;

    /// <summary>
    /// True for a node that was missing, was removed since, or was agreed by survivors to be removed.
    /// </summary>
    public bool IsRemoved(ulong key) => _removed.Contains(key);

    /// <summary>Marks a node as removed.</summary>
    public void MarkRemoved(ulong key)
    {
        _removed.Add(key);
        _missing.Remove(key);
    }

    /// <summary>The first of the members that are away, for diagnostics.</summary>
    public List<string> Name(int limit) =>
        [.. _missing.Select(NameOf).Concat(Lost.Select(static node => node.DisplayName)).Take(limit)];

    private IEnumerable<ServerNode> Members => _reports
        .Where(static report => !report.Report.IsEmpty)
        .Select(static report => report.Node);

    private IEnumerable<ServerNode> Lost => Members.Where(node => !node.Info.IsRemoved && IsAway(node));

    private bool IsAway(ServerNode node) => node.Connection is null || sight.IsSilent(node, LookedAt);

    /// <summary>The name of a missing member and its address; its number when no report describes it.</summary>
    private string NameOf(ulong key) =>
        _described.TryGetValue(key, out NodeInfo? node) ? ServerNode.Describe(node) : $"node {key >> 32}.{(uint)key}";

    /// <summary>
    /// A process has registered without a number: it may be one of the missing, restarted. So may a node without groups
    /// that had its number from this server, and had to report after a survivor of a later server came.
    /// </summary>
    public void OnCome(ServerNode newcomer)
    {
        _candidates.Add(newcomer);
        TryFollow(newcomer);
    }

    private void TryFollow(ServerNode candidate)
    {
        if (candidate.Info.IsRemoved || _following.Contains(candidate)) return;
        ulong followed = 0;
        foreach (ulong key in _missing)
        {
            if (!_described.TryGetValue(key, out NodeInfo? node) || node.Identity != candidate.Identity) continue;
            if (node.Control == candidate.Info.Control)
            {
                followed = key;
                break;
            }
            if (followed == 0 && node.Name.Length > 0 && node.Name == candidate.Info.Name) followed = key;
        }
        if (followed == 0) return;
        probes.Reached("a process returns as a member that a takeover misses");
        _followers.Add(followed, candidate);
        _following.Add(candidate);
        LookAt(followed);
    }

    /// <summary>A node is gone again: if it succeeded a missing one, that is missing again.</summary>
    public void OnGone(ServerNode node)
    {
        if (!_following.Remove(node)) return;
        foreach ((ulong key, ServerNode follower) in _followers)
        {
            if (follower != node) continue;
            _followers.Remove(key);
            LookAt(key);
            return;
        }
    }

    /// <summary>The operator declares missing members of a name gone.</summary>
    /// <returns>Number of members forgotten.</returns>
    public int Forget(string name)
    {
        ulong[] named = [.. _missing.Where(IsNamed)];
        foreach (ulong key in named) MarkRemoved(key);
        return named.Length;

        bool IsNamed(ulong key) => _described.TryGetValue(key, out NodeInfo? node) && node.Name == name;
    }

    /// <summary>Marks a node that is too late as removed.</summary>
    /// <returns>False when that was known, or the limit of remembered nodes is reached.</returns>
    public bool TryMarkRemoved(ulong key)
    {
        if (_removed.Count >= MostRemoved || !_removed.Add(key)) return false;
        _missing.Remove(key);
        return true;
    }

    /// <summary>A node has registered and reported.</summary>
    /// <param name="node">The node that reported.</param>
    /// <param name="session">The epoch of its session.</param>
    /// <param name="report">The node's report.</param>
    public void Register(ServerNode node, Epoch session, ReportFrame report)
    {
        _registered.Add(node.Key);
        _missing.Remove(node.Key);
        var named = new SortedSet<ulong> { node.Key };
        foreach (ReportFrame.ViewEntry view in report.Views)
        {
            named.UnionWith(view.Members);
            named.UnionWith(view.Senders);
        }
        named.ExceptWith(report.Removed);
        foreach (ulong key in named) _naming[key] = _naming.GetValueOrDefault(key) + 1;
        if (session == Followed) _voters.Add(node);
        foreach (ulong key in report.IsEmpty ? [] : report.Removed)
        {
            if (session.Term >= Followed.Term) _believed.Add(node);
            if (!_accusers.TryGetValue(key, out List<ServerNode>? accusers)) _accusers.Add(key, accusers = []);
            accusers.Add(node);
            LookAt(key);
        }
        foreach (NodeInfo described in report.Nodes) _described.TryAdd(described.Number.Key, described);
        if (_followers.Remove(node.Key, out ServerNode? follower)) _following.Remove(follower);
        foreach (ulong key in named) LookAt(key);
        foreach (ReportFrame.ViewEntry view in report.Views)
        {
            if (!view.IsActivated) continue;
            foreach (ulong key in view.Members)
            {
                if (_mustKnow.GetValueOrDefault(key) < view.FirstStep) _mustKnow[key] = view.FirstStep;
            }
        }
        _reports.Add((node, report));
        if (report.IsEmpty) _candidates.Add(node);
        if (!_isMore) return;
        _isMore = false;
        foreach (ServerNode candidate in _candidates) TryFollow(candidate);
    }

    /// <summary>Settles contradictions between reports, at the end of the gathering.</summary>
    /// <returns>The present nodes that are to be removed.</returns>
    public List<ServerNode> Contradicted()
    {
        var gone = new HashSet<ServerNode>();
        foreach ((ulong key, List<ServerNode> accusers) in _accusers)
        {
            if (_removed.Contains(key)) continue;
            if (!_registered.Contains(key))
            {
                if (!_missing.Contains(key)) MarkRemoved(key);
                continue;
            }
            (ServerNode? accused, ReportFrame? report) = _reports.Find(entry => entry.Node.Key == key);
            bool isOutvoted = accused is not null
                && CountVotes(accusers, accused.Identity) > _naming.GetValueOrDefault(key);
            bool isToGo = accused is not null && !_earlier.Contains(key)
                && (isOutvoted || accusers.Exists(accuser => IsBelieved(accuser, report!)));
            if (isToGo)
                gone.Add(accused!);
            else
                gone.UnionWith(accusers);
        }
        foreach (ulong key in _followers.Keys) MarkRemoved(key);
        _followers.Clear();
        _following.Clear();
        _candidates.Clear();
        _accusers.Clear();
        _voters.Clear();
        _believed.Clear();
        _naming.Clear();
        _earlier.UnionWith(_registered);
        return [.. gone.Where(static node => !node.Info.IsRemoved).OrderBy(static node => node.Key)];
    }

    /// <summary>True for an accuser that the accused has met: its address and incarnation are hard to guess.</summary>
    private bool IsBelieved(ServerNode accuser, ReportFrame accused) =>
        _believed.Contains(accuser) && accused.Nodes.Exists(known =>
            known.Number == accuser.Info.Number
            && known.Incarnation == accuser.Info.Incarnation
            && known.Control == accuser.Info.Control);

    private bool IsAgreed(ulong key)
    {
        if (!_accusers.TryGetValue(key, out List<ServerNode>? accusers)) return false;
        int votes = CountVotes(accusers, _described.GetValueOrDefault(key)?.Identity ?? "");
        return votes > 0 && votes >= _naming.GetValueOrDefault(key);
    }

    // Votes of nodes of the session that is followed. Of another identity than the accused, one for each identity.
    private int CountVotes(List<ServerNode> accusers, string accused)
    {
        var voices = new HashSet<object>();
        foreach (ServerNode accuser in accusers)
        {
            bool isAlone = accuser.Identity.Length == 0 || accuser.Identity == accused;
            if (_voters.Contains(accuser)) voices.Add(isAlone ? accuser : accuser.Identity);
        }
        return voices.Count;
    }

    private void LookAt(ulong key)
    {
        bool isMissing = !_registered.Contains(key) && !_removed.Contains(key) && _naming.ContainsKey(key)
            && !_followers.ContainsKey(key) && !IsAgreed(key);
        if (isMissing) _isMore |= _missing.Add(key);
        else _missing.Remove(key);
    }

    /// <summary>Removed nodes, by key.</summary>
    public List<ulong> Removed()
    {
        var removed = new List<ulong>(_removed);
        removed.Sort();
        return removed;
    }

    /// <summary>Registered nodes that an activated step has left behind.</summary>
    public List<ServerNode> LeftBehind()
    {
        Dictionary<GroupId, (StepNumber Active, ServerNode Node, HashSet<ulong> Named)> ahead = FarthestByGroup();
        var behind = new List<ServerNode>();
        foreach ((ServerNode node, ReportFrame report) in _reports)
        {
            bool isUnaware = report.Installed < _mustKnow.GetValueOrDefault(node.Key);
            bool isForgotten = report.Groups.Exists(IsForgotten) || report.Published.Exists(IsForgotten);
            if (!node.Info.IsRemoved && (isUnaware || isForgotten))
            {
                behind.Add(node);
            }

            bool IsForgotten(GroupInfo group)
            {
                if (!ahead.TryGetValue(group.Id, out (StepNumber Active, ServerNode Node, HashSet<ulong> Named) best))
                    return false;
                (StepNumber active, ServerNode other, HashSet<ulong> named) = best;
                return other != node && report.Installed < active && !named.Contains(node.Key);
            }
        }
        _reports.Clear();
        return behind;
    }

    /// <summary>
    /// For each group: the member that was allowed to send in the latest step, and the nodes that it names.
    /// </summary>
    private Dictionary<GroupId, (StepNumber Active, ServerNode Node, HashSet<ulong> Named)> FarthestByGroup()
    {
        var farthest = new Dictionary<GroupId, (StepNumber Active, ServerNode Node, HashSet<ulong> Named)>();
        foreach ((ServerNode node, ReportFrame report) in _reports)
        {
            HashSet<ulong>? named = null;
            foreach (GroupInfo group in report.Groups)
            {
                if (farthest.TryGetValue(group.Id, out (StepNumber Active, ServerNode Node, HashSet<ulong> Named) best)
                    && best.Active >= report.Active)
                {
                    continue;
                }
                named ??= [.. report.Views.SelectMany(view => view.Members.Concat(view.Senders))];
                farthest[group.Id] = (report.Active, node, named);
            }
        }
        return farthest;
    }
}
