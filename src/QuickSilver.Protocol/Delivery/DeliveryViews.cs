using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Delivery;

/// <summary>The region views that packets have come in, and the sessions in their groups. Core thread only.</summary>
/// <param name="sessions">The open sessions by group, kept by the caller.</param>
internal sealed class DeliveryViews(KeyedSet<GroupId, GroupReceiver> sessions)
{
    private readonly List<ViewGroups> _views = [];
    private ViewGroups? _last;

    /// <summary>Finds or makes the groups of a view. O(1) for the view asked for last, O(views) for others.</summary>
    public ViewGroups Of(RegionView view)
    {
        if (_last is { } last && ReferenceEquals(last.View, view)) return last;
        foreach (ViewGroups known in _views)
        {
            if (!ReferenceEquals(known.View, view)) continue;
            _last = known;
            return known;
        }
        GroupSet ids = view.Region.Groups;
        var byIndex = new GroupReceiver?[ids.Length];
        for (int index = 0; index < ids.Length; index++)
            byIndex[index] = sessions.TryGet(ids[index], out GroupReceiver? session) ? session : null;
        _last = new ViewGroups(view, byIndex);
        _views.Add(_last);
        return _last;
    }

    /// <summary>Records that a session has begun or, with null, ended.</summary>
    public void Map(GroupId group, GroupReceiver? receiver)
    {
        foreach (ViewGroups view in _views)
        {
            int index = view.View.Region.IndexOf(group);
            if (index >= 0) view.Map(index, receiver);
        }
    }

    /// <summary>Drops a view.</summary>
    public void Forget(RegionView view)
    {
        for (int index = 0; index < _views.Count; index++)
        {
            if (!ReferenceEquals(_views[index].View, view)) continue;
            _views.RemoveAt(index);
            break;
        }
        if (ReferenceEquals(_last?.View, view)) _last = null;
    }

    /// <summary>Forgets the cursors of a sender that is closed.</summary>
    public void Forget(NodeInfo sender)
    {
        foreach (ViewGroups view in _views) view.Forget(sender);
    }

    /// <summary>Drops all views.</summary>
    public void Clear()
    {
        _views.Clear();
        _last = null;
    }

    /// <summary>The charge of the packets that were taken over the limit: examines all of them.</summary>
    public long ChargeBeyondCap() => _views.Sum(static view => view.ChargeBeyondCap);
}
