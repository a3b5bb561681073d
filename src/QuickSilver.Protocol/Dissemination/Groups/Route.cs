using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// The region views that messages go to in the active step, and the streams into those that have a member other than
/// this node. Shared by all groups with the same views, and immutable (<see cref="RouteTable"/>).
/// </summary>
internal sealed class Route
{
    private readonly RegionView[] _views;
    private readonly StreamMessages[] _streams;
    private readonly int _members;
    private readonly bool _isMerged;

    /// <summary>Opens the streams into some views. O(views).</summary>
    public Route(
        SendContext context, RegionView[] views, Func<RegionView, Instant, StreamMessages> open, Instant now)
    {
        _views = views;
        _isMerged = context.Active.IsOwnMerged;
        var streams = new List<StreamMessages>(views.Length);
        foreach (RegionView view in views)
        {
            _members += view.Members.Length;
            _isMerged |= view.IsMerged;
            if (view.Members.Length == 1 && view.IndexOf(context.SelfKey) == 0) continue;
            streams.Add(open(view, now));
        }
        _streams = [.. streams];
    }

    /// <summary>Makes the way of groups of another mode: it has no streams. O(views).</summary>
    public Route(SendContext context, RegionView[] views, ModeOutlet outlet)
    {
        _views = views;
        _streams = [];
        _isMerged = context.Active.IsOwnMerged;
        Outlet = outlet;
        foreach (RegionView view in views)
        {
            _members += view.Members.Length;
            _isMerged |= view.IsMerged;
        }
    }

    /// <summary>Where lanes of groups of another mode wait to be asked; null for reliable groups.</summary>
    public ModeOutlet? Outlet { get; }

    /// <summary>The region views, in order of region id.</summary>
    public IReadOnlyList<RegionView> Views => _views;

    /// <summary>How many streams there are; 0 when no other node is a member.</summary>
    public int Count => _streams.Length;

    /// <summary>Members of a group that goes this way, this node included. O(1), unless regions are merged.</summary>
    public int CountMembers(SendContext context, GroupId group) =>
        _isMerged ? context.Active.CountMembers(group) : _members;

    /// <summary>The lane of several groups that goes this way; null when there is none.</summary>
    public SendLane? Lane { get; set; }

    public StreamMessages StreamAt(int index) => _streams[index];

    /// <summary>Counts messages as pending in every stream.</summary>
    public void AddToAccounts(int messages, long bytes)
    {
        foreach (StreamMessages stream in _streams) stream.Gate.Account.Add(messages, bytes);
    }

    /// <summary>Adds the views of all streams that are not in a list yet.</summary>
    public void AddViewsTo(List<RegionView> views)
    {
        foreach (StreamMessages stream in _streams)
        {
            if (!views.Contains(stream.View)) views.Add(stream.View);
        }
    }

    /// <summary>The first region buffer without room; null when a message can be bound.</summary>
    public RegionBuffer? FirstFull()
    {
        foreach (StreamMessages stream in _streams)
        {
            if (stream.Backlog.IsFull) return stream.Backlog;
        }
        return null;
    }

    /// <summary>The first region buffer with room where lanes still wait in line; null when there is none.</summary>
    public RegionBuffer? FirstWithLine()
    {
        foreach (StreamMessages stream in _streams)
        {
            if (!stream.Backlog.IsFull && stream.Backlog.Waiters.Count > 0) return stream.Backlog;
        }
        return null;
    }
}
