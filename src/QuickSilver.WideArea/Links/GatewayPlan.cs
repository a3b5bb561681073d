using QuickSilver.Protocol.Sites;
using QuickSilver.Protocol.Sites.Gateways;
using QuickSilver.Protocol.Sites.Links;
using QuickSilver.Protocol.Sites.Overlay;

namespace QuickSilver.WideArea.Links;

/// <summary>What valid options come to: the map of sites, the gateway's place in it, and its settings. Immutable.
/// </summary>
internal sealed class GatewayPlan
{
    /// <summary>Bytes of the longest record: with all around it, datagrams fit paths of 1,400 bytes.</summary>
    public const int RecordBytes = 1250;

    private const int Window = 4096;

    /// <summary>Makes the plan of valid options.</summary>
    public GatewayPlan(SiteGatewayOptions options)
    {
        string[] names = [.. options.Links.SelectMany(link => new[] { FromOf(link, options), link.To }).Distinct()];
        IEnumerable<SiteLink> links = options.Links.Select(
            link => new SiteLink(
                FromOf(link, options), link.To, CostOf(link), link.Transport == SiteLinkTransport.Tcp));
        Map = new SiteMap(names, links, options.Overlay);
        Site = Map.IndexOf(options.Site);
        var addresses = new IReadOnlyList<string>[Map.Count];
        Array.Fill(addresses, []);
        var rates = new long[Map.Count];
        var parities = new int[Map.Count];
        var streams = new List<StreamPeer>();
        foreach (SiteLinkOptions link in options.Links)
        {
            string from = FromOf(link, options);
            if (from != options.Site && link.To != options.Site) continue;
            int peer = Map.IndexOf(from == options.Site ? link.To : from);
            if (link.Address is not null) addresses[peer] = [link.Address, .. link.OtherAddresses];
            rates[peer] = link.MaxBytesPerSecond;
            parities[peer] = link.ParityEvery;
            if (link.Transport != SiteLinkTransport.Tcp) continue;
            string name = Map.NameOf(peer);
            streams.Add(new StreamPeer(peer, name, link.CertificateName ?? name));
        }
        Addresses = addresses;
        Streams = streams;
        Settings = new GatewaySettings
        {
            InOrder = true,
            TellsTaken = true,
            HoldTime = options.HoldTime,
            Window = Window,
            MaxRates = rates,
            Parities = parities,
            Link = new LinkSettings { MaxRecord = RecordBytes },
        };
    }

    /// <summary>Sites and links.</summary>
    public SiteMap Map { get; }

    /// <summary>Index of the own site.</summary>
    public int Site { get; }

    /// <summary>Addresses of neighbours' gateways, by the index of their site; none for sites that are no neighbours,
    /// or are waited for.</summary>
    public IReadOnlyList<IReadOnlyList<string>> Addresses { get; }

    /// <summary>Neighbours whose links are carried by connections.</summary>
    public IReadOnlyList<StreamPeer> Streams { get; }

    /// <summary>Settings of the gateway.</summary>
    public GatewaySettings Settings { get; }

    private static string FromOf(SiteLinkOptions link, SiteGatewayOptions options) => link.From ?? options.Site;

    private static uint CostOf(SiteLinkOptions link) => (uint)link.Cost.TotalMicroseconds;
}
