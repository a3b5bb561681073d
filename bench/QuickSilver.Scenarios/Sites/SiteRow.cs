using System.Globalization;
using System.Net;
using System.Security.Cryptography;
using Microsoft.Extensions.Logging.Abstractions;
using QuickSilver.Bench.Shaping;
using QuickSilver.WideArea;

namespace QuickSilver.Scenarios.Sites;

/// <summary>
/// Sites in a row in this process. Each is a cluster of a gateway's node and a member; a relay between neighbours
/// delays and loses. All end with it.
/// </summary>
internal sealed class SiteRow : IAsyncDisposable
{
    private readonly List<IAsyncDisposable> _parts = [];
    private readonly List<QuickSilverNode> _members = [];

    /// <summary>The member of each site, in the order of the row.</summary>
    public IReadOnlyList<QuickSilverNode> Members => _members;

    /// <summary>Starts the sites, and waits until each reaches all.</summary>
    /// <param name="sites">How many.</param>
    /// <param name="way">What happens between two neighbours, in each direction.</param>
    /// <param name="group">The group that spans them.</param>
    /// <param name="isOrdered">Whether gateways carry the order of all sites.</param>
    /// <param name="ct">Cancels the start.</param>
    public static async Task<SiteRow> StartAsync(
        int sites, WayShape way, string group, bool isOrdered, CancellationToken ct)
    {
        var row = new SiteRow();
        try
        {
            await row.StartAllAsync(sites, way, group, isOrdered, ct);
            return row;
        }
        catch
        {
            await row.DisposeAsync();
            throw;
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        for (int index = _parts.Count - 1; index >= 0; index--) await _parts[index].DisposeAsync();
    }

    private async Task StartAllAsync(int sites, WayShape way, string group, bool isOrdered, CancellationToken ct)
    {
        var relays = new UdpRelay[sites - 1];
        for (int index = 0; index < relays.Length; index++)
        {
            relays[index] = new UdpRelay(seed: index + 1);
            relays[index].Shape(way);
            _parts.Add(new Disposal(relays[index]));
        }
        string overlay = Guid.NewGuid().ToString("N");
        var key = PreSharedKey.FromBase64(Convert.ToBase64String(RandomNumberGenerator.GetBytes(32)));
        List<SiteGateway> gateways = [];
        for (int site = 0; site < sites; site++)
        {
            QuickSilverNode beside = await StartNodeAsync(overlay, site, ct);
            _members.Add(await StartNodeAsync(overlay, site, ct));
            var options = new SiteGatewayOptions
            {
                Overlay = overlay,
                Site = NameOf(site),
                Listen = "127.0.0.1:0",
                Groups = { group },
                OrdersGroups = isOrdered,
            };
            options.UsePreSharedKey(key).UseLoggerFactory(NullLoggerFactory.Instance);
            for (int link = 0; link < relays.Length; link++)
            {
                IPEndPoint? at = link == site ? relays[link].First : link == site - 1 ? relays[link].Second : null;
                options.Links.Add(new SiteLinkOptions
                {
                    From = NameOf(link),
                    To = NameOf(link + 1),
                    Address = at?.ToString(),
                });
            }
            SiteGateway gateway = await SiteGateway.StartAsync(beside, options, ct);
            gateways.Add(gateway);
            _parts.Add(gateway);
            if (site < relays.Length) relays[site].Connect(gateway.LocalEndPoint, null);
            if (site > 0) relays[site - 1].Connect(null, gateway.LocalEndPoint);
        }
        foreach (SiteGateway gateway in gateways) await gateway.WaitForSitesAsync(ct);
    }

    private async Task<QuickSilverNode> StartNodeAsync(string overlay, int site, CancellationToken ct)
    {
        var options = new QuickSilverOptions { ClusterName = $"{overlay} {site}" };
        options.Membership.Mode = MembershipMode.Loopback;
        options.UseLoggerFactory(NullLoggerFactory.Instance);
        QuickSilverNode node = await QuickSilverNode.StartAsync(options, ct);
        _parts.Add(node);
        return node;
    }

    private static string NameOf(int site) => string.Create(CultureInfo.InvariantCulture, $"site-{site}");

    private sealed class Disposal(IDisposable part) : IAsyncDisposable
    {
        public ValueTask DisposeAsync()
        {
            part.Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
