using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>
/// The cluster as one node knows it, and the installation of steps. Frames ahead of a step describe its nodes, groups
/// and regions; the descriptions change nothing that is in force. The step itself is checked as a whole before it
/// changes anything.
/// <see cref="AgentRegions"/> keeps the regions and their views, <see cref="KnownViews"/> the nodes and the views until
/// they retire. The groups are in a <see cref="GroupLayout"/>; each step that concerns this node makes another. Group
/// views and the regions of a group are derived, not sent. Core thread only.
/// </summary>
internal sealed class AgentCluster : ClusterView
{
    private readonly KnownViews _known = new();
    private readonly AgentRegions _regions;
    private readonly Dictionary<GroupId, GroupInfo> _joining = [];
    private AgentRegion? _ownRegion;
    private GroupSet _ownGroups;
    private GroupLayout _layout = GroupLayout.None;
    private StepNumber _installed;
    private ulong _lastStep;
    private Epoch _groupEpoch;
    private bool _isTakenOver;

    /// <summary>Makes the cluster of a node that is not registered.</summary>
    /// <param name="versions">The versions of the protocol that the node speaks. A view of another is
    /// impossible.</param>
    /// <param name="probes">Hooks of simulator tests.</param>
    public AgentCluster(ProtocolVersions versions, Probes probes) =>
        _regions = new AgentRegions(_known, versions, probes);

    /// <inheritdoc/>
    public override StepNumber Installed => _installed;

    /// <inheritdoc/>
    public override NodeInfo? Self => _known.Self;

    /// <inheritdoc/>
    public override GroupLayout Layout => _layout;

    /// <summary>Counter of the last step, installed or made before this node registered.</summary>
    public ulong LastStep => _lastStep;

    /// <summary>Epoch of the last server that admitted this node.</summary>
    public Epoch Epoch { get; private set; }

    /// <summary>Epoch of all group ids.</summary>
    public Epoch GroupEpoch => _groupEpoch;

    /// <inheritdoc/>
    public override NodeInfo? FindNode(ulong key) => _known.FindNode(key)?.Info;

    /// <summary>
    /// True for a group that this node is in or publishes to, or is about to with the next step.
    /// </summary>
    public bool Knows(GroupId id) => FindGroup(id) is not null || _joining.ContainsKey(id);

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
        _isTakenOver = true;
        ForgetJoining();
    }

    /// <summary>
    /// Forgets the cluster, this node's number and the steps installed, if the node has never been in a group there.
    /// </summary>
    /// <returns>False when it has; nothing has changed then.</returns>
    public bool TryForget()
    {
        if (_layout.Groups.Length + _layout.Published.Length + _known.Count > 0 || _ownRegion is not null)
            return false;
        _known.Clear();
        ForgetJoining();
        _layout = GroupLayout.None;
        _ownGroups = default;
        _regions.Forget();
        _isTakenOver = false;
        _installed = default;
        _lastStep = 0;
        return true;
    }

    /// <inheritdoc cref="KnownViews.MarkDone"/>
    public void MarkDone(ViewNumber view) => _known.MarkDone(view);

    /// <summary>Writes the report for a new server.</summary>
    /// <param name="frame">The frame to write.</param>
    /// <param name="activated">The last step that this node was allowed to send in.</param>
    /// <param name="lostFor">How long ago it lost its server.</param>
    public void WriteReport(FrameBuilder frame, StepNumber activated, TimeSpan lostFor)
    {
        frame.Begin(FrameKind.Report).WriteStep(_installed).WriteStep(activated).WriteEpoch(_groupEpoch);
        ReportFrame.WriteLoss(frame, lostFor);
        WriteGroups(frame, _layout.Infos!);
        WriteGroups(frame, _layout.PublishedGroups.Infos);
        _known.WriteReport(frame, activated);
    }

    private static void WriteGroups(FrameBuilder frame, GroupInfo[] groups)
    {
        frame.WriteVarint((ulong)groups.Length);
        foreach (GroupInfo group in groups)
            GroupFrame.WriteEntry(frame, group.Id.Counter, group.Mode, group.Name, group.Address);
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
        GroupSet groups = default;
        if (frame.OwnRegion != 0)
        {
            own = _regions.Find(frame.OwnRegion);
            if (own is null || dropped.Contains(own)) return null;
            RegionView? view = opened.Find(candidate => candidate.Region == own).View ?? own.Current;
            if (view is null || view.IndexOf(self.Number.Key) is not (>= 0 and int index)) return null;
            groups = view.GroupsOf(index);
        }
        if (Joined(groups) is not { } joined || Publishes(frame) is not { } publishes) return null;
        if (FindSenders(frame) is not { } senders) return null;
        PublishedGroups former = _layout.PublishedGroups;
        if (Published(frame, publishes) is not { } published) return null;
        List<GroupInfo> left = Left(groups);
        var changes = new GroupChanges();
        if (_regions.HasInherited && own is not null) changes.AddAll();
        List<RegionView> superseded = _regions.Switch(opened, dropped, frame.Step, changes);
        _ownRegion = own;
        _ownGroups = groups;
        if (!_isTakenOver) published = published.After(changes, frame.Step, frame.Publishes);
        _layout = MakeLayout(number, joined, changes, published);
        _isTakenOver = false;
        if (own is not null) _known.AddSenders(own.Current!, senders);
        ForgetJoining();
        List<RegionView> views = opened.ConvertAll(view => view.View);
        return Commit(number, views, superseded, joined, left, published.Beyond(former), former.Beyond(published));
    }

    private InstalledStep Commit(
        StepNumber number,
        List<RegionView> opened,
        List<RegionView> superseded,
        List<GroupInfo> joined,
        List<GroupInfo> left,
        List<GroupInfo> published,
        List<GroupInfo> ceased)
    {
        _installed = number;
        _lastStep = number.Counter;
        return new InstalledStep
        {
            Number = number,
            Opened = opened,
            Superseded = superseded,
            Layout = _layout,
            Joined = joined,
            Left = left,
            Published = published,
            Ceased = ceased,
            Removed = _known.TakeRemoved(),
        };
    }

    /// <summary>The layout after a step: arrays that do not change are those of the layout before.</summary>
    private GroupLayout MakeLayout(
        StepNumber number, List<GroupInfo> joined, GroupChanges changes, PublishedGroups published)
    {
        RegionView? own = _ownRegion?.Current;
        ReadOnlySpan<uint> before = _layout.Groups.Counters;
        ReadOnlySpan<uint> after = _ownGroups.Counters;
        GroupInfo?[] infos = _layout.Infos;
        ulong[] changedIn = _layout.ChangedIn;
        if (before != after)
        {
            infos = new GroupInfo?[after.Length];
            changedIn = new ulong[after.Length];
            int next = 0;
            int old = 0;
            for (int index = 0; index < after.Length; index++)
            {
                while (old < before.Length && before[old] < after[index]) old++;
                bool isOld = old < before.Length && before[old] == after[index];
                infos[index] = isOld ? _layout.Infos[old] : joined[next++];
                changedIn[index] = isOld ? _layout.ChangedIn[old] : number.Counter;
            }
        }
        else if (!changes.IsEmpty)
        {
            changedIn = [.. changedIn];
        }
        changes.Mark(after, changedIn, number.Counter);
        return new GroupLayout(number, own, _ownGroups, [.. _regions.Current], infos, changedIn, published);
    }

    /// <summary>Groups that the node joins, by id; null when one has not been described.</summary>
    private List<GroupInfo>? Joined(GroupSet groups)
    {
        var joined = new List<GroupInfo>();
        ReadOnlySpan<uint> before = _layout.Groups.Counters;
        if (groups.Counters == before) return joined;
        int old = 0;
        foreach (GroupId id in groups)
        {
            while (old < before.Length && before[old] < id.Counter) old++;
            if (old < before.Length && before[old] == id.Counter) continue;
            if (!_joining.TryGetValue(id, out GroupInfo? group)) return null;
            joined.Add(group);
        }
        return joined;
    }

    /// <summary>Groups that the node begins to publish to, by id; null when one has not been described.</summary>
    private List<GroupInfo>? Publishes(StepFrame frame)
    {
        var publishes = new List<GroupInfo>();
        foreach ((uint counter, _) in frame.Publishes)
        {
            if (!_joining.TryGetValue(new GroupId(_groupEpoch, counter), out GroupInfo? group)) return null;
            publishes.Add(group);
        }
        return publishes;
    }

    /// <summary>
    /// All groups that the node publishes to after a step; null when the step is impossible. Of a new server the first
    /// step names all of them.
    /// </summary>
    private PublishedGroups? Published(StepFrame frame, List<GroupInfo> begun)
    {
        PublishedGroups before = _isTakenOver ? PublishedGroups.None : _layout.PublishedGroups;
        if (frame.Ceases.Length + begun.Count == 0) return before;
        return before.Change(_groupEpoch, frame.Ceases, begun, frame.Publishes);
    }

    /// <summary>
    /// The publishers that reach the node's region and that the step names; null when one has not been described.
    /// </summary>
    private List<KnownNode>? FindSenders(StepFrame frame)
    {
        var senders = new List<KnownNode>();
        if (frame.Senders is not { } keys) return senders;
        if (frame.OwnRegion == 0) return null;
        foreach (ulong key in keys)
        {
            if (_known.FindNode(key) is not { } node || node.Info == Self) return null;
            senders.Add(node);
        }
        return senders;
    }

    private List<GroupInfo> Left(GroupSet groups)
    {
        var left = new List<GroupInfo>();
        ReadOnlySpan<uint> before = _layout.Groups.Counters;
        ReadOnlySpan<uint> after = groups.Counters;
        if (after == before) return left;
        int next = 0;
        for (int index = 0; index < before.Length; index++)
        {
            while (next < after.Length && after[next] < before[index]) next++;
            if (next == after.Length || after[next] != before[index]) left.Add(_layout.Infos[index]!);
        }
        return left;
    }

    private void ForgetJoining()
    {
        _joining.Clear();
        SpareRoom.GiveBack(_joining);
    }
}
