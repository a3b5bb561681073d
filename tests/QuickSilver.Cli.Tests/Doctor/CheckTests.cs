using QuickSilver.Cli.Doctor;
using QuickSilver.Transport;
using QuickSilver.WideArea;

namespace QuickSilver.Cli.Tests.Doctor;

/// <summary>Each check with a planted condition.</summary>
public sealed class CheckTests
{
    private static readonly PeerReport Peer = new("there", default, 500, TimeSpan.FromMilliseconds(-1));

    [Fact]
    public void Nothing_planted_is_no_trouble()
    {
        Assert.Empty(Troubles(Make()));
        Assert.All(Checks.All, static check => Assert.NotEmpty(check.Look(Make())));
    }

    [Theory]
    [InlineData(1210, "multicast", "snooping")]
    [InlineData(1213, "multicast", "querier")]
    [InlineData(1204, "multicast", "--interface")]
    [InlineData(1220, "mtu", "MTU")]
    [InlineData(1222, "mtu", "Transport.MaxDatagramBytes")]
    [InlineData(1201, "buffers", "sysctl -w net.core.rmem_max=4194304")]
    [InlineData(1206, "shared memory", "ulimit -f")]
    [InlineData(1132, "other clusters", "stop one of them")]
    [InlineData(1143, "key", "copy of the same file")]
    [InlineData(1224, "ports", "UDP 15000-15999")]
    public void A_record_of_the_node_is_a_trouble_with_a_remedy(int id, string check, string remedy)
    {
        Scene scene = Make() with { Records = [new HeardRecord(id, "what the node said")] };
        (string name, Finding finding) = Assert.Single(Troubles(scene));
        Assert.Equal(check, name);
        Assert.Equal("what the node said", finding.What);
        Assert.Contains(remedy, finding.Remedy, StringComparison.Ordinal);
    }

    [Fact]
    public void Two_servers_that_serve_are_two_clusters()
    {
        Scene scene = Make(MembershipMode.Client) with
        { Servers = [new ServerAnswer("10.0.0.1:14999", null), new ServerAnswer("10.0.0.2:14999", null)] };
        (string name, Finding finding) = Assert.Single(Troubles(scene));
        Assert.Equal("other clusters", name);
        Assert.Contains("10.0.0.1:14999 and 10.0.0.2:14999", finding.What, StringComparison.Ordinal);
    }

    [Fact]
    public void Servers_that_are_announced_are_found_without_their_addresses()
    {
        Scene scene = Make(MembershipMode.Client) with { Announced = ["10.0.0.1:14999", "10.0.0.2:14999"] };
        (string name, Finding finding) = Assert.Single(Troubles(scene));
        Assert.Equal("other clusters", name);
        Assert.Contains("10.0.0.1:14999 and 10.0.0.2:14999 announce", finding.What, StringComparison.Ordinal);
        Assert.Empty(Troubles(scene with { Announced = ["10.0.0.1:14999"] }));
        (name, finding) = Assert.Single(Troubles(scene with { Announced = [], Refused = ["10.0.0.3 (OtherKey)"] }));
        Assert.Equal("other clusters", name);
        Assert.Contains("another key", finding.Remedy, StringComparison.Ordinal);
    }

    [Fact]
    public void A_clock_a_limit_of_files_and_a_peer_that_is_not_heard_are_troubles()
    {
        Scene scene = Make() with
        {
            Peers = [Peer with { ClockLead = TimeSpan.FromSeconds(3) }, Peer with { Name = "mute", Messages = 0 }],
            Machine = new MachineFacts(new HostLimits(64, 20), 4 << 20, "tsc"),
        };
        Assert.Equal(
            ["clock", "descriptors", "ports"], Troubles(scene).Select(static one => one.Check).Order());
    }

    [Fact]
    public void Sites_that_are_not_reached_and_links_that_are_down_are_troubles()
    {
        var up = new SiteLinkStatistics { State = SiteLinkState.Up };
        SiteLinkStatistics down = up with { State = SiteLinkState.Connecting, Transport = SiteLinkTransport.Tcp };
        Scene scene = Make() with
        {
            Sites = [new SiteRoute("oslo", "oslo") { Link = up }, new SiteRoute("rome", "oslo")],
        };
        Assert.Empty(Troubles(scene));
        Assert.Contains("'oslo', 'rome'", Assert.Single(new SitesCheck().Look(scene)).What, StringComparison.Ordinal);
        AssertTrouble(new SiteRoute("oslo", null) { Link = down }, "'oslo' is not reached: the TCP link", "firewalls");
        AssertTrouble(new SiteRoute("oslo", "rome") { Link = down }, "is down; messages go by 'rome'", "firewalls");
        AssertTrouble(new SiteRoute("oslo", null), "'oslo' is not reached.", "quicksilver sites");
        scene = scene with { Sites = [new SiteRoute("oslo", "oslo") { Link = up with { Loss = 0.05 } }] };
        Finding note = Assert.Single(new SitesCheck().Look(scene));
        Assert.Equal(Severity.Note, note.Severity);
        Assert.Contains("5.0", note.What, StringComparison.Ordinal);

        void AssertTrouble(SiteRoute site, string what, string remedy)
        {
            (string name, Finding finding) = Assert.Single(Troubles(scene with { Sites = [site] }));
            Assert.Equal("sites", name);
            Assert.Contains(what, finding.What, StringComparison.Ordinal);
            Assert.Contains(remedy, finding.Remedy, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void A_failed_start_is_told_and_checks_that_need_a_node_say_so()
    {
        Scene scene = Make(MembershipMode.Client) with
        {
            StartFailure = new MembershipUnavailableException(ErrorCode.AuthenticationFailed, "other keys"),
            Statistics = null,
            Peers = [],
        };
        Assert.Equal(["key", "membership"], Troubles(scene).Select(static one => one.Check).Order());
        Assert.All(Checks.All, check => Assert.NotEmpty(check.Look(scene)));
    }

    private static Scene Make(MembershipMode mode = MembershipMode.Loopback)
    {
        var options = new QuickSilverOptions();
        options.Membership.Mode = mode;
        return new Scene(options, new MachineFacts(new HostLimits(1024, 20), 4 << 20, "tsc"))
        {
            Peers = [Peer],
            Statistics = new NodeStatistics(),
            Carrier = Carrier.Multicast,
        };
    }

    private static (string Check, Finding Finding)[] Troubles(Scene scene) =>
    [
        .. Checks.All.SelectMany(check => check.Look(scene).Select(finding => (check.Name, finding)))
            .Where(static one => one.finding.Severity == Severity.Trouble),
    ];
}
