using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination;

/// <summary>
/// The groups of this node, and the region views that span them, in the step it sends in. Core thread only.
/// <para>
/// Usually that is the step installed last, and the cluster view answers. Between the installation of a step and its
/// activation, the cluster view is ahead. That lasts milliseconds, or longer when the membership server is lost just
/// then. Meanwhile the active views are those of the step before: without the views opened since, and with the
/// superseded ones. They are computed once, at the first step that is ahead and changes any view: O(current views)
/// then, nothing otherwise.
/// </para>
/// <para>
/// Awkward case: a group that is left in a step that is ahead. None of its messages may be bound any longer, even if
/// the group is joined again before the switch.
/// </para>
/// </summary>
internal sealed class ActiveViews
{
    private readonly List<RegionView> _views = [];
    private readonly Dictionary<GroupId, StepNumber> _numbers = [];
    private readonly HashSet<GroupId> _left = [];
    private ClusterView? _cluster;
    private ulong _self;
    private bool _isBehind;

    /// <summary>The cluster view shows exactly the step that this node sends in.</summary>
    public void SwitchTo(ClusterView cluster, ulong self)
    {
        _cluster = cluster;
        _self = self;
        _isBehind = false;
        _views.Clear();
        _numbers.Clear();
        _left.Clear();
    }

    /// <summary>The cluster view is a step further ahead.</summary>
    public void OnStepInstalled(InstalledStep step)
    {
        if (_cluster is null) return;
        foreach (GroupInfo group in step.Left) _left.Add(group.Id);
        for (int index = 0; index < step.Changed.Count; index++)
        {
            _numbers.TryAdd(step.Changed[index].Id, step.ChangedFrom[index]);
        }
        if (_isBehind || step.Opened.Count + step.Superseded.Count == 0) return;
        _isBehind = true;
        _views.AddRange(_cluster.Views);
        if (step.Opened.Count > 0) _views.RemoveAll(new HashSet<RegionView>(step.Opened).Contains);
        _views.AddRange(step.Superseded);
        _views.Sort(static (a, b) => a.Region.Id.CompareTo(b.Region.Id));
    }

    /// <summary>
    /// True when this node's messages to the group can be bound: the group was this node's in the active step, and has
    /// not been left since.
    /// </summary>
    public bool Contains(GroupId group)
    {
        if (_cluster?.FindGroup(group) is null) return false;
        if (!_isBehind) return true;
        return !_left.Contains(group)
            && _views.Find(view => view.IndexOf(_self) >= 0) is { } own
            && own.Region.Contains(group);
    }

    /// <summary>The region views that span a group, in order of region id.</summary>
    public IReadOnlyList<RegionView> Of(GroupId group) =>
        _isBehind ? _views.FindAll(view => view.Region.Contains(group)) : _cluster!.ViewsOf(group);

    /// <summary>Members of a group's view; 0 when messages to it cannot be bound.</summary>
    public int CountMembers(GroupId group)
    {
        if (!Contains(group)) return 0;
        int count = 0;
        IReadOnlyList<RegionView> views = Of(group);
        for (int index = 0; index < views.Count; index++) count += views[index].Members.Length;
        return count;
    }

    /// <summary>Number of a group's view.</summary>
    public StepNumber NumberOf(GroupId group) =>
        _numbers.TryGetValue(group, out StepNumber before) ? before : _cluster!.GroupViewOf(group);
}
