using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites.Frames;
using QuickSilver.Protocol.Sites.Links;
using QuickSilver.Protocol.Sites.Overlay;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Gateways;

/// <summary>
/// The gateway of one site: its links, what it knows of the overlay, and the streams that cross it.
/// <para>
/// Idea: each gateway floods what links it has. All that know the same links compute the same source trees, and their
/// version is a hash of the links, so packets can name the tree they follow and nobody agrees on anything. A packet
/// names the sites that it is for; each copy names those behind its link.
/// </para>
/// <para>
/// Rule: a link that fails is told at once, and what it had under way goes to the same sites by this gateway's own
/// tree. The sender keeps a record until each site that it is for holds it or cannot be reached. It sends again what
/// stands, and what a site that comes lacks. Copies are dropped by sender, group and number.
/// </para>
/// <para>
/// Awkward cases: a gateway that restarts has another node number, and begins where its senders' lowest records are. A
/// site that was cut off learns from the next record what it will never get. Trees that differ for a moment may send a
/// record in a circle: it takes a bounded number of links, and its sender sends it again. A site whose members come
/// back lacks what was sent meanwhile: for a while a gap there counts as not meant for it, not as lost.
/// </para>
/// <para>
/// Cost: a copy of the head for each link, none of the payload. Core thread only. Source: third paper, sections 2.1 to
/// 2.3 and 3.1.
/// </para>
/// </summary>
internal sealed class Gateway : ILinkHost
{
    // How often the costs of links are looked at.
    private static readonly TimeSpan CostPause = TimeSpan.FromSeconds(1);

    private readonly int _site;
    private readonly ulong _node;
    private readonly SiteMap _map;
    private readonly IGatewayHost _host;
    private readonly Link?[] _links;
    private readonly MeasuredCost[] _costs;
    private readonly LinkStates _states;
    private readonly Router _router;
    private readonly OutgoingStreams _outgoing;
    private readonly IncomingStreams _incoming;
    private readonly Alarm _costAlarm;
    private uint[] _groups = [];
    private ulong _stateNumber;

    /// <summary>Makes a gateway that has not begun.</summary>
    /// <param name="site">Index of its site.</param>
    /// <param name="node">Key of its node, above that of any gateway that the site had before.</param>
    /// <param name="map">The configuration.</param>
    /// <param name="settings">Times and limits.</param>
    /// <param name="host">Sends datagrams, and takes records.</param>
    /// <param name="alarms">Fires its alarms.</param>
    /// <param name="random">Draws epochs.</param>
    public Gateway(
        int site, ulong node, SiteMap map, GatewaySettings settings, IGatewayHost host, AlarmQueue alarms,
        SeededRandom random)
    {
        Debug.Assert(node > 0, "a node has a number");
        _site = site;
        _node = node;
        _map = map;
        _host = host;
        _links = new Link?[map.Count];
        _costs = new MeasuredCost[map.Count];
        _states = new LinkStates(map);
        _router = new Router(site, _states, _links, Counters);
        _outgoing = new OutgoingStreams(site, node, map, settings, _states, _router, Counters, alarms);
        _incoming = new IncomingStreams(site, node, map, settings, host, _router, Counters, alarms);
        _costAlarm = new Alarm(alarms, UpdateCosts);
        for (int peer = 0; peer < map.Count; peer++)
        {
            if (!map.NeighboursOf(site).Contains(peer)) continue;
            LinkSettings link = SettingsOf(settings, map.IsStream(site, peer), peer);
            _links[peer] = new Link(
                new LinkIdentity(map.Hash, site, node, peer), link, this, alarms, random);
            _costs[peer] = new MeasuredCost();
        }
    }

    /// <summary>What it has done.</summary>
    public GatewayCounters Counters { get; } = new();

    /// <summary>The links that are up, as far as is known here.</summary>
    public Topology Topology => _states.Current;

    /// <summary>Records of this site that some other may lack.</summary>
    public int Kept => _outgoing.Kept;

    /// <summary>Records of other sites kept beyond missing ones.</summary>
    public int Ahead => _incoming.Ahead;

    /// <summary>Streams of other sites.</summary>
    public int Streams => _incoming.Count;

    /// <summary>The link to a neighbouring site; null where there is none.</summary>
    public Link? LinkTo(int site) => _links[site];

    /// <summary>Begins.</summary>
    /// <param name="groups">Groups with members at this site, ascending.</param>
    /// <param name="now">The present instant.</param>
    public void Start(uint[] groups, Instant now)
    {
        _groups = groups;
        _incoming.Start(groups);
        _outgoing.Start(now);
        TellState(now);
        foreach (Link? link in _links) link?.Start(now);
        _costAlarm.Set(now + CostPause);
    }

    /// <summary>Ends, and tells nobody.</summary>
    public void Stop(Instant now)
    {
        foreach (Link? link in _links) link?.Stop(now);
        _costAlarm.Cancel();
        _outgoing.Stop();
        _incoming.Stop();
    }

    /// <summary>Other groups have members at this site.</summary>
    /// <param name="groups">Ascending.</param>
    /// <param name="now">The present instant.</param>
    public void SetGroups(uint[] groups, Instant now)
    {
        _groups = groups;
        _incoming.SetGroups(groups, now);
        TellState(now);
    }

    /// <summary>Other sites with members of a group, whether they can be reached or not: what is sent from now on is
    /// for those that can.</summary>
    public SiteSet MembersOf(uint group) => _states.Members(group).Without(_site);

    /// <summary>Sites for which a record of a group would be kept now.</summary>
    public SiteSet TargetsOf(uint group) => _outgoing.TargetsOf(group);

    /// <summary>The number up to which a site holds what was sent to a group; 0 when its gateway has told nothing.
    /// </summary>
    public ulong HeldOf(uint group, int site) => _outgoing.HeldOf(group, site);

    /// <summary>Key of a site's node; 0 when nothing is known of it.</summary>
    public ulong NodeOf(int site) => _states.Of(site)?.Node ?? 0;

    /// <summary>Which of what a site has told of itself is known here: rises with each that it tells.</summary>
    public (ulong Node, ulong Number) NewsOf(int site) =>
        _states.Of(site) is { } state ? (state.Node, state.Number) : default;

    /// <summary>Sites that can be reached, the own one included.</summary>
    public SiteSet Reached => _states.Current.TreeOf(_site).Sites;

    /// <summary>True when a record to a group may be sent.</summary>
    public bool HasRoom(uint group) => _outgoing.HasRoom(group);

    /// <summary>Records of a group that some other site may lack.</summary>
    public int KeptOf(uint group) => _outgoing.KeptOf(group);

    /// <summary>The site that holds least of what was sent to a group; negative when all hold it.</summary>
    public int SlowestOf(uint group) => _outgoing.SlowestOf(group);

    /// <summary>The lowest record of a group that some other site may lack.</summary>
    public ulong LowestOf(uint group) => _outgoing.LowestOf(group);

    /// <summary>The host has taken all records of a stream up to a number (<see cref="GatewaySettings.TellsTaken"/>).
    /// </summary>
    public void OnTaken(StreamId stream, ulong number, Instant now) => _incoming.OnTaken(stream, number, now);

    /// <summary>Sends a record to all other sites with members of a group.</summary>
    /// <param name="group">The group; not 0.</param>
    /// <param name="payload">Kept until all sites hold it; nobody changes it.</param>
    /// <param name="now">The present instant.</param>
    /// <returns>Its number; 0 when the window is full, and nothing was sent.</returns>
    public ulong Send(uint group, ReadOnlyMemory<byte> payload, Instant now) => _outgoing.Send(group, payload, now);

    /// <summary>A datagram has come from a neighbouring site's address.</summary>
    /// <returns>True when it is of the connection that the link has or makes.</returns>
    public bool OnDatagram(int site, ReadOnlySpan<byte> datagram, Instant now)
    {
        if (_links[site] is { } link) return link.OnDatagram(datagram, now);
        Counters.Rejects.Count(RejectReason.UnknownSender);
        return false;
    }

    /// <summary>The carrier of a neighbour's link takes more again.</summary>
    public void OnRoom(int site, Instant now) => _links[site]?.OnRoom(now);

    /// <summary>The connection that carries a neighbour's link has ended.</summary>
    public void OnDisconnected(int site, Instant now) => _links[site]?.OnDisconnected(now);

    void ILinkHost.Send(Link link, ReadOnlySpan<byte> datagram) => _host.Send(link.PeerSite, datagram);

    bool ILinkHost.HasRoom(Link link) => _host.HasRoom(link.PeerSite);

    bool ILinkHost.OnRecord(Link link, ReadOnlySpan<byte> record, Instant now)
    {
        if (record[0] == (byte)RecordKind.LinkState) return OnLinkState(link, record, now);
        var reader = new WireReader(record);
        if (!RecordHead.TryRead(ref reader, out RecordHead head)) return false;
        if (head.Root >= _map.Count || head.Stream.Site >= _map.Count) return false;
        if (!head.Targets.Except(_map.All).IsEmpty) return false;
        byte[] payload = reader.ReadBytes(reader.Remaining).ToArray();
        // Forwarded first: a site behind this one waits for nothing that is done here.
        _router.Forward(head, payload, now);
        if (!head.Targets.Contains(_site) || head.Stream.Site == _site) return true;
        if (head.Kind == RecordKind.Message)
        {
            _incoming.Accept(head, payload, now);
            return true;
        }
        if (!HeldList.TryRead(payload, out HeldList held)) return false;
        bool isPresent = _states.Of(head.Stream.Site) is { } known && known.Node == head.Stream.Node;
        if (isPresent) Counters.Rejects.Count(_outgoing.OnHeld(head.Stream.Site, held, now));
        return true;
    }

    void ILinkHost.OnUp(Link link, Instant now)
    {
        _costs[link.PeerSite].Begin(link.RoundTrip.Smoothed);
        for (int site = 0; site < _map.Count; site++)
        {
            if (site != _site && _states.Of(site) is { } known) link.Offer(new LinkItem(known.Bytes, default), now);
        }
        TellState(now);
    }

    void ILinkHost.OnFailed(Link link, LinkFailure failure, IReadOnlyList<LinkItem> left, Instant now)
    {
        if (failure == LinkFailure.Closed) return;
        _host.OnLinkFailed(link.PeerSite);
        TellState(now);
        foreach (LinkItem item in left)
        {
            var reader = new WireReader(item.Head.Span);
            // A gateway to which a link comes up is told of all links once more.
            if (RecordHead.TryRead(ref reader, out RecordHead head)) _router.Forward(head, item.Payload, now);
        }
    }

    private static LinkSettings SettingsOf(GatewaySettings settings, bool isStream, int peer)
    {
        LinkSettings link = settings.Link;
        if (settings.Parities is { } parities) link = link with { ParityEvery = parities[peer] };
        if (isStream) link = link.OverStream();
        return settings.MaxRates is { } rates ? link with { MaxRate = rates[peer] } : link;
    }

    private bool OnLinkState(Link from, ReadOnlySpan<byte> record, Instant now)
    {
        if (!LinkStateBody.TryRead(record, out LinkStateBody state) || state.Site >= _map.Count) return false;
        if (state.Site == _site || !_states.IsNews(state)) return true;
        var news = new SiteRecord(
            state.Node, state.Number, state.CopyLinks(), state.HasAnyGroup, state.CopyGroups(), record.ToArray());
        Take(state.Site, news, from, now);
        return true;
    }

    private void TellState(Instant now)
    {
        var links = new List<(int Site, uint Cost)>();
        for (int peer = 0; peer < _map.Count; peer++)
        {
            if (_links[peer] is not { State: LinkState.Up }) continue;
            uint cost = _map.CostOf(_site, peer);
            links.Add((peer, cost > 0 ? cost : _costs[peer].Told));
        }
        var bytes = new byte[LinkStateBody.MaxLength];
        var writer = new WireWriter(bytes);
        LinkStateBody.Write(ref writer, _site, _node, ++_stateNumber, links.ToArray(), _groups);
        Debug.Assert(!writer.Overflowed, "the longest state fits");
        bool hasAny = _groups.Length > LinkStateBody.MostGroups;
        var own = new SiteRecord(
            _node, _stateNumber, [.. links], hasAny, hasAny ? [] : _groups, bytes[..writer.Written]);
        Take(_site, own, null, now);
    }

    private void Take(int site, SiteRecord record, Link? from, Instant now)
    {
        SiteRecord? before = _states.Of(site);
        bool hasRestarted = before is not null && before.Node != record.Node;
        _states.Take(site, record);
        if (site != _site) _incoming.OnNode(site, record.Node, now);
        foreach (Link? link in _links)
        {
            if (link is { State: LinkState.Up } && link != from) link.Offer(new LinkItem(record.Bytes, default), now);
        }
        _outgoing.OnChange(hasRestarted ? site : -1, now);
    }

    private void UpdateCosts(Instant now)
    {
        bool changed = false;
        for (int peer = 0; peer < _map.Count; peer++)
        {
            if (_links[peer] is not { State: LinkState.Up } link || _map.CostOf(_site, peer) > 0) continue;
            changed |= _costs[peer].Update(link.RoundTrip.Smoothed, now);
        }
        if (changed) TellState(now);
        _costAlarm.Set(now + CostPause);
    }
}
