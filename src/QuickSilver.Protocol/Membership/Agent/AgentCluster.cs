using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>
/// The cluster as one node knows it, and the installation of steps. Frames ahead of a step describe its nodes, groups
/// and regions; the descriptions change nothing that is in force. The step itself is checked as a whole before it
/// changes anything.
/// <see cref="AgentRegions"/> keeps the regions and their views, <see cref="KnownViews"/> the nodes and the views until
/// they retire. Groups are kept here: group views and the regions of a group are derived, not sent. Core thread only.
/// </summary>
internal sealed class AgentCluster : ClusterView
{
    private readonly KnownViews _known = new();
    private readonly AgentRegions _regions;
    private readonly Dictionary<GroupId, OwnGroup> _groups = [];
    private readonly Dictionary<GroupId, GroupInfo> _joining = [];
    private AgentRegion? _ownRegion;
    private StepNumber _installed;
    private ulong _lastStep;
    private ulong _layout = 1;
    private Epoch _groupEpoch;

    public AgentCluster(Probes probes) => _regions = new AgentRegions(_known, probes);

    /// <inheritdoc/>
    public override StepNumber Installed => _installed;

    /// <inheritdoc/>
    public override NodeInfo? Self => _known.Self;

    /// <inheritdoc/>
    public override RegionView? Own => _ownRegion?.Current;

    /// <inheritdoc/>
    public override IEnumerable<RegionView> Views => _regions.Current;

    /// <summary>Counter of the last step, installed or made before this node registered.</summary>
    public ulong LastStep => _lastStep;

    /// <summary>Epoch of the last server that admitted this node.</summary>
    public Epoch Epoch { get; private set; }

    /// <summary>Epoch of all group ids.</summary>
    public Epoch GroupEpoch => _groupEpoch;

    /// <inheritdoc/>
    public override NodeInfo? FindNode(ulong key) => _known.FindNode(key)?.Info;

    /// <inheritdoc/>
    public override GroupInfo? FindGroup(GroupId id) => _groups.GetValueOrDefault(id)?.Info;

    /// <summary>True for a group that this node is in, or is about to be in with the next step.</summary>
    public bool Knows(GroupId id) => _groups.ContainsKey(id) || _joining.ContainsKey(id);

    /// <inheritdoc/>
    public override StepNumber GroupViewOf(GroupId group) => _groups.GetValueOrDefault(group)?.View ?? default;

    /// <inheritdoc/>
    public override IReadOnlyList<RegionView> ViewsOf(GroupId group)
    {
        if (!_groups.TryGetValue(group, out OwnGroup? own)) return [];
        if (own.DerivedAt != _layout)
        {
            var views = new List<RegionView>();
            foreach (RegionView view in _regions.Current)
            {
                if (view.Region.Contains(group)) views.Add(view);
            }
            own.Views = views;
            own.DerivedAt = _layout;
        }
        return own.Views;
    }

    /// <summary>This node has been registered; steps begin after <paramref name="lastStep"/>.</summary>
    public void Begin(NodeInfo self, Epoch epoch, Epoch groupEpoch, ulong lastStep)
    {
        Epoch = epoch;
        _groupEpoch = groupEpoch;
        _lastStep = lastStep;
        _known.Begin(self);
    }

    /// <summary>
    /// Another server has admitted this node. The regions of the former one stay in force until the first step that
    /// concerns this node, which replaces all of them. The new server's regions have new numbers.
    /// </summary>
    public void TakeOver(Epoch epoch, ulong lastStep)
    {
        Epoch = epoch;
        _lastStep = lastStep;
        _regions.TakeOver();
        _joining.Clear();
    }

    /// <summary>
    /// Forgets the cluster, this node's number and the steps installed, if the node has never been in a group there.
    /// </summary>
    /// <returns>False when it has; nothing has changed then.</returns>
    public bool TryForget()
    {
        if (_groups.Count + _known.Count > 0 || _ownRegion is not null) return false;
        _known.Clear();
        _joining.Clear();
        _regions.Forget();
        _installed = default;
        _lastStep = 0;
        return true;
    }

    /// <inheritdoc cref="KnownViews.MarkDone"/>
    public void MarkDone(ViewNumber view) => _known.MarkDone(view);

    /// <summary>Writes the report for a new server.</summary>
    /// <param name="frame">The frame to write.</param>
    /// <param name="activated">The last step that this node was allowed to send in.</param>
    public void WriteReport(FrameBuilder frame, StepNumber activated)
    {
        GroupSet groups = _ownRegion?.Info.Groups ?? default;
        frame.Begin(FrameKind.Report).WriteStep(_installed).WriteStep(activated).WriteEpoch(_groupEpoch);
        frame.WriteVarint((ulong)groups.Length);
        foreach (GroupId id in groups)
        {
            GroupInfo info = _groups[id].Info;
            GroupFrame.WriteEntry(frame, id.Counter, info.Mode, info.Name);
        }
        _known.WriteReport(frame, activated);
    }

    /// <inheritdoc cref="KnownViews.Describe"/>
    public void Describe(List<NodeInfo> nodes) => _known.Describe(nodes);

    /// <summary>Groups that this node joins with the next step are described.</summary>
    public void Describe(List<GroupInfo> groups)
    {
        foreach (GroupInfo group in groups) _joining[group.Id] = group;
    }

    /// <summary>A region is described; see <see cref="AgentRegions.TryDescribe"/>.</summary>
    public bool TryDescribe(RegionFrame.Entry entry, ref int remaining) =>
        _regions.TryDescribe(Epoch, _groupEpoch, entry, ref remaining);

    /// <inheritdoc cref="KnownViews.Remove"/>
    public NodeInfo? Remove(ulong key, bool isConfirmed, out bool isNews) =>
        _known.Remove(key, isConfirmed, out isNews);

    /// <inheritdoc cref="KnownViews.MarkClosed"/>
    public void MarkClosed(ViewNumber view, IReadOnlyList<NodeInfo> senders) => _known.MarkClosed(view, senders);

    /// <summary>A view has retired.</summary>
    /// <returns>The view; null when it is unknown or still current: then the server's frame is invalid.</returns>
    public RegionView? Retire(ViewNumber number)
    {
        if (_known.FindView(number) is not { } view || _regions.IsCurrent(view)) return null;
        _known.Retire(view);
        return view;
    }

    /// <summary>Installs a step.</summary>
    /// <returns>The changes; null when the step is impossible, and nothing has changed then.</returns>
    public InstalledStep? Install(StepFrame frame)
    {
        if (Self is not { } self || frame.Step != _lastStep + 1) return null;
        var number = new StepNumber(Epoch, frame.Step);
        if (!frame.IsConcerned && _regions.AwaitsStep) return null;
        if (!frame.IsConcerned) return Commit(number, [], [], [], [], [], []);
        if (_regions.FindOpened(frame, Epoch) is not { } opened) return null;
        if (_regions.FindDropped(frame, opened) is not { } dropped) return null;
        AgentRegion? own = null;
        if (frame.OwnRegion != 0)
        {
            own = _regions.Find(frame.OwnRegion);
            if (own is null || dropped.Contains(own)) return null;
            RegionView? view = opened.Find(candidate => candidate.Region == own).View ?? own.Current;
            if (view is null || view.IndexOf(self.Number.Key) < 0) return null;
        }
        if (Joined(own) is not { } joined) return null;
        List<GroupInfo> left = Left(own);
        var changes = new GroupChanges();
        if (_regions.HasInherited && own is not null) changes.AddAll(own.Info);
        List<RegionView> superseded = _regions.Switch(opened, dropped, frame.Step, changes);
        _ownRegion = own;
        foreach (GroupInfo group in left) _groups.Remove(group.Id);
        foreach (GroupInfo group in joined) _groups.Add(group.Id, new OwnGroup(group));
        _joining.Clear();
        _layout++;
        var changed = new List<GroupInfo>();
        var changedFrom = new List<StepNumber>();
        foreach (GroupId id in changes.Take())
        {
            if (!_groups.TryGetValue(id, out OwnGroup? group)) continue;
            changed.Add(group.Info);
            changedFrom.Add(group.View);
            group.View = number;
        }
        return Commit(number, opened.ConvertAll(view => view.View), superseded, joined, left, changed, changedFrom);
    }

    private InstalledStep Commit(
        StepNumber number,
        List<RegionView> opened,
        List<RegionView> superseded,
        List<GroupInfo> joined,
        List<GroupInfo> left,
        List<GroupInfo> changed,
        List<StepNumber> changedFrom)
    {
        _installed = number;
        _lastStep = number.Counter;
        return new InstalledStep
        {
            Number = number,
            Opened = opened,
            Superseded = superseded,
            Own = Own,
            Joined = joined,
            Left = left,
            Changed = changed,
            ChangedFrom = changedFrom,
            Removed = _known.TakeRemoved(),
        };
    }

    /// <summary>Groups that the node joins; null when one has not been described.</summary>
    private List<GroupInfo>? Joined(AgentRegion? own)
    {
        var joined = new List<GroupInfo>();
        if (own is null || own == _ownRegion) return joined;
        foreach (GroupId id in own.Info.Groups)
        {
            if (_groups.ContainsKey(id)) continue;
            if (!_joining.TryGetValue(id, out GroupInfo? group)) return null;
            joined.Add(group);
        }
        return joined;
    }

    private List<GroupInfo> Left(AgentRegion? own)
    {
        var left = new List<GroupInfo>();
        if (_ownRegion is null || own == _ownRegion) return left;
        foreach (GroupId id in _ownRegion.Info.Groups)
        {
            if (own is null || !own.Info.Contains(id)) left.Add(_groups[id].Info);
        }
        return left;
    }
}
