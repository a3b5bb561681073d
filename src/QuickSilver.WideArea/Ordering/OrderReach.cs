using QuickSilver.Protocol.Sites;
using QuickSilver.Protocol.Sites.Ordering;
using QuickSilver.WideArea.Links;

namespace QuickSilver.WideArea.Ordering;

/// <summary>What a gateway tells its ring of the sites that it reaches: one that cannot be reached for a time is left
/// out, one that can be again is in at once. And that a view that was joined stands. One thread at a time.</summary>
/// <param name="plan">The sites.</param>
/// <param name="policy">With <see cref="CutPolicy.Wait"/> no site is left out.</param>
/// <param name="leaveOutAfter">The time.</param>
internal sealed class OrderReach(GatewayPlan plan, CutPolicy policy, TimeSpan leaveOutAfter)
{
    private const int StandTime = 2000;
    private const int TellPause = 1000;

    private readonly long[] _reachedAt = new long[plan.Map.Count];
    private OrderViewId _joined;
    private long _joinedAt;
    private long _toldAt;

    /// <summary>A life begins: all sites count as reached now.</summary>
    public void Begin()
    {
        Array.Fill(_reachedAt, Environment.TickCount64);
        (_joined, _toldAt) = (default, 0);
    }

    /// <summary>Returns what the ring is to be told; null for nothing.</summary>
    public byte[]? Look(SiteGatewayStatistics now, SiteAgreement agreement)
    {
        long time = Environment.TickCount64;
        if (ReachOf(now, time) is { } reach && reach != agreement.Reach && time - _toldAt >= TellPause)
        {
            _toldAt = time;
            return RingBody.Reach(reach);
        }
        OrderViewId joined = agreement.Joined?.Id ?? default;
        if (joined != _joined) (_joined, _joinedAt) = (joined, time);
        if (joined.IsNone || time - _joinedAt < StandTime) return null;
        _joinedAt = time;
        return RingBody.Stands();
    }

    private SiteSet? ReachOf(SiteGatewayStatistics now, long time)
    {
        if (policy == CutPolicy.Wait) return null;
        foreach (SiteRoute route in now.Routes)
        {
            if (route.Via is not null) _reachedAt[plan.Map.IndexOf(route.Site)] = time;
        }
        SiteSet reach = SiteSet.Of(plan.Site);
        // A life that has just begun has no routes yet, and leaves nobody out for it.
        for (int site = 0; site < _reachedAt.Length; site++)
        {
            if (time - _reachedAt[site] < leaveOutAfter.TotalMilliseconds) reach = reach.With(site);
        }
        return reach;
    }
}
