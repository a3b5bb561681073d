using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites.Gateways;
using QuickSilver.Protocol.Sites.Links;
using QuickSilver.Protocol.Sites.Overlay;
using QuickSilver.Protocol.Wire;
using QuickSilver.WideArea.Diagnostics;
using QuickSilver.WideArea.Links;

namespace QuickSilver.WideArea.Running;

/// <summary>
/// Looks at a gateway ten times a second: makes the statistics that others read, and tells the log what has changed.
/// <see cref="Look"/> is for the loop thread; the latest statistics are for any.
/// </summary>
internal sealed class GatewayWatch
{
    private static readonly TimeSpan StrangerPause = TimeSpan.FromMinutes(1);

    private readonly GatewayPlan _plan;
    private readonly TimeSpan _holdTime;
    private readonly GatewayFigures _figures;
    private readonly GatewayLog _log;
    private readonly (ulong Ups, ulong Failures)[] _told;
    private readonly string?[] _via;
    private readonly bool[] _isRefused;
    private readonly bool[] _wasReached;
    private SiteGatewayStatistics _latest;
    private long _looks;
    private Instant _strangersAt;
    private ulong _strangers;

    public GatewayWatch(GatewayPlan plan, TimeSpan holdTime, GatewayFigures figures, GatewayLog log)
    {
        _plan = plan;
        _holdTime = holdTime;
        _figures = figures;
        _log = log;
        _told = new (ulong, ulong)[plan.Map.Count];
        _via = new string?[plan.Map.Count];
        _isRefused = new bool[plan.Map.Count];
        _wasReached = new bool[plan.Map.Count];
        _latest = new SiteGatewayStatistics { Site = Own, IsActive = true };
    }

    /// <summary>How often it has looked. Any thread.</summary>
    public long Looks => Volatile.Read(ref _looks);

    /// <summary>The latest statistics. Any thread.</summary>
    public SiteGatewayStatistics Latest => Volatile.Read(ref _latest);

    private string Own => _plan.Map.NameOf(_plan.Site);

    /// <summary>Looks.</summary>
    public void Look(Gateway gateway, RejectCounters opening, Instant now)
    {
        for (int peer = 0; peer < _plan.Map.Count; peer++)
        {
            if (gateway.LinkTo(peer) is { } link) TellLink(peer, link);
        }
        SiteLinkStatistics[] links = [.. Enumerable.Range(0, _plan.Map.Count)
            .Where(peer => gateway.LinkTo(peer) is not null).Select(peer => OfLink(peer, gateway.LinkTo(peer)!))];
        SiteRoute[] routes = Routes(gateway.Topology.TreeOf(_plan.Site), links);
        TellStrangers(opening, now);
        Volatile.Write(ref _latest, Make(gateway, opening, links, routes));
        Volatile.Write(ref _looks, _looks + 1);
    }

    private SiteGatewayStatistics Make(
        Gateway gateway, RejectCounters opening, SiteLinkStatistics[] links, SiteRoute[] routes)
    {
        ulong strangers = opening[RejectReason.Gate];
        ulong rest = opening.Total - strangers - opening[RejectReason.Replayed];
        return new SiteGatewayStatistics
        {
            Site = Own,
            IsActive = true,
            Links = links,
            Routes = routes,
            MessagesForwarded = _figures.Forwarded,
            MessagesPublished = _figures.Published,
            MessagesMissed = _figures.Missed,
            MessagesRefused = _figures.Refused,
            RecordsLost = _figures.Lost,
            RecordsKept = gateway.Kept,
            RecordsRepaired = (long)gateway.Counters.Repaired,
            Strangers = (long)strangers,
            Replays = (long)opening[RejectReason.Replayed],
            Rejected = (long)(rest + gateway.Counters.Rejects.Total),
        };
    }

    private SiteLinkStatistics OfLink(int peer, Link link) => new()
    {
        Site = _plan.Map.NameOf(peer),
        Transport = _plan.Map.IsStream(_plan.Site, peer) ? SiteLinkTransport.Tcp : SiteLinkTransport.Udp,
        State = (SiteLinkState)link.State,
        RoundTrip = link.RoundTrip.IsMeasured ? link.RoundTrip.Smoothed : default,
        LeastRoundTrip = link.RoundTrip.IsMeasured ? link.RoundTrip.Least : default,
        Loss = link.Regulator.Loss,
        BytesPerSecond = link.State == LinkState.Up ? link.Regulator.Rate : 0,
        Waiting = link.Waiting,
        Open = link.Open,
        PacketsSent = (long)link.Counters.Sent,
        PacketsResent = (long)link.Counters.Resent,
        ParitiesSent = (long)link.Counters.Parities,
        PacketsReceived = (long)link.Counters.Received,
        PacketsDuplicated = (long)link.Counters.Duplicates,
        PacketsRebuilt = (long)link.Counters.Rebuilt,
        BytesSent = (long)link.Counters.SentBytes,
        Rejected = (long)link.Counters.Rejects.Total,
        Ups = (long)link.Counters.Ups,
        Failures = (long)link.Counters.Failures,
    };

    private void TellLink(int peer, Link link)
    {
        string own = Own, other = _plan.Map.NameOf(peer);
        (ulong ups, ulong failures) = _told[peer];
        _told[peer] = (link.Counters.Ups, link.Counters.Failures);
        if (link.Counters.Failures > failures && link.LastFailure != LinkFailure.Closed)
        {
            string reason = TextOf(link.LastFailure);
            _log.Post(logger => Log.LinkFailed(logger, own, other, reason));
        }
        if (link.Counters.Ups > ups)
        {
            TimeSpan roundTrip = link.RoundTrip.Smoothed;
            _log.Post(logger => Log.LinkUp(logger, own, other, roundTrip));
        }
        if (_isRefused[peer] || link.Counters.Rejects[RejectReason.WrongCluster] == 0) return;
        _isRefused[peer] = true;
        _log.Post(logger => Log.OtherOverlay(logger, other, own));
    }

    private SiteRoute[] Routes(SourceTree tree, SiteLinkStatistics[] links)
    {
        var routes = new List<SiteRoute>(_plan.Map.Count);
        for (int site = 0; site < _plan.Map.Count; site++)
        {
            if (site == _plan.Site) continue;
            string name = _plan.Map.NameOf(site);
            string? via = null;
            if (tree.Sites.Contains(site))
            {
                int step = site;
                while (tree.ParentOf(step) != _plan.Site) step = tree.ParentOf(step);
                via = _plan.Map.NameOf(step);
            }
            TellRoute(site, name, via);
            routes.Add(new SiteRoute(name, via) { Link = Array.Find(links, one => one.Site == name) });
        }
        return [.. routes];
    }

    private void TellRoute(int site, string name, string? via)
    {
        if (_via[site] == via) return;
        string own = Own;
        _via[site] = via;
        if (via is not null)
        {
            _wasReached[site] = true;
            _log.Post(logger => Log.SiteReached(logger, name, own, via));
        }
        else if (_wasReached[site])
        {
            _log.Post(logger => Log.SiteLost(logger, name, own, _holdTime));
        }
    }

    private void TellStrangers(RejectCounters opening, Instant now)
    {
        ulong count = opening[RejectReason.Gate];
        if (count == _strangers || now < _strangersAt) return;
        long more = (long)(count - _strangers);
        _strangers = count;
        _strangersAt = now + StrangerPause;
        string own = Own;
        _log.Post(logger => Log.Strangers(logger, own, more));
    }

    private static string TextOf(LinkFailure failure) => failure switch
    {
        LinkFailure.Silence => "nothing came for too long",
        LinkFailure.Disconnected => "its connection has ended",
        LinkFailure.EpochChanged => "the other end began again",
        LinkFailure.PacketNeverCame => "a packet was asked for again and again, and never came",
        _ => "it was ended",
    };
}
