using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites.Gateways;
using QuickSilver.Protocol.Sites.Overlay;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Sites;

/// <summary>An overlay of sites in virtual time: a gateway each, and two ways for each link.</summary>
internal sealed class SiteWorld
{
    private readonly SimulatedWay?[,] _ways;
    private readonly SimulatedStream?[,] _streams;

    /// <summary>Makes a world in which no gateway has begun.</summary>
    /// <param name="seed">Decides all that is random.</param>
    /// <param name="map">Sites and links.</param>
    /// <param name="settings">Of each gateway.</param>
    /// <param name="groups">Groups of each site.</param>
    /// <param name="model">What the way from one site to another is like.</param>
    public SiteWorld(
        ulong seed, SiteMap map, GatewaySettings settings, Func<int, uint[]> groups, Func<int, int, WayModel> model)
    {
        Map = map;
        Settings = settings;
        Random = new SimulationRandom(seed);
        Events = new EventQueue(Clock, Random);
        _ways = new SimulatedWay?[map.Count, map.Count];
        _streams = new SimulatedStream?[map.Count, map.Count];
        Sites = [.. Enumerable.Range(0, map.Count).Select(site => new SimulatedSite(this, site, groups(site)))];
        for (int from = 0; from < map.Count; from++)
        {
            for (int to = 0; to < map.Count; to++)
            {
                if (!map.NeighboursOf(from).Contains(to)) continue;
                WayModel way = model(from, to);
                _ways[from, to] = new SimulatedWay(way, Events, Random, from, to);
                if (map.IsStream(from, to))
                    _streams[from, to] = new SimulatedStream(way, Events, Random, Sites[from], Sites[to]);
            }
        }
    }

    /// <summary>Sites and links.</summary>
    public SiteMap Map { get; }

    /// <summary>Of each gateway.</summary>
    public GatewaySettings Settings { get; }

    /// <summary>Decides all that is random.</summary>
    public SimulationRandom Random { get; }

    /// <summary>The events to come.</summary>
    public EventQueue Events { get; }

    /// <summary>The sites.</summary>
    public IReadOnlyList<SimulatedSite> Sites { get; }

    /// <summary>The present instant.</summary>
    public Instant Now => Clock.Now;

    private VirtualClock Clock { get; } = new();

    /// <summary>The way from one site to another.</summary>
    public SimulatedWay Way(int from, int to) => _ways[from, to]!;

    /// <summary>Sends a datagram on its way.</summary>
    public void Send(int from, int to, ReadOnlySpan<byte> datagram)
    {
        if (_streams[from, to] is { } stream) stream.Send(datagram);
        else Way(from, to).Send(Sites[to], datagram);
    }

    /// <summary>Whether the carrier of a link takes more.</summary>
    public bool HasRoom(int from, int to) => _streams[from, to] is not { HasRoom: false };

    /// <summary>Cuts a way, or lets it pass again. A connection ends with it.</summary>
    public void Cut(int from, int to, bool isCut)
    {
        Way(from, to).IsCut = isCut;
        if (_streams[from, to] is not { } stream) return;
        stream.IsCut = isCut;
        if (isCut) Break(from, to);
    }

    /// <summary>The connection between two sites ends, if there is one: each learns it within a twentieth of a second.
    /// </summary>
    public void Break(int first, int second)
    {
        if (_streams[first, second] is not { } one || _streams[second, first] is not { } other) return;
        one.Break();
        other.Break();
        At(TimeSpan.FromMilliseconds(1), () => Sites[first].OnDisconnected(second));
        At(TimeSpan.FromMilliseconds(50), () => Sites[second].OnDisconnected(first));
    }

    /// <summary>All connections of a site end.</summary>
    public void BreakAll(int site)
    {
        for (int other = 0; other < Map.Count; other++) Break(site, other);
    }

    /// <summary>Calls something later.</summary>
    public void At(TimeSpan delay, Action action) => Events.Schedule(Now + delay, Caller.Instance, action);

    /// <summary>Lets time pass.</summary>
    public void RunFor(TimeSpan time)
    {
        Instant end = Now + time;
        while (Events.RunNext(end))
        {
        }
        Clock.MoveTo(end);
    }

    /// <summary>Lets time pass until something is so, in steps of a tenth of a second.</summary>
    /// <returns>False when it was not so within the limit.</returns>
    public bool RunUntil(Func<bool> isSo, TimeSpan limit)
    {
        for (Instant end = Now + limit; Now < end;)
        {
            if (isSo()) return true;
            RunFor(TimeSpan.FromMilliseconds(100));
        }
        return isSo();
    }

    private sealed class Caller : IEventTarget
    {
        public static readonly Caller Instance = new();

        public void OnEvent(object? argument, long value, Instant now) => ((Action)argument!)();
    }
}
