using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// The routes in the active step: one for all groups with the same region views. A step costs nothing here but the
/// forgetting; a route is made again when the first message takes it. Core thread only.
/// </summary>
internal sealed class RouteTable(SendContext context)
{
    private readonly Dictionary<IReadOnlyList<RegionView>, Route> _byViews = new(ViewsComparer.Instance);
    private readonly Dictionary<IReadOnlyList<RegionView>, Route>?[] _ofModes = new Dictionary<
        IReadOnlyList<RegionView>, Route>?[GroupModes.Count];
    private Route? _last;

    /// <summary>Finds or makes the route of a group that is this node's in the active step. O(views).</summary>
    public Route Of(IReadOnlyList<RegionView> views, byte mode, Instant now)
    {
        if (GroupModes.HasEngine(mode)) return OfMode(views, mode);
        if (_last is { } last && ViewsComparer.Instance.Equals(last.Views, views)) return last;
        if (!_byViews.TryGetValue(views, out Route? route))
        {
            route = new Route(context, [.. views], now);
            _byViews.Add(route.Views, route);
        }
        return _last = route;
    }

    /// <summary>Forgets all routes: the active step has changed.</summary>
    public void Clear()
    {
        _byViews.Clear();
        foreach (Dictionary<IReadOnlyList<RegionView>, Route>? routes in _ofModes) routes?.Clear();
        _last = null;
    }

    // Groups of other modes have no stream: their lanes wait at the mode's outlet.
    private Route OfMode(IReadOnlyList<RegionView> views, byte mode)
    {
        Dictionary<IReadOnlyList<RegionView>, Route> routes = _ofModes[mode] ??= new(ViewsComparer.Instance);
        if (!routes.TryGetValue(views, out Route? route))
        {
            route = new Route(context, [.. views], context.OutletOf(mode));
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
