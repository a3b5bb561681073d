using System.Net;
using Microsoft.Extensions.Logging.Abstractions;
using QuickSilver.Bench.Shaping;
using QuickSilver.Testing;

namespace QuickSilver.WideArea.Tests;

/// <summary>
/// Two sites in this process, each a cluster of two gateways' nodes and a member. A relay stands for each way between
/// two gateways. Nodes can be crashed and cut off. All end with it.
/// </summary>
internal sealed class TakeoverRig : IAsyncDisposable
{
    public const string Berlin = "berlin";
    public const string Tokyo = "tokyo";

    private const string Group = "news";
    private const string Member = "member";

    private readonly SiteRig _rig = new((Berlin, Tokyo));
    private readonly UdpRelay[,] _ways = new UdpRelay[2, 2];
    private readonly TcpRelay?[,] _connections = new TcpRelay?[2, 2];
    private readonly Dictionary<string, TestCluster> _clusters = [];
    private readonly Dictionary<(string Site, int Place), SiteGateway> _gateways = [];

    private TakeoverRig()
    {
        for (int way = 0; way < 4; way++) _ways[way / 2, way % 2] = new UdpRelay(way + 1);
    }

    /// <summary>What the members have got, in their order.</summary>
    public Dictionary<string, SiteRig.Collected> Members { get; } = [];

    /// <summary>Changes options before a gateway starts.</summary>
    public Action<SiteGatewayOptions>? Change { get; set; }

    /// <summary>Starts both sites: of each gateways, the first is active.</summary>
    public static async Task<TakeoverRig> StartAsync(
        int gatewaysInTokyo = 1, WayShape? shape = null, Action<SiteGatewayOptions>? change = null, bool isTcp = false)
    {
        var rig = new TakeoverRig { Change = change };
        for (int way = 0; isTcp && way < 4; way++) rig._connections[way / 2, way % 2] = new TcpRelay();
        try
        {
            foreach (UdpRelay way in rig._ways) way.Shape(shape ?? WayShape.Clear);
            foreach (string site in new[] { Berlin, Tokyo })
            {
                rig._clusters[site] = await TestCluster.StartAsync([Member]);
                rig.Members[site] = new SiteRig.Collected();
                rig.Members[site].Group = await rig._clusters[site][Member].JoinAsync(Group, new GroupOptions
                {
                    SelfDelivery = false,
                    OnMessage = rig.Members[site].OnMessage,
                    BufferBeforeFirstRead = false,
                });
                int count = site == Berlin ? 2 : gatewaysInTokyo;
                for (int place = 0; place < count; place++) await rig.StartGatewayAsync(site, place);
                Assert.True(rig.Gateway(site, 0).GetStatistics().IsActive);
            }
            await rig.WaitForSitesAsync();
            return rig;
        }
        catch
        {
            await rig.DisposeAsync();
            throw;
        }
    }

    public SiteGateway Gateway(string site, int place) => _gateways[(site, place)];

    /// <summary>The way between a gateway in berlin and one in tokyo.</summary>
    public UdpRelay Way(int berlin, int tokyo) => _ways[berlin, tokyo];

    public TestCluster Cluster(string site) => _clusters[site];

    public static string NodeOf(int place) => $"gateway-{place}";

    /// <summary>Starts a gateway, and its node if that does not run.</summary>
    public async Task StartGatewayAsync(string site, int place)
    {
        QuickSilverNode node = _gateways.TryGetValue((site, place), out SiteGateway? before)
            && !before.Node.Completion.IsCompleted
            ? before.Node
            : await _clusters[site].StartNodeAsync(NodeOf(place));
        var link = new SiteLinkOptions { To = site == Berlin ? Tokyo : Berlin, Address = AddressOf(site, place, 0) };
        link.OtherAddresses.Add(AddressOf(site, place, 1));
        if (_connections[0, 0] is not null) link.Transport = SiteLinkTransport.Tcp;
        var options = new SiteGatewayOptions
        {
            Overlay = "tests",
            Site = site,
            Listen = "127.0.0.1:0",
            Groups = { Group },
            Links = { link },
            Standby = true,
        };
        options.UsePreSharedKey(_rig.Key).UseLoggerFactory(NullLoggerFactory.Instance);
        if (link.Transport == SiteLinkTransport.Tcp) _rig.UseCertificate(options, _rig.Authority.Issue(site));
        Change?.Invoke(options);
        SiteGateway gateway = await SiteGateway.StartAsync(node, options).WaitAsync(SiteRig.Patience);
        _gateways[(site, place)] = gateway;
        for (int other = 0; other < 2; other++)
        {
            (int berlin, int tokyo) = site == Berlin ? (place, other) : (other, place);
            (IPEndPoint? first, IPEndPoint? second) = site == Berlin
                ? (gateway.LocalEndPoint, (IPEndPoint?)null) : (null, gateway.LocalEndPoint);
            _ways[berlin, tokyo].Connect(first, second);
            _connections[berlin, tokyo]?.Connect(first, second);
        }
    }

    /// <summary>Crashes the node of a gateway, and with it the gateway.</summary>
    public async Task CrashAsync(string site, int place)
    {
        await _clusters[site].CrashAsync(NodeOf(place));
        await Gateway(site, place).KillAsync();
    }

    /// <summary>Cuts all ways, and waits until that is seen.</summary>
    public async Task CutAsync()
    {
        foreach (UdpRelay way in _ways) way.Shape(new WayShape { IsCut = true });
        await SiteRig.UntilAsync(
            () => Gateway(Berlin, 0).GetStatistics().Routes[0].Via is null, () => "the cut is seen");
    }

    public async Task WaitForActiveAsync(string site, int place) =>
        await SiteRig.UntilAsync(
            () => Gateway(site, place).GetStatistics() is { IsActive: true } now
                && now.Routes.Any(static route => route.Via is not null),
            () => $"gateway {place} of {site} is active and reaches the other site");

    public async Task WaitForSitesAsync()
    {
        foreach (string site in new[] { Berlin, Tokyo }) await WaitForActiveAsync(site, 0);
    }

    /// <summary>Sends numbered messages of a member until it is told to stop.</summary>
    /// <returns>How many.</returns>
    public async Task<int> SendUntilAsync(string site, Task stop, int most = int.MaxValue)
    {
        int number = 0;
        for (; !stop.IsCompleted && number < most; number++)
        {
            await Members[site].Group.SendAsync($"{number}");
            if (number % 10 == 9) await Task.Delay(1);
        }
        return number;
    }

    /// <summary>Waits until a member has got each of so many numbered messages.</summary>
    public async Task WaitForAllAsync(string site, int count) =>
        await SiteRig.UntilAsync(
            () => Members[site].Count >= count && Members[site].Texts.Distinct().Count() == count,
            () =>
            {
                string[] texts = [.. Members[site].Texts];
                IEnumerable<string> missing = Enumerable.Range(0, count).Select(static one => $"{one}").Except(texts);
                return $"{count} messages in {site}: {texts.Length}; missing {string.Join(", ", missing.Take(20))}; "
                    + string.Join(
                        Environment.NewLine, _gateways.Select(one => $"{one.Key}: {one.Value.GetStatistics()}"));
            });

    public async ValueTask DisposeAsync()
    {
        foreach (SiteGateway gateway in _gateways.Values.Reverse()) await gateway.DisposeAsync();
        foreach (TestCluster cluster in _clusters.Values) await cluster.DisposeAsync();
        foreach (UdpRelay way in _ways) way.Dispose();
        foreach (TcpRelay? way in _connections)
        {
            if (way is not null) await way.DisposeAsync();
        }
        await _rig.DisposeAsync();
    }

    private string AddressOf(string site, int place, int other)
    {
        (int berlin, int tokyo) = site == Berlin ? (place, other) : (other, place);
        UdpRelay way = _ways[berlin, tokyo];
        TcpRelay? tcp = _connections[berlin, tokyo];
        return (site == Berlin ? tcp?.First ?? way.First : tcp?.Second ?? way.Second).ToString();
    }
}
