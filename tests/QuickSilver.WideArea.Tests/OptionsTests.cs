using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using QuickSilver.WideArea.Links;

namespace QuickSilver.WideArea.Tests;

/// <summary>What is said about options, before anything is opened.</summary>
public sealed class OptionsTests
{
    [Fact]
    public void Good_options_have_no_fault()
    {
        Assert.Empty(Good().Validate());
        SiteGatewayOptions three = Good();
        three.Links.Add(new SiteLinkOptions { From = "oslo", To = "tokyo", Cost = TimeSpan.FromMilliseconds(20) });
        three.Listen = "[::]:16900";
        three.PruneAfter = Timeout.InfiniteTimeSpan;
        Assert.Empty(three.Validate());
        three.Groups.Clear();
        three.OrdersGroups = true;
        Assert.Empty(three.Validate());
        Assert.Empty(new SiteOrderOptions { Level = OrderedLevel.Safe }.Validate());
    }

    [Fact]
    public void Faults_are_named()
    {
        Refuses(static options => options.Site = "", "Site: ");
        Refuses(static options => options.Overlay = "a\nb", "Overlay: ");
        Refuses(static options => options.Listen = "10.0.0.5", "Listen: ");
        Refuses(static options => options.Listen = "host:1", "Listen: ");
        Refuses(static options => options.Links.Clear(), "Links: ");
        Refuses(static options => options.Links[0].To = "berlin", "Links[0].To: ");
        Refuses(static options => options.Links[0].Address = null, "Links[0].Address: ");
        Refuses(static options => options.Links[0].Address = "10.0.0.5", "Links[0].Address: ");
        Refuses(static options => options.Links[0].OtherAddresses.Add("10.0.0.5"), "Links[0].OtherAddresses[0]: ");
        Refuses(
            static options => options.Links[0].OtherAddresses.Add(options.Links[0].Address!),
            "Links[0].OtherAddresses[0]: ");
        Refuses(static options => AddMany(options.Links[0].OtherAddresses), "Links[0].OtherAddresses: ");
        Refuses(static options => options.Links[0].MaxBytesPerSecond = -1, "Links[0].MaxBytesPerSecond: ");
        Refuses(static options => options.Links[0].ParityEvery = 1, "Links[0].ParityEvery: ");
        Refuses(static options => options.Links[0].ParityEvery = 65, "Links[0].ParityEvery: ");
        Refuses(static options => options.Links[0].ParityEvery = -1, "Links[0].ParityEvery: ");
        Refuses(static options => options.Links[0].Cost = TimeSpan.FromHours(1), "Links[0].Cost: ");
        Refuses(static options => options.Links.Add(null!), "Links[1]: ");
        Refuses(
            static options => options.Links.Add(
                new SiteLinkOptions { From = "tokyo", To = "berlin", Address = "10.0.0.6:16900" }),
            "Links[1]: ");
        Refuses(static options => options.Groups.Clear(), "Groups: ");
        Refuses(static options => options.Groups.Add("$x"), "Groups[1]: ");
        Refuses(static options => options.Groups.Add("news"), "Groups[1]: ");
        Refuses(static options => options.Groups.Add("quicksilver/order"), "Groups[1]: ");
        Refuses(static options => options.KeyFile = "key", "KeyFile: ");
        Assert.Equal(2, new SiteOrderOptions { Level = (OrderedLevel)9, MaxUnreadBytes = 0 }.Validate().Count);
        Refuses(static options => options.MaxWaitingBytesPerGroup = 1, "MaxWaitingBytesPerGroup: ");
        Refuses(static options => options.HoldTime = TimeSpan.FromDays(1), "HoldTime: ");
        Refuses(static options => options.PruneAfter = TimeSpan.FromDays(1), "PruneAfter: ");
        Assert.Contains(
            new SiteGatewayOptions().Validate(),
            static fault => fault.StartsWith("KeyFile: ", StringComparison.Ordinal));
    }

    [Fact]
    public void Sites_that_list_the_same_links_have_the_same_map()
    {
        SiteGatewayOptions tokyo = Good();
        tokyo.Site = "tokyo";
        tokyo.Links.Clear();
        tokyo.Links.Add(new SiteLinkOptions { To = "berlin", Address = "10.0.0.7:1", MaxBytesPerSecond = 5 });
        tokyo.Links[0].ParityEvery = 8;
        var here = new GatewayPlan(Good());
        var there = new GatewayPlan(tokyo);
        Assert.Equal(here.Map.Hash, there.Map.Hash);
        tokyo.Overlay = "other";
        Assert.NotEqual(here.Map.Hash, new GatewayPlan(tokyo).Map.Hash);
        Assert.Equal(["10.0.0.7:1"], there.Addresses[there.Map.IndexOf("berlin")]);
        Assert.Equal(5, there.Settings.MaxRates![there.Map.IndexOf("berlin")]);
        Assert.Equal(8, there.Settings.Parities![there.Map.IndexOf("berlin")]);
        tokyo.Overlay = "default";
        tokyo.Links[0].Transport = SiteLinkTransport.Tcp;
        Assert.NotEqual(here.Map.Hash, new GatewayPlan(tokyo).Map.Hash);
        Assert.Equal(
            new StreamPeer(there.Map.IndexOf("berlin"), "berlin", "berlin"),
            Assert.Single(new GatewayPlan(tokyo).Streams));
    }

    [Fact]
    public void A_link_by_tcp_needs_certificates()
    {
        SiteGatewayOptions options = Good();
        options.Links[0].Transport = SiteLinkTransport.Tcp;
        string[] faults = [.. options.Validate()];
        Assert.Equal(2, faults.Length);
        Assert.All(faults, static fault => Assert.StartsWith("Links[0].Transport: is Tcp, ", fault));
        options.CertificateFile = "gateway.pem";
        options.TrustedRootsFile = "roots.pem";
        Assert.Empty(options.Validate());
        options.Links[0].ParityEvery = 8;
        Has("Links[0].ParityEvery: ");
        options.Links[0].ParityEvery = 0;
        // The other end calls.
        options.Links[0].Address = null;
        Assert.Empty(options.Validate());
        options.Links[0].OtherAddresses.Add("10.0.0.6:16900");
        Has("Links[0].Address: ");
        options.Links[0].Address = "10.0.0.5:16900";
        options.Links[0].CertificateName = "a b";
        Has("Links[0].CertificateName: ");
        options.Links[0].CertificateName = "gateways.example";
        options.UseCertificates(static certificates => certificates.CertificateSelector = static () => null!);
        Has("CertificateFile: ");
        options.Links[0].To = "tokyo north";
        options.Links[0].CertificateName = null;
        Has("Links[0].CertificateName: ");
        // Of others it is only told.
        options = Good();
        options.Links.Add(new SiteLinkOptions { From = "oslo", To = "tokyo", Transport = SiteLinkTransport.Tcp });
        Assert.Empty(options.Validate());
        Assert.Empty(new GatewayPlan(options).Streams);
        options.Links[1].Transport = (SiteLinkTransport)7;
        Has("Links[1].Transport: ");

        void Has(string finding) =>
            Assert.Contains(options.Validate(), fault => fault.StartsWith(finding, StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_certificate_that_cannot_be_used_ends_a_start()
    {
        await using var rig = new SiteRig(("berlin", "tokyo"));
        QuickSilverNode node = await rig.StartNodeAsync("berlin");
        SiteGatewayOptions options = rig.OptionsOf("berlin");
        options.Links[0].Transport = SiteLinkTransport.Tcp;
        await Assert.ThrowsAsync<ArgumentException>(() => SiteGateway.StartAsync(node, options));
        options.CertificateFile = "/nowhere/gateway.pem";
        options.TrustedRootsFile = "/nowhere/roots.pem";
        var missing = await Assert.ThrowsAsync<ArgumentException>(() => SiteGateway.StartAsync(node, options));
        Assert.StartsWith("CertificateFile: ", missing.Message, StringComparison.Ordinal);
        options.CertificateFile = options.TrustedRootsFile = null;
        rig.UseCertificate(options, rig.Authority.Issue("berlin", from: -2, to: -1));
        var expired = await Assert.ThrowsAsync<ArgumentException>(() => SiteGateway.StartAsync(node, options));
        Assert.StartsWith("UseCertificates: ", expired.Message, StringComparison.Ordinal);
        Assert.Contains("expired", expired.Message, StringComparison.Ordinal);
        // The port is taken for the one and free for the other.
        rig.UseCertificate(options, rig.Authority.Issue("berlin"));
        using var taken = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        taken.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        taken.Listen();
        options.Listen = taken.LocalEndPoint!.ToString()!;
        var refusal = await Assert.ThrowsAsync<QuickSilverException>(() => SiteGateway.StartAsync(node, options));
        Assert.Equal(ErrorCode.PortsExhausted, refusal.Code);
    }

    [Fact]
    public async Task A_start_that_cannot_listen_says_so()
    {
        using var taken = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        taken.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        await using var rig = new SiteRig(("berlin", "tokyo"));
        QuickSilverNode node = await rig.StartNodeAsync("berlin");
        SiteGatewayOptions options = rig.OptionsOf("berlin");
        options.Listen = taken.LocalEndPoint!.ToString()!;
        var refusal = await Assert.ThrowsAsync<QuickSilverException>(() => SiteGateway.StartAsync(node, options));
        Assert.Equal(ErrorCode.PortsExhausted, refusal.Code);
        var missing = await Assert.ThrowsAsync<ArgumentException>(() => SiteGateway.StartAsync(
            node, WithFile(rig.OptionsOf("berlin"))));
        Assert.Contains("KeyFile", missing.Message, StringComparison.Ordinal);

        static SiteGatewayOptions WithFile(SiteGatewayOptions from)
        {
            var options = new SiteGatewayOptions
            {
                Site = from.Site,
                KeyFile = "/nowhere/sites.key",
                Listen = "127.0.0.1:0",
            };
            options.Links.Add(from.Links[0]);
            options.Groups.Add("news");
            return options;
        }
    }

    private static SiteGatewayOptions Good()
    {
        var options = new SiteGatewayOptions
        {
            Site = "berlin",
            Links = { new SiteLinkOptions { To = "tokyo", Address = "gateway.tokyo.example:16900" } },
            Groups = { "news" },
        };
        return options.UsePreSharedKey(
            PreSharedKey.FromBase64(Convert.ToBase64String(RandomNumberGenerator.GetBytes(32))));
    }

    private static void Refuses(Action<SiteGatewayOptions> change, string finding)
    {
        SiteGatewayOptions options = Good();
        change(options);
        Assert.Contains(options.Validate(), fault => fault.StartsWith(finding, StringComparison.Ordinal));
    }

    private static void AddMany(IList<string> addresses)
    {
        for (int number = 1; number <= 9; number++) addresses.Add($"10.0.1.{number}:16900");
    }
}
