using System.Collections.Concurrent;
using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Microsoft.Extensions.Logging.Abstractions;
using QuickSilver.Bench.Shaping;
using QuickSilver.Tests.Security;

namespace QuickSilver.WideArea.Tests;

/// <summary>
/// Sites in this process: each has a cluster in memory of a gateway's node and a member, and a relay stands in for each
/// link. All end with it.
/// </summary>
internal sealed class SiteRig : IAsyncDisposable
{
    /// <summary>How long anything may take before a test gives up on it.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private static int _made;

    private readonly int _number = Interlocked.Increment(ref _made);
    private readonly string[] _names;
    private readonly (string First, string Second)[] _links;
    private readonly Dictionary<(string, string), UdpRelay> _relays = [];
    private readonly Dictionary<(string, string), TcpRelay> _connections = [];
    private readonly Dictionary<string, QuickSilverNode> _gatewayNodes = [];
    private readonly List<IAsyncDisposable> _others = [];

    public SiteRig(params (string First, string Second)[] links)
    {
        _links = links;
        _names = [.. links.SelectMany(static link => new[] { link.First, link.Second }).Distinct().Order()];
        int seed = 1;
        foreach ((string First, string Second) link in links) _relays.Add(link, new UdpRelay(seed += 10));
    }

    /// <summary>The key of the links.</summary>
    public PreSharedKey Key { get; } =
        PreSharedKey.FromBase64(Convert.ToBase64String(RandomNumberGenerator.GetBytes(32)));

    /// <summary>Issues the certificates of gateways with links by TCP.</summary>
    public TestAuthority Authority { get; } = new();

    /// <summary>Running gateways, by site.</summary>
    public Dictionary<string, SiteGateway> Gateways { get; } = [];

    /// <summary>A member of each site, which sends and reads.</summary>
    public Dictionary<string, QuickSilverNode> Members { get; } = [];

    /// <summary>Changes the options of gateways before they start.</summary>
    public Action<SiteGatewayOptions>? Change { get; set; }

    /// <summary>The relay of a link.</summary>
    public UdpRelay Relay(string first, string second) => _relays[(first, second)];

    /// <summary>A link is by TCP, before gateways start.</summary>
    public TcpRelay UseTcp(string first, string second) => _connections[(first, second)] = new TcpRelay();

    /// <summary>Shapes all ways.</summary>
    public void Shape(WayShape shape)
    {
        foreach (UdpRelay relay in _relays.Values) relay.Shape(shape);
    }

    /// <summary>Starts all sites and waits until each reaches all.</summary>
    public async Task StartAsync(bool waits = true)
    {
        foreach (string site in _names)
        {
            _gatewayNodes[site] = await StartNodeAsync(site);
            Members[site] = await StartNodeAsync(site);
            await StartGatewayAsync(site);
        }
        if (waits) await WaitForSitesAsync();
    }

    public async Task WaitForSitesAsync()
    {
        using var limit = new CancellationTokenSource(Patience);
        foreach (SiteGateway gateway in Gateways.Values) await gateway.WaitForSitesAsync(limit.Token);
    }

    /// <summary>Starts a node of a site's cluster.</summary>
    public async Task<QuickSilverNode> StartNodeAsync(string site)
    {
        var options = new QuickSilverOptions { ClusterName = $"{site}-{_number}" };
        options.UseLoggerFactory(NullLoggerFactory.Instance);
        options.Transport.Kind = TransportKind.InMemory;
        QuickSilverNode node = await QuickSilverNode.StartAsync(options).WaitAsync(Patience);
        _others.Add(node);
        return node;
    }

    public async Task<SiteGateway> StartGatewayAsync(string site)
    {
        SiteGatewayOptions options = OptionsOf(site);
        Change?.Invoke(options);
        SiteGateway gateway = await SiteGateway.StartAsync(_gatewayNodes[site], options).WaitAsync(Patience);
        Gateways[site] = gateway;
        foreach ((string First, string Second) link in _links)
        {
            (IPEndPoint? first, IPEndPoint? second) = link.First == site
                ? (gateway.LocalEndPoint, null)
                : ((IPEndPoint?)null, link.Second == site ? gateway.LocalEndPoint : null);
            _relays[link].Connect(first, second);
            _connections.GetValueOrDefault(link)?.Connect(first, second);
        }
        return gateway;
    }

    /// <summary>Ends all nodes of a site and its gateway at once, and starts others in their place.</summary>
    public async Task LoseAsync(string site, bool returns = true)
    {
        await Gateways[site].KillAsync();
        await Gateways[site].DisposeAsync();
        foreach (QuickSilverNode node in new[] { Members[site], _gatewayNodes[site] })
        {
            await node.DisposeAsync();
            _others.Remove(node);
        }
        if (!returns) return;
        _gatewayNodes[site] = await StartNodeAsync(site);
        Members[site] = await StartNodeAsync(site);
        await StartGatewayAsync(site);
    }

    public SiteGatewayOptions OptionsOf(string site)
    {
        var options = new SiteGatewayOptions
        {
            Overlay = "tests",
            Site = site,
            Listen = "127.0.0.1:0",
            Groups = { "news" },
            // Members join when they can: no test depends on how soon.
            PruneAfter = Timeout.InfiniteTimeSpan,
        };
        options.UsePreSharedKey(Key).UseLoggerFactory(NullLoggerFactory.Instance);
        foreach ((string First, string Second) link in _links)
        {
            TcpRelay? tcp = _connections.GetValueOrDefault(link);
            IPEndPoint? at = link.First == site ? tcp?.First ?? _relays[link].First
                : link.Second == site ? tcp?.Second ?? _relays[link].Second : null;
            options.Links.Add(new SiteLinkOptions
            {
                From = link.First,
                To = link.Second,
                Address = at?.ToString(),
                Transport = tcp is null ? SiteLinkTransport.Udp : SiteLinkTransport.Tcp,
            });
        }
        if (_connections.Count > 0) UseCertificate(options, Authority.Issue(site));
        return options;
    }

    /// <summary>Gives a gateway a certificate, and trusts the authority.</summary>
    public void UseCertificate(SiteGatewayOptions options, X509Certificate2 certificate) =>
        options.UseCertificates(certificates =>
        {
            certificates.CertificateSelector = () => certificate;
            certificates.TrustedRoots.Clear();
            certificates.TrustedRoots.Add(Authority.Root);
        });

    /// <summary>Joins a group at a site's member, and collects what comes.</summary>
    public async Task<Collected> JoinAsync(string site, string group = "news")
    {
        var collected = new Collected();
        Group joined = await Members[site].JoinAsync(group, new GroupOptions
        {
            SelfDelivery = false,
            OnMessage = collected.OnMessage,
            BufferBeforeFirstRead = false,
        }).WaitAsync(Patience);
        collected.Group = joined;
        return collected;
    }

    /// <summary>Waits for something that no task tells of.</summary>
    public static async Task UntilAsync(Func<bool> holds, Func<string> what)
    {
        long start = Environment.TickCount64;
        while (!holds())
        {
            if (Environment.TickCount64 - start > Patience.TotalMilliseconds) Assert.Fail($"never: {what()}");
            await Task.Delay(5);
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (SiteGateway gateway in Gateways.Values) await gateway.DisposeAsync();
        for (int index = _others.Count - 1; index >= 0; index--) await _others[index].DisposeAsync();
        foreach (UdpRelay relay in _relays.Values) relay.Dispose();
        foreach (TcpRelay relay in _connections.Values) await relay.DisposeAsync();
        Authority.Dispose();
    }

    /// <summary>What a member has got, in its order.</summary>
    internal sealed class Collected
    {
        private readonly ConcurrentQueue<byte[]> _messages = new();

        public Group Group { get; set; } = null!;

        public int Count => _messages.Count;

        public IReadOnlyList<byte[]> Messages => [.. _messages];

        public IReadOnlyList<string> Texts => [.. _messages.Select(System.Text.Encoding.UTF8.GetString)];

        public void OnMessage(in MessageRef message) => _messages.Enqueue(message.Payload.ToArray());
    }
}
