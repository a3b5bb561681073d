using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>
/// The cluster as one node knows it, and how a step changes it. What a step needs is described by frames ahead of it, which are kept aside or change
/// nothing that is in force; the step itself is checked as a whole before anything changes. Group views and the regions of a group are derived, not
/// sent. Core thread only.
/// </summary>
internal sealed class AgentCluster(Probes probes) : ClusterView
{
    private readonly KnownViews _known = new();
    private readonly Dictionary<GroupId, OwnGroup> _groups = [];
    private readonly Dictionary<GroupId, GroupInfo> _joining = [];
    private readonly Dictionary<uint, AgentRegion> _regions = [];
    private readonly SortedList<uint, RegionView> _current = [];
    private readonly List<AgentRegion> _inherited = [];
    private AgentRegion? _ownRegion;
    private int _described;
    private StepNumber _installed;
    private ulong _lastStep;
    private ulong _layout = 1;
    private Epoch _groupEpoch;

    /// <inheritdoc/>
    public override StepNumber Installed => _installed;

    /// <inheritdoc/>
    public override NodeInfo? Self => _known.Self;

    /// <inheritdoc/>
    public override RegionView? Own => _ownRegion?.Current;

    /// <inheritdoc/>
    public override IEnumerable<RegionView> Views => _current.Values;

    /// <summary>Counter of the last step, installed or made before this node registered.</summary>
    public ulong LastStep => _lastStep;

    /// <summary>Epoch of the server that admitted this node last.</summary>
    public Epoch Epoch { get; private set; }

    /// <summary>Epoch of all group ids.</summary>
    public Epoch GroupEpoch => _groupEpoch;

    /// <inheritdoc/>
    public override NodeInfo? FindNode(ulong key) => _known.FindNode(key)?.Info;

    /// <inheritdoc/>
    public override GroupInfo? FindGroup(GroupId id) => _groups.GetValueOrDefault(id)?.Info;

    /// <inheritdoc/>
    public override StepNumber GroupViewOf(GroupId group) => _groups.GetValueOrDefault(group)?.View ?? default;

    /// <inheritdoc/>
    public override IReadOnlyList<RegionView> ViewsOf(GroupId group)
    {
        if (!_groups.TryGetValue(group, out OwnGroup? own)) return [];
        if (own.DerivedAt != _layout)
        {
            var views = new List<RegionView>();
            foreach (RegionView view in _current.Values)
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
    /// Another server has admitted this node. The regions of the one before stay in force until the first step that concerns this node, which replaces
    /// all of them; the regions of this one are numbered anew.
    /// </summary>
    public void TakeOver(Epoch epoch, ulong lastStep)
    {
        Epoch = epoch;
        _lastStep = lastStep;
        if (_inherited.Count == 0)
        {
            foreach (uint region in _current.Keys) _inherited.Add(_regions[region]);
        }
        _regions.Clear();
        _described = 0;
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
        _regions.Clear();
        _described = 0;
        _inherited.Clear();
        _installed = default;
        _lastStep = 0;
        return true;
    }

    /// <inheritdoc cref="KnownViews.MarkDone"/>
    public void MarkDone(ViewNumber view) => _known.MarkDone(view);

    /// <summary>Writes all that a new server has to know.</summary>
    /// <param name="frame">Where to.</param>
    /// <param name="activated">The step that this node was told to send in last.</param>
    public void WriteReport(FrameBuilder frame, StepNumber activated)
    {
        GroupSet groups = _ownRegion?.Info.Groups ?? default;
        frame.Begin(FrameKind.Report).WriteStep(_installed).WriteStep(activated).WriteEpoch(_groupEpoch).WriteVarint((ulong)groups.Length);
        foreach (GroupId id in groups) GroupFrame.WriteEntry(frame, id.Counter, _groups[id].Info.Mode, _groups[id].Info.Name);
        _known.WriteReport(frame, activated);
    }

    /// <inheritdoc cref="KnownViews.Describe"/>
    public void Describe(List<NodeInfo> nodes) => _known.Describe(nodes);

    /// <summary>Groups that this node joins with the next step are described.</summary>
    public void Describe(List<GroupInfo> groups)
    {
        foreach (GroupInfo group in groups) _joining[group.Id] = group;
    }

    /// <summary>A region is described.</summary>
    /// <param name="entry">The description.</param>
    /// <param name="left">Groups that the frame's descriptions may still unfold to: one that is like another is short, whatever it stands for.</param>
    /// <returns>False when the description is impossible; nothing has changed then.</returns>
    public bool TryDescribe(RegionFrame.Entry entry, ref int left)
    {
        if (_regions.ContainsKey(entry.Region)) return false;
        GroupSet like = default;
        if (entry.Like != 0)
        {
            if (!_regions.TryGetValue(entry.Like, out AgentRegion? known)) return false;
            like = known.Info.Groups;
        }
        int unfolded = like.Length + entry.Plus.Length;
        if (unfolded > left) return false;
        left -= unfolded;
        uint[]? groups = RegionGroups.Apply(like.Counters, entry.Plus, entry.Minus);
        if (groups is null) return false;
        _regions.Add(entry.Region, new AgentRegion(new RegionInfo(new RegionId(Epoch, entry.Region), new GroupSet(_groupEpoch, groups))));
        _described++;
        return true;
    }

    /// <inheritdoc cref="KnownViews.Remove"/>
    public NodeInfo? Remove(ulong key, bool isConfirmed, out bool isNews) => _known.Remove(key, isConfirmed, out isNews);

    /// <inheritdoc cref="KnownViews.MarkClosed"/>
    public void MarkClosed(ViewNumber view, IReadOnlyList<NodeInfo> senders) => _known.MarkClosed(view, senders);

    /// <summary>A view has retired.</summary>
    /// <returns>The view; null when it is not known, or still current: the server is not to be believed then.</returns>
    public RegionView? Retire(ViewNumber number)
    {
        if (_known.FindView(number) is not { } view) return null;
        if (_current.TryGetValue(view.Region.Id.Counter, out RegionView? current) && current == view) return null;
        _known.Retire(view);
        return view;
    }

    /// <summary>Installs a step.</summary>
    /// <returns>What it changed; null when it is impossible, and nothing has changed then.</returns>
    public InstalledStep? Install(StepFrame frame)
    {
        if (Self is not { } self || frame.Step != _lastStep + 1) return null;
        var number = new StepNumber(Epoch, frame.Step);
        if (!frame.IsConcerned && _described > 0) return null;
        if (!frame.IsConcerned) return Commit(number, [], [], [], [], [], []);
        var opened = new List<OpenedView>();
        foreach (StepFrame.ViewEntry entry in frame.Opened)
        {
            if (opened.Count > 0 && opened[^1].Entry.Region >= entry.Region) return null;
            if (MakeView(entry) is not { } view) return null;
            opened.Add(new OpenedView(entry, _regions[entry.Region], view));
        }

        // What is described is opened by the very next step, so what a server can make this node keep is what is in force.
        if (opened.Count(view => view.Region.Current is null) != _described) return null;
        var dropped = new List<AgentRegion>();
        foreach (uint counter in frame.Dropped)
        {
            if (dropped.Count > 0 && dropped[^1].Info.Id.Counter >= counter) return null;
            if (!_regions.TryGetValue(counter, out AgentRegion? region) || region.Current is null) return null;
            if (opened.Exists(view => view.Region == region)) return null;
            dropped.Add(region);
        }
        AgentRegion? own = null;
        if (frame.OwnRegion != 0)
        {
            if (!_regions.TryGetValue(frame.OwnRegion, out own) || dropped.Contains(own)) return null;
            RegionView? view = opened.Find(candidate => candidate.Region == own).View ?? own.Current;
            if (view is null || view.IndexOf(self.Number.Key) < 0) return null;
        }
        if (Joined(own) is not { } joined) return null;
        List<GroupInfo> left = Left(own);
        var changes = new GroupChanges();
        if (_inherited.Count > 0 && own is not null) changes.AddAll(own.Info);
        List<RegionView> superseded = Switch(opened, dropped, frame.Step, changes);
        _ownRegion = own;
        foreach (GroupInfo group in left) _groups.Remove(group.Id);
        foreach (GroupInfo group in joined) _groups.Add(group.Id, new OwnGroup(group));
        _joining.Clear();
        _described = 0;
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

    /// <summary>Leaves a step out, as only a broken agent does.</summary>
    public bool Skip(StepFrame frame)
    {
        if (Self is null || frame.Step != _lastStep + 1) return false;
        _lastStep = frame.Step;
        return true;
    }

    private InstalledStep Commit(
        StepNumber number, List<RegionView> opened, List<RegionView> superseded, List<GroupInfo> joined, List<GroupInfo> left, List<GroupInfo> changed,
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

    /// <summary>
    /// The view that an entry stands for: a new one, or one that this node knew before and comes to know again. Null when the entry is impossible.
    /// </summary>
    private RegionView? MakeView(StepFrame.ViewEntry entry)
    {
        if (!_regions.TryGetValue(entry.Region, out AgentRegion? region)) return null;
        RegionView? last = region.Current;
        if (entry.IsDifference != last is not null) return null;
        var members = new List<NodeInfo>();
        int next = 0;
        for (int index = 0; last is not null && index < last.Members.Length; index++)
        {
            if (next < entry.Removed.Length && entry.Removed[next] == index) next++;
            else members.Add(last.Members[index]);
        }
        if (next != entry.Removed.Length) return null;
        var added = new HashSet<ulong>();
        foreach (ulong key in entry.Added)
        {
            if (_known.FindNode(key) is not { } node || !added.Add(key) || last?.IndexOf(key) >= 0) return null;
            members.Add(node.Info);
        }
        if (members.Count == 0) return null;
        if (_known.FindView(new ViewNumber(Epoch, entry.View)) is { } known)
        {
            probes.Hit(Mark.ViewKnownAgain);
            return last is null && known.Region.Id.Counter == entry.Region && known.Members.AsSpan().SequenceEqual(members.ToArray()) ? known : null;
        }
        var first = new StepNumber(Epoch, entry.FirstStep);
        bool sabotaged = probes.Breaks(Sabotage.PartitionMap) && Self?.Number.Counter % 4 == 0;
        int replication = sabotaged ? entry.Replication + 1 : entry.Replication;
        return new RegionView(new ViewNumber(Epoch, entry.View), region.Info, first, [.. members], entry.Multicast, replication);
    }

    /// <summary>Groups that the node comes to be in; null when one has not been described.</summary>
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

    /// <summary>Puts the opened views in force and takes the others out.</summary>
    /// <returns>Views that are in force no more, in order of region.</returns>
    private List<RegionView> Switch(List<OpenedView> opened, List<AgentRegion> dropped, ulong step, GroupChanges changes)
    {
        var superseded = new List<RegionView>();
        var gone = new List<(KnownNode Node, RegionInfo From)>();

        // Who arrives is compared with where it was, so arrivals come before departures; a node that departs and arrives nowhere is found at the end.
        foreach (OpenedView view in opened)
        {
            if (view.View.FirstStep.Counter != step) continue;
            foreach (ulong key in view.Entry.Added) changes.Add(_known.FindNode(key)!.Region?.Info, view.Region.Info);
        }
        foreach (AgentRegion region in _inherited)
        {
            superseded.Add(region.Current!);
            foreach (NodeInfo member in region.Current!.Members) Depart(member, region);
        }
        if (_inherited.Count > 0)
        {
            probes.Hit(Mark.InheritedViewsReplaced);
            _current.Clear();
        }
        _inherited.Clear();
        foreach (OpenedView view in opened)
        {
            if (view.Region.Current is not { } last) continue;
            superseded.Add(last);
            foreach (int index in view.Entry.Removed) Depart(last.Members[index], view.Region);
        }
        foreach (AgentRegion region in dropped)
        {
            superseded.Add(region.Current!);
            foreach (NodeInfo member in region.Current!.Members) Depart(member, region);
            _current.Remove(region.Info.Id.Counter);
            _regions.Remove(region.Info.Id.Counter);
        }
        foreach (OpenedView view in opened)
        {
            view.Region.Current = view.View;
            view.Region.Info = view.View.Region;
            _current[view.Entry.Region] = view.View;
            foreach (ulong key in view.Entry.Added) _known.FindNode(key)!.Region = view.Region;
            _known.Open(view.View);
        }
        foreach ((KnownNode node, RegionInfo from) in gone)
        {
            if (node.Region is null) changes.Add(from, null);
        }
        superseded.Sort((a, b) => a.Region.Id.CompareTo(b.Region.Id));
        return superseded;

        void Depart(NodeInfo member, AgentRegion region)
        {
            KnownNode node = _known.FindNode(member.Number.Key)!;
            if (node.Region != region) return;
            node.Region = null;
            gone.Add((node, region.Info));
        }
    }

    private readonly record struct OpenedView(StepFrame.ViewEntry Entry, AgentRegion Region, RegionView View);
}
