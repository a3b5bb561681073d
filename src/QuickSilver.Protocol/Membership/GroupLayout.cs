using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership;

/// <summary>
/// The groups of one node after a step, those that it is in and those that it publishes to, and the region views that
/// span them. Group views are not kept: the views that
/// span a group are those whose regions have it, and are looked for when asked for. So a step costs its node one pass
/// over the numbers of its groups, eight bytes each, whatever their views are.
/// <para>
/// Immutable; the default of a node in no group is <see cref="None"/>. Any thread. A later step makes another layout,
/// which shares what has not changed.
/// </para>
/// </summary>
internal sealed class GroupLayout
{
    /// <summary>The layout of a node in no group.</summary>
    public static readonly GroupLayout None = new(default, null, default, [], [], []);

    private readonly RegionView[] _views;
    private readonly GroupInfo?[] _infos;
    private readonly ulong[] _changedIn;
    private readonly PublishedGroups _published;
    private RegionView[] _lastFound = [];

    /// <summary>Makes a layout; keeps the arrays, which must not change afterwards.</summary>
    /// <param name="step">The step, in whose epoch all view numbers are.</param>
    /// <param name="own">The node's own region view; null when it is in no group.</param>
    /// <param name="groups">The node's groups.</param>
    /// <param name="views">All views that span a group of the node, in order of region.</param>
    /// <param name="infos">The groups, in the order of the node's.</param>
    /// <param name="changedIn">The counter of the step that last changed each group's members.</param>
    public GroupLayout(
        StepNumber step,
        RegionView? own,
        GroupSet groups,
        RegionView[] views,
        GroupInfo?[] infos,
        ulong[] changedIn)
        : this(step, own, groups, views, infos, changedIn, PublishedGroups.None)
    {
    }

    internal GroupLayout(
        StepNumber step,
        RegionView? own,
        GroupSet groups,
        RegionView[] views,
        GroupInfo?[] infos,
        ulong[] changedIn,
        PublishedGroups published)
    {
        _published = published;
        Step = step;
        Own = own;
        Groups = groups;
        _views = views;
        _infos = infos;
        _changedIn = changedIn;
    }

    /// <summary>The step that brought the layout. Later steps may not have concerned the node.</summary>
    public StepNumber Step { get; }

    /// <summary>The node's own region view; null while it is in no group.</summary>
    public RegionView? Own { get; }

    /// <summary>All region views that span a group of the node, in order of region.</summary>
    public IReadOnlyList<RegionView> Views => _views;

    /// <summary>The node's groups, by id: its region's, or some of them if that is merged.</summary>
    public GroupSet Groups { get; }

    /// <summary>The groups that the node publishes to, by id; it may be in some of them.</summary>
    public GroupSet Published => _published.Groups;

    internal GroupInfo?[] Infos => _infos;

    internal ulong[] ChangedIn => _changedIn;

    internal PublishedGroups PublishedGroups => _published;

    /// <summary>Finds the groups whose members the step has changed, by id: O(groups).</summary>
    public List<GroupInfo> FindChanged()
    {
        var changed = new List<GroupInfo>();
        for (int index = 0; index < _changedIn.Length; index++)
        {
            if (_changedIn[index] == Step.Counter && _infos[index] is { } info) changed.Add(info);
        }
        for (int index = 0; index < _published.Infos.Length; index++)
        {
            GroupInfo info = _published.Infos[index];
            if (_published.ChangedIn[index] == Step.Counter && !IsMember(info.Id)) changed.Add(info);
        }
        return changed;
    }

    /// <summary>A group by id; null when the node is neither in it nor publishes to it. O(log groups).</summary>
    public GroupInfo? Find(GroupId group)
    {
        if (IndexOf(group) is var index && index >= 0) return _infos[index];
        return PublishedIndexOf(group) is var published && published >= 0 ? _published.Infos[published] : null;
    }

    /// <summary>True when the node is a member of the group. O(log groups).</summary>
    public bool IsMember(GroupId group) => IndexOf(group) >= 0;

    /// <summary>True when the node publishes to the group. O(log groups).</summary>
    public bool Publishes(GroupId group) => PublishedIndexOf(group) >= 0;

    /// <summary>The step that last changed a group's members: the number of its view. None when the node has nothing to
    /// do with it, or it has never had a member. O(log groups).</summary>
    public StepNumber NumberOf(GroupId group)
    {
        ulong counter = 0;
        if (IndexOf(group) is var index && index >= 0) counter = _changedIn[index];
        else if (PublishedIndexOf(group) is var published && published >= 0) counter = _published.ChangedIn[published];
        return counter == 0 ? default : new StepNumber(Step.Epoch, counter);
    }

    /// <summary>The region views that span a group, in order of region; none when the node has nothing to do with it.
    /// O(regions x log groups); groups that are spanned alike share the list, as a rule.</summary>
    public IReadOnlyList<RegionView> ViewsOf(GroupId group)
    {
        if (!Has(group)) return [];
        RegionView[] last = _lastFound;
        int count = 0;
        bool isSame = true;
        foreach (RegionView view in _views)
        {
            if (!view.Region.Contains(group)) continue;
            isSame = isSame && count < last.Length && ReferenceEquals(last[count], view);
            count++;
        }
        if (isSame && count == last.Length) return last;
        var found = new RegionView[count];
        count = 0;
        foreach (RegionView view in _views)
        {
            if (view.Region.Contains(group)) found[count++] = view;
        }

        // Threads that write here at the same time write lists that are each right.
        _lastFound = found;
        return found;
    }

    /// <summary>Members of a group, this node included if it is one; 0 when it has nothing to do with the group.
    /// O(regions x log groups), and for merged regions as much for each member.</summary>
    public int CountMembers(GroupId group)
    {
        if (!Has(group)) return 0;
        int count = 0;
        foreach (RegionView view in _views)
        {
            count += view.CountMembers(group);
        }
        return count;
    }

    private int IndexOf(GroupId group) => Groups.IndexOf(group);

    private int PublishedIndexOf(GroupId group) => _published.Groups.IndexOf(group);

    private bool Has(GroupId group) => IndexOf(group) >= 0 || PublishedIndexOf(group) >= 0;
}
