using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// The time between reports to a new server and its next step, in which the survivors of a lost server register. It lasts until all nodes that any
/// report names have registered, or are known to be removed; but no longer than <see cref="MembershipServerSettings.TakeoverTimeout"/>: those that
/// are missing then are removed. Before it is over no step is made, so no survivor misses a message that another sends in the new epoch.
/// <para>
/// A node may be in a group and be named by nobody: the lost server died while it told of the step that let the node in, and told only the node. So
/// when all are back that are named, the time goes on until nobody has come for a quarter of the time that a broken connection may take to come back,
/// and for the whole of that time at most. All connections broke at the same instant, so the nodes come together; who would come within the whole
/// time, but not the quarter, and is named by nobody, is refused and has to return as a new node.
/// </para>
/// <para>
/// Nodes that share no group do not name each other. So the time may begin again, for nodes that come later with groups that no step of this server
/// has had; one with a group that a step has had comes too late, and is refused. It begins again only within its own length: later, anybody who claims
/// to be a survivor could hold up the cluster.
/// </para>
/// <para>
/// Reports may contradict each other: one names a node as removed that others name as a member, or that is here. None of them can prove anything. Who
/// is not here counts as removed when as many say so as name it. Who is here goes when a member that it names itself, as the same process, says so:
/// that member has gone on without it, in steps that the node can never get. It goes too when more say so than name it. Otherwise those go that say
/// so, since they have ended its streams. A vote counts only from a node of the session that is followed. A member that was met
/// may come from a later session, which the accused never heard of.
/// </para>
/// <para>
/// Awkward case: the lost server may have activated a step without a node that did not install it in time, or that it had removed. What others sent
/// in that step the node can never get: it counts as removed. Who it is follows from the reports: somebody has been told to send in a step that the
/// node has not installed, and either knows a view of that step, or an earlier one, with the node in it that the node cannot know, or is in one of
/// its groups and does not know the node.
/// </para>
/// <para>
/// A member that is missing may have died, and its process been restarted: a newcomer with its control endpoint, or else its name, follows it. Then the
/// member is gone, and back, as far as the majority goes: it is neither waited for nor counted as missing, and the newcomer counts once.
/// </para>
/// </summary>
/// <param name="instance">The cluster instance.</param>
/// <param name="followed">The session that the first report came from, and no later one since.</param>
/// <param name="probes">What tests see and move.</param>
internal sealed class Takeover(ulong instance, Epoch followed, Probes probes)
{
    private const int MostRemoved = 1 << 16;

    private readonly SortedSet<ulong> _missing = [];
    private readonly HashSet<ulong> _registered = [];
    private readonly HashSet<ulong> _earlier = [];
    private readonly SortedDictionary<ulong, List<ServerNode>> _accusers = [];
    private readonly Dictionary<ulong, int> _accusations = [];
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

    /// <summary>When nodes that nobody names have had their time at the latest.</summary>
    public Instant EarliestEnd { get; init; }

    /// <summary>Until when the gathering may begin again.</summary>
    public Instant LastBegin { get; init; }

    /// <summary>When they have had it if nobody comes any more.</summary>
    public Instant QuietEnd { get; set; }

    /// <summary>Nodes still register.</summary>
    public bool IsGathering { get; set; }

    /// <summary>Keys of nodes that are named and have not registered, rising.</summary>
    public IReadOnlyCollection<ulong> Missing => _missing;

    /// <summary>How many members are there: survivors that are connected, and restarted processes that follow one that is missing.</summary>
    public int Present
    {
        get
        {
            var here = new HashSet<ServerNode>(_followers.Values);
            here.UnionWith(_reports.Select(static report => report.Node));
            here.RemoveWhere(static node => node.Info.IsRemoved || node.Connection is null);
            return here.Count;
        }
    }

    /// <summary>
    /// True when at least as many of the nodes that are known, and not removed, are there as are missing. Half is enough: one of those named is
    /// the node in the lost server's own process, as a rule.
    /// </summary>
    public bool HasMajority => Present >= _missing.Count;

    /// <summary>True for a node that was missing, or was removed since, or that survivors have agreed to be removed.</summary>
    public bool IsRemoved(ulong key) => _removed.Contains(key);

    /// <summary>A node is known to be removed.</summary>
    public void MarkRemoved(ulong key)
    {
        _removed.Add(key);
        _missing.Remove(key);
    }

    /// <summary>The first of the missing, for people.</summary>
    public List<string> Name(int most) => [.. _missing.Take(most).Select(NameOf)];

    /// <summary>The name of a missing member, and where it was; its number when no report describes it.</summary>
    private string NameOf(ulong key) => _described.TryGetValue(key, out NodeInfo? node) ? ServerNode.Describe(node) : $"node {key >> 32}.{(uint)key}";

    /// <summary>
    /// A process has registered without a number: it may be one of those missing, restarted. So may one that this server has given its number, and that
    /// had to report since a survivor of a later server came: it is in no group.
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
            if (!_described.TryGetValue(key, out NodeInfo? node)) continue;
            if (node.Control == candidate.Info.Control)
            {
                followed = key;
                break;
            }
            if (followed == 0 && node.Name.Length > 0 && node.Name == candidate.Info.Name) followed = key;
        }
        if (followed == 0) return;
        probes.Hit(Mark.SurvivorSucceeded);
        _followers.Add(followed, candidate);
        _following.Add(candidate);
        LookAt(followed);
    }

    /// <summary>A node is gone again: if it followed a missing one, that is missing again.</summary>
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

    /// <summary>The operator says that missing members of a name are gone.</summary>
    /// <returns>How many there were.</returns>
    public int Forget(string name)
    {
        ulong[] named = [.. _missing.Where(key => _described.TryGetValue(key, out NodeInfo? node) && node.Name == name)];
        foreach (ulong key in named) MarkRemoved(key);
        return named.Length;
    }

    /// <summary>A node that comes too late is known to be removed.</summary>
    /// <returns>False when that was known, or is one too many to remember.</returns>
    public bool TryMarkRemoved(ulong key)
    {
        if (_removed.Count >= MostRemoved || !_removed.Add(key)) return false;
        _missing.Remove(key);
        return true;
    }

    /// <summary>A node has registered and reported.</summary>
    /// <param name="node">The node.</param>
    /// <param name="session">Where it comes from.</param>
    /// <param name="report">What it knows.</param>
    public void Register(ServerNode node, Epoch session, ReportFrame report)
    {
        _registered.Add(node.Key);
        _missing.Remove(node.Key);
        var named = new SortedSet<ulong> { node.Key };
        foreach (ReportFrame.ViewEntry view in report.Views) named.UnionWith(view.Members);
        named.ExceptWith(report.Removed);
        foreach (ulong key in named) _naming[key] = _naming.GetValueOrDefault(key) + 1;
        foreach (ulong key in report.Removed)
        {
            if (session == followed) _accusations[key] = _accusations.GetValueOrDefault(key) + 1;
            if (session.Term >= followed.Term) _believed.Add(node);
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

    /// <summary>Settles what reports contradict each other in: who is to go of those that are here. The gathering is over.</summary>
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
            bool isOutvoted = _accusations.GetValueOrDefault(key) > _naming.GetValueOrDefault(key);
            if (accused is not null && !_earlier.Contains(key) && (isOutvoted || accusers.Exists(accuser => IsBelieved(accuser, report!))))
                gone.Add(accused);
            else
                gone.UnionWith(accusers);
        }
        foreach (ulong key in _followers.Keys) MarkRemoved(key);
        _followers.Clear();
        _following.Clear();
        _candidates.Clear();
        _accusers.Clear();
        _accusations.Clear();
        _believed.Clear();
        _naming.Clear();
        _earlier.UnionWith(_registered);
        return [.. gone.Where(static node => !node.Info.IsRemoved).OrderBy(static node => node.Key)];
    }

    /// <summary>True for an accuser that the accused has met: neither an address nor an incarnation is guessed easily.</summary>
    private bool IsBelieved(ServerNode accuser, ReportFrame accused) =>
        _believed.Contains(accuser) && accused.Nodes.Exists(known =>
            known.Number == accuser.Info.Number && known.Incarnation == accuser.Info.Incarnation && known.Control == accuser.Info.Control);

    private bool IsAgreed(ulong key) => _accusations.TryGetValue(key, out int accusations) && accusations >= _naming.GetValueOrDefault(key);

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

    /// <summary>Registered nodes that were left behind by an activated step.</summary>
    public List<ServerNode> LeftBehind()
    {
        Dictionary<GroupId, (StepNumber Active, ServerNode Node, HashSet<ulong> Named)> ahead = FarthestByGroup();
        var behind = new List<ServerNode>();
        foreach ((ServerNode node, ReportFrame report) in _reports)
        {
            if (!node.Info.IsRemoved && (report.Installed < _mustKnow.GetValueOrDefault(node.Key) || report.Groups.Exists(IsForgotten)))
            {
                behind.Add(node);
            }

            bool IsForgotten(GroupInfo group)
            {
                (StepNumber active, ServerNode other, HashSet<ulong> named) = ahead[group.Id];
                return other != node && report.Installed < active && !named.Contains(node.Key);
            }
        }
        _reports.Clear();
        return behind;
    }

    /// <summary>For each group the node in it that has been told to send in the latest step, and the nodes that it names.</summary>
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
                named ??= [.. report.Views.SelectMany(view => view.Members)];
                farthest[group.Id] = (report.Active, node, named);
            }
        }
        return farthest;
    }
}
