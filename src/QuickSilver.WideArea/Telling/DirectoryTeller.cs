using QuickSilver.WideArea.Groups;
using QuickSilver.WideArea.Links;

namespace QuickSilver.WideArea.Telling;

/// <summary>Tells the nodes of the site who is in the groups at which site, and how other sites are reached, while some
/// want to know. One task; a hello may come on another.</summary>
internal sealed class DirectoryTeller(
    GatewayPlan plan, ulong number, SiteTelling telling, IReadOnlyList<SpanningGroup> groups, RosterExchange rosters,
    Func<SiteReach> reach, Func<SiteGatewayStatistics> statistics)
{
    private static readonly TimeSpan AlivePause = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan HelloTime = TimeSpan.FromSeconds(15);

    private readonly Dictionary<(uint Group, int Site), PlaceBody> _told = [];
    private long _until;
    private long _aliveAt = long.MinValue;
    private volatile bool _tellsAll;

    /// <summary>A node wants to know.</summary>
    /// <param name="isFirst">True when it knows nothing yet.</param>
    public void OnHello(bool isFirst)
    {
        Volatile.Write(ref _until, Environment.TickCount64 + (long)HelloTime.TotalMilliseconds);
        if (isFirst) _tellsAll = true;
    }

    /// <summary>Tells what has changed.</summary>
    public void Tell()
    {
        long now = Environment.TickCount64;
        if (now >= Volatile.Read(ref _until))
        {
            _told.Clear();
            return;
        }
        if (_tellsAll || now - _aliveAt >= AlivePause.TotalMilliseconds)
        {
            if (!telling.TrySend(new AliveBody(number, plan.Map.NameOf(plan.Site)).Write())) return;
            _aliveAt = now;
            TellSites(statistics());
        }
        if (_tellsAll) _told.Clear();
        _tellsAll = false;
        SiteReach known = reach();
        foreach (SpanningGroup group in groups)
        {
            for (int site = 0; site < plan.Map.Count; site++)
            {
                PlaceBody place = PlaceOf(group, site, known);
                if (_told.TryGetValue((group.Number, site), out PlaceBody told) && IsLike(told, place)) continue;
                // The rest is told at the next turn.
                if (!telling.TrySend(place.Write())) return;
                _told[(group.Number, site)] = place;
            }
        }
    }

    // It is told again in a second, so a send that is refused costs nothing.
    private void TellSites(SiteGatewayStatistics now)
    {
        foreach (SiteRoute route in now.Routes) _ = telling.TrySend(new SiteBody(number, route).Write());
    }

    private PlaceBody PlaceOf(SpanningGroup group, int site, SiteReach known)
    {
        string name = plan.Map.NameOf(site);
        if (site == plan.Site)
            return new PlaceBody(number, group.Name, name, true, true, group.Members?.Roster ?? MemberRoster.Empty);
        bool isReached = known.Reached.Contains(site);
        bool receives = group.Sites.Targets.Contains(site);
        MemberRoster roster = rosters.Of(site, group.Number)?.Members ?? MemberRoster.Empty;
        return new PlaceBody(number, group.Name, name, isReached, isReached && receives, roster);
    }

    private static bool IsLike(in PlaceBody left, in PlaceBody right) =>
        left.IsReached == right.IsReached && left.Receives == right.Receives && left.Roster.IsLike(right.Roster);
}
