using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// The ways of messages in the active step: one route for all groups with the same region views, the outlets of other
/// modes, and the lanes that have no way yet. A step costs nothing here but the forgetting; a route is made again when
/// the first message takes it. Core thread only.
/// </summary>
/// <param name="own">What the messages of the node share.</param>
/// <param name="open">Opens the stream into a view, or continues it.</param>
/// <param name="hybrid">Makes the way of a hybrid group, for its first message to several regions.</param>
internal sealed class RouteTable(
    OwnMessages own, Func<RegionView, Instant, StreamMessages> open, Func<GroupInfo, HybridWay> hybrid)
{
    private readonly Dictionary<IReadOnlyList<RegionView>, Route> _byViews = new(ViewsComparer.Instance);
    private readonly Dictionary<IReadOnlyList<RegionView>, Route>?[] _ofModes = new Dictionary<
        IReadOnlyList<RegionView>, Route>?[GroupModes.Count];
    private readonly ModeOutlet?[] _outlets = new ModeOutlet?[GroupModes.Count];
    private Route? _last;

    /// <summary>The node's shared state.</summary>
    public SendContext Context { get; } = own.Context;

    /// <summary>What the messages of the node share.</summary>
    public OwnMessages Own => own;

    /// <summary>Decides which lane binds its next message.</summary>
    public BindingLoop Loop { get; } = new(own.Context);

    /// <summary>The lanes that cannot be bound before the next step is activated.</summary>
    public List<SendLane> WaitingForStep { get; } = [];

    /// <summary>Finds or makes the route of a group that is this node's in the active step. O(views).</summary>
    public Route Of(IReadOnlyList<RegionView> views, byte mode, Instant now)
    {
        if (GroupModes.HasEngine(mode)) return OfMode(views, mode);
        if (_last is { } last && ViewsComparer.Instance.Equals(last.Views, views)) return last;
        if (!_byViews.TryGetValue(views, out Route? route))
        {
            route = new Route(Context, [.. views], open, now);
            _byViews.Add(route.Views, route);
        }
        return _last = route;
    }

    /// <summary>The way of a hybrid group; null when it has none, and its regions get packets of their own.</summary>
    public HybridWay? MakeHybrid(GroupInfo group) =>
        group.Address.IsNone ? null : hybrid(group);

    /// <summary>The outlet of a mode's groups.</summary>
    public ModeOutlet OutletOf(byte mode) => _outlets[mode] ??= new ModeOutlet(own, Loop);

    /// <summary>Forgets all routes: the active step has changed.</summary>
    public void Clear()
    {
        _byViews.Clear();
        foreach (Dictionary<IReadOnlyList<RegionView>, Route>? routes in _ofModes) routes?.Clear();
        _last = null;
    }

    /// <summary>Empties the outlets of all modes.</summary>
    public void DetachOutlets()
    {
        foreach (ModeOutlet? outlet in _outlets) outlet?.Detach();
    }

    /// <summary>Ends the loop and the outlets.</summary>
    public void Close()
    {
        Loop.Close();
        foreach (ModeOutlet? outlet in _outlets) outlet?.Close();
    }

    // Groups of other modes have no stream: their lanes wait at the mode's outlet.
    private Route OfMode(IReadOnlyList<RegionView> views, byte mode)
    {
        Dictionary<IReadOnlyList<RegionView>, Route> routes = _ofModes[mode] ??= new(ViewsComparer.Instance);
        if (!routes.TryGetValue(views, out Route? route))
        {
            route = new Route(Context, [.. views], OutletOf(mode));
            routes.Add(route.Views, route);
        }
        return route;
    }

    private sealed class ViewsComparer : IEqualityComparer<IReadOnlyList<RegionView>>
    {
        public static ViewsComparer Instance { get; } = new();

        public bool Equals(IReadOnlyList<RegionView>? one, IReadOnlyList<RegionView>? other)
        {
            if (one!.Count != other!.Count) return false;
            for (int index = 0; index < one.Count; index++)
            {
                if (!ReferenceEquals(one[index], other[index])) return false;
            }
            return true;
        }

        public int GetHashCode(IReadOnlyList<RegionView> views)
        {
            uint hash = 0;
            for (int index = 0; index < views.Count; index++) hash = (hash * 31) + views[index].Number.Counter;
            return (int)hash;
        }
    }
}
