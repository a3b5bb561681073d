using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination;

/// <summary>
/// The groups that this node may send to, and the region views that span them, in the step it sends in. Core thread
/// only.
/// <para>
/// Usually that is the step installed last. Between the installation of a step and its activation, the cluster view is
/// ahead. That lasts milliseconds, or longer when the membership server is lost just then. Layouts are immutable, so
/// the active one is simply kept until the switch.
/// </para>
/// <para>
/// Awkward case: a group that is left in a step that is ahead. None of its messages may be bound any longer, even if
/// the group is joined again before the switch. The same holds for a group that the node ceases to publish to. A node
/// may be a member of a group and publish to it: then either is enough.
/// </para>
/// </summary>
internal sealed class ActiveViews
{
    private readonly HashSet<GroupId> _left = [];
    private readonly HashSet<GroupId> _ceased = [];
    private GroupLayout _active = GroupLayout.None;

    /// <summary>True when members of this node's region are in some of its groups each.</summary>
    public bool IsOwnMerged => _active.Own is { IsMerged: true };

    /// <summary>The cluster view shows exactly the step that this node sends in.</summary>
    public void SwitchTo(ClusterView cluster)
    {
        _active = cluster.Layout;
        _left.Clear();
        _ceased.Clear();
        SpareRoom.GiveBack(_left);
        SpareRoom.GiveBack(_ceased);
    }

    /// <summary>The cluster view is a step further ahead.</summary>
    public void OnStepInstalled(InstalledStep step)
    {
        foreach (GroupInfo group in step.Left) _left.Add(group.Id);
        foreach (GroupInfo group in step.Ceased) _ceased.Add(group.Id);
    }

    /// <summary>
    /// True when this node's messages to the group can be bound: the group was this node's in the active step, and has
    /// not been left since.
    /// </summary>
    public bool Contains(GroupId group) =>
        (_active.IsMember(group) && !_left.Contains(group)) || (_active.Publishes(group) && !_ceased.Contains(group));

    /// <summary>
    /// The region views that span a group, in order of region id. The own one is left out if it is merged and no other
    /// member there is in the group.
    /// </summary>
    public IReadOnlyList<RegionView> Of(GroupId group)
    {
        IReadOnlyList<RegionView> views = _active.ViewsOf(group);
        int self = _active.IsMember(group) ? 1 : 0;
        if (_active.Own is not { IsMerged: true } own || own.CountMembers(group) > self) return views;
        var others = new List<RegionView>(views.Count);
        foreach (RegionView view in views)
        {
            if (view != own) others.Add(view);
        }
        return others;
    }

    /// <summary>Members of a group's view; 0 when messages to it cannot be bound.</summary>
    public int CountMembers(GroupId group) => Contains(group) ? _active.CountMembers(group) : 0;

    /// <summary>Number of a group's view.</summary>
    public StepNumber NumberOf(GroupId group) => _active.NumberOf(group);
}
