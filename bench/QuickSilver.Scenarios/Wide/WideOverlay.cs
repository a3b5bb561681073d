using System.Globalization;
using QuickSilver.Bench.Shaping;

namespace QuickSilver.Scenarios.Wide;

/// <summary>Sites as processes over a <see cref="WideNetwork"/>, joined by links: round trips and floods between them.
/// </summary>
internal sealed class WideOverlay : IAsyncDisposable
{
    private const int BitsOfByte = 8;

    private readonly List<SiteProcess> _sites = [];
    private readonly WideCertificates _certificates = new();
    private readonly string[] _names;
    private readonly IReadOnlyList<WideLink> _links;

    private WideOverlay(string[] names, IReadOnlyList<WideLink> links) => (_names, _links) = (names, links);

    /// <summary>The network.</summary>
    public required WideNetwork Network { get; init; }

    /// <summary>Makes the network and starts the sites; ends when each reaches all.</summary>
    /// <param name="names">The sites.</param>
    /// <param name="links">Their links.</param>
    /// <param name="kind">What joins the gateways.</param>
    /// <param name="cost">What each link costs; zero: measured.</param>
    public static async Task<WideOverlay> StartAsync(
        string[] names, IReadOnlyList<WideLink> links, WideLinkKind kind, TimeSpan cost = default)
    {
        var overlay = new WideOverlay(names, links) { Network = new WideNetwork(names.Length, kind) };
        try
        {
            overlay.Shape(loss: 0);
            SitePlan plan = SitePlan.Of(names, links, kind, cost) with
            {
                Certificates = kind == WideLinkKind.Hop ? null : overlay._certificates.Folder,
            };
            for (int site = 0; site < names.Length; site++)
            {
                overlay._sites.Add(
                    await SiteProcess.StartAsync(plan with { Site = site }, overlay.Network.PrefixOf(site)));
            }
            foreach (SiteProcess site in overlay._sites) await site.ReadyAsync();
            // Until the gateways have told each other that there are members.
            await Task.Delay(TimeSpan.FromSeconds(1));
            return overlay;
        }
        catch
        {
            await overlay.DisposeAsync();
            throw;
        }
    }

    /// <summary>All ways lose a share of the packets from now on.</summary>
    public void Shape(double loss)
    {
        foreach (WideLink link in _links)
            Network.Router.Shape(link.First, link.Second, link.Way with { Loss = loss });
    }

    /// <summary>Round trips of the system's own echoes between the ends of a link, in milliseconds.</summary>
    public Task<double[]> PingAsync(WideLink link, int count, int bytes) => _sites[link.First].AskAsync(
        string.Create(CultureInfo.InvariantCulture, $"ping {WideNetwork.AddressOf(link.Second)} {count} {bytes}"),
        "pinged");

    /// <summary>Round trips of messages between members of two sites, in milliseconds.</summary>
    public Task<double[]> AskAsync(string from, string to, int count, int bytes) => At(from).AskAsync(
        string.Create(CultureInfo.InvariantCulture, $"ask {Array.IndexOf(_names, to)} {count} {bytes}"), "asked");

    /// <summary>A site begins to send at a fixed rate beside.</summary>
    public Task LoadAsync(string from, int bits) =>
        At(from).AskAsync(string.Create(CultureInfo.InvariantCulture, $"load {bits}"), "loading");

    /// <summary>A site sends no more.</summary>
    public Task StopAsync(string from) => At(from).AskAsync("stop", "stopped");

    /// <summary>A site sends as fast as it may, to all.</summary>
    /// <returns>Bits of messages a second at the slowest site, after the warm-up.</returns>
    public async Task<double> FloodAsync(string from, int bytes, TimeSpan warmUp, TimeSpan length)
    {
        await At(from).AskAsync(string.Create(CultureInfo.InvariantCulture, $"flood {bytes}"), "flooding");
        await Task.Delay(warmUp);
        double[] before = await CountAsync();
        await Task.Delay(length);
        double[] after = await CountAsync();
        await StopAsync(from);
        int sender = Array.IndexOf(_names, from);
        return Enumerable.Range(0, _names.Length).Where(site => site != sender)
            .Min(site => after[site] - before[site]) * bytes * BitsOfByte / length.TotalSeconds;
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        foreach (SiteProcess site in _sites) await site.DisposeAsync();
        Network.Dispose();
        _certificates.Dispose();
    }

    private SiteProcess At(string site) => _sites[Array.IndexOf(_names, site)];

    private async Task<double[]> CountAsync()
    {
        var counts = new double[_sites.Count];
        for (int site = 0; site < counts.Length; site++)
            counts[site] = (await _sites[site].AskAsync("count", "counted"))[0];
        return counts;
    }
}

/// <summary>A link between two sites.</summary>
/// <param name="First">Index of the site at one end.</param>
/// <param name="Second">Index of the site at the other.</param>
/// <param name="Way">What each of its ways is like.</param>
internal sealed record WideLink(int First, int Second, WayShape Way);
