using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites.Gateways;
using QuickSilver.Protocol.Sites.Links;
using QuickSilver.Protocol.Sites.Overlay;
using QuickSilver.Testing.Sites;

namespace QuickSilver.Simulator.Hop;

/// <summary>Sites joined as the paper's were, in virtual time: floods and echoes over them.</summary>
internal sealed class HopWorld
{
    private const uint Group = 1;
    private const uint Background = 2;
    private const int EchoBytes = 16;

    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(30);
    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(1);

    private readonly SiteWorld _world;
    private readonly SiteMap _map;
    private readonly int[] _delivered;
    private readonly List<TimeSpan> _echoes = [];
    private int _answers;
    private int _echoFrom;
    private Instant _sentAt;
    private Instant _lastAt;

    /// <summary>Makes the sites, and waits until all links are up.</summary>
    /// <param name="links">Each link, with what both its ways are like.</param>
    /// <param name="seed">Decides what is lost and delayed.</param>
    /// <param name="parityEvery">After how many packets each link sends their parity; 0: never.</param>
    public HopWorld(
        IReadOnlyList<(string First, string Second, WayModel Way)> links, ulong seed = 1, int parityEvery = 0)
    {
        string[] names = [.. links.SelectMany(static link => new[] { link.First, link.Second }).Distinct()];
        _map = new SiteMap(names, links.Select(static link => new SiteLink(link.First, link.Second)));
        var ways = new Dictionary<(int, int), WayModel>();
        foreach ((string first, string second, WayModel way) in links)
        {
            ways[(_map.IndexOf(first), _map.IndexOf(second))] = way;
            ways[(_map.IndexOf(second), _map.IndexOf(first))] = way;
        }
        var settings = new GatewaySettings
        {
            InOrder = true,
            Window = 8192,
            RepairAfter = TimeSpan.FromSeconds(10),
            Link = new LinkSettings { ParityEvery = parityEvery },
        };
        _world = new SiteWorld(
            seed, _map, settings, static _ => [Group, Background], (from, to) => ways[(from, to)]);
        _delivered = new int[_map.Count];
        foreach (SimulatedSite site in _world.Sites)
        {
            site.Start();
            site.Delivered = (stream, _, payload) =>
            {
                if (stream.Group == Group) OnMessage(site, payload);
            };
        }
        if (!_world.RunUntil(IsConnected, Patience)) throw new InvalidOperationException("The links do not come up.");
        _world.RunFor(TimeSpan.FromSeconds(2));
    }

    /// <summary>Sends many messages as fast as the window lets, from one site to all.</summary>
    /// <returns>Bits of messages a second at the slowest receiver.</returns>
    public double Flood(string from, int messages, int bytes)
    {
        SimulatedSite sender = _world.Sites[_map.IndexOf(from)];
        Instant start = _world.Now;
        Array.Clear(_delivered);
        var payload = new byte[bytes];
        int sent = 0;
        Send();
        bool isOver = _world.RunUntil(IsOver, Patience);
        if (!isOver) throw new InvalidOperationException("The flood does not end.");
        return (double)messages * bytes * 8 / (_lastAt - start).TotalSeconds;

        void Send()
        {
            while (sent < messages && sender.Send(Group, payload) > 0) sent++;
            if (sent < messages) _world.At(Tick, Send);
        }

        bool IsOver() =>
            Enumerable.Range(0, _map.Count).All(site => site == sender.Index || _delivered[site] >= messages);
    }

    /// <summary>Sends messages there and back, one after another.</summary>
    /// <param name="from">The site that measures.</param>
    /// <param name="to">The site that answers.</param>
    /// <param name="count">How many.</param>
    /// <param name="bytes">Of each message.</param>
    /// <param name="background">Bits a second that the first site sends besides, to all.</param>
    /// <returns>The round trips.</returns>
    public IReadOnlyList<TimeSpan> Echo(string from, string to, int count, int bytes, double background = 0)
    {
        const int BackgroundBytes = 1000;
        _echoes.Clear();
        _answers = _map.IndexOf(to);
        _echoFrom = _map.IndexOf(from);
        bool isOver = false;
        if (background > 0) SendBackground();
        if (background > 0) _world.RunFor(TimeSpan.FromSeconds(5));
        var payload = new byte[Math.Max(bytes, EchoBytes)];
        for (int number = 0; number < count; number++)
        {
            int before = _echoes.Count;
            _sentAt = _world.Now;
            _world.Sites[_echoFrom].Send(Group, payload);
            if (!_world.RunUntil(() => _echoes.Count > before, Patience))
                throw new InvalidOperationException("An echo does not come.");
        }
        isOver = true;
        return [.. _echoes];

        void SendBackground()
        {
            if (isOver) return;
            _world.Sites[_echoFrom].Send(Background, new byte[BackgroundBytes]);
            _world.At(TimeSpan.FromSeconds(BackgroundBytes * 8 / background), SendBackground);
        }
    }

    /// <summary>Packets that a link has sent again, for each that it has sent.</summary>
    public double ResentShare(string from, string to)
    {
        var counters = _world.Sites[_map.IndexOf(from)].Gateway!.LinkTo(_map.IndexOf(to))!.Counters;
        return (double)counters.Resent / Math.Max(1, counters.Sent);
    }

    /// <summary>Bytes of packets and parities that a link has sent.</summary>
    public ulong SentBytes(string from, string to) =>
        _world.Sites[_map.IndexOf(from)].Gateway!.LinkTo(_map.IndexOf(to))!.Counters.SentBytes;

    private void OnMessage(SimulatedSite site, byte[] payload)
    {
        _delivered[site.Index]++;
        _lastAt = _world.Now;
        if (site.Index == _answers && payload[0] == 0 && _sentAt != Instant.Zero)
        {
            var answer = new byte[payload.Length];
            answer[0] = 1;
            site.Send(Group, answer);
        }
        if (site.Index == _echoFrom && payload.Length > 0 && payload[0] == 1) _echoes.Add(_world.Now - _sentAt);
    }

    private bool IsConnected() => _world.Sites.All(
        site => site.Gateway!.Topology.TreeOf(site.Index).Sites == _map.All);
}
