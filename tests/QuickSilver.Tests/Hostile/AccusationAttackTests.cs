using System.Security.Cryptography.X509Certificates;
using QuickSilver.Membership;
using QuickSilver.Protocol.Membership;
using QuickSilver.Security;
using QuickSilver.Tests.Api;
using QuickSilver.Tests.Membership;
using QuickSilver.Tests.Security;

namespace QuickSilver.Tests.Hostile;

/// <summary>
/// What an admitted node that may enter no group can do to those that are in groups. It may have a certificate that the
/// application lets in nowhere. In a cluster without security anybody who reaches the port is such a node.
/// </summary>
public sealed class AccusationAttackTests : IDisposable
{
    private const int Reports = 80;
    private static readonly TimeSpan Hour = TimeSpan.FromHours(1);

    private readonly TestAuthority _authority = new();
    private readonly TestHost _events = new();

    public void Dispose() => _authority.Dispose();

    /// <summary>Two such nodes report with each heartbeat that nobody answers them, for two failure timeouts.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Accusations_of_nodes_that_are_in_no_group_remove_nobody(bool isSecured)
    {
        await using MembershipHost host = _events.Start(TestHost.Settings with
        {
            Server = TestHost.Settings.Server with { FailureTimeout = TimeSpan.FromSeconds(4) },
            Security = isSecured ? Channel("127.0.0.1") : null,
            Authorize = static request => request.NodeName.StartsWith("member", StringComparison.Ordinal),
        });
        OneServer As(string identity) => new(host.EndPoint.Port, isSecured ? Channel(identity) : null);
        await using var first = new TestNode(As("a.example"), name: "member 1");
        await using var second = new TestNode(As("b.example"), name: "member 2");
        TestNode[] members = [first, second];
        foreach (TestNode member in members)
        {
            await member.HearAsync("registered");
            member.Join("g");
            await member.HearAsync("joined g");
        }
        ulong[] keys = [first.Key, second.Key];
        int reports = 0;
        ChannelSecurity? mallory = isSecured ? Channel("mallory.example") : null;
        await using var third = new TestNode(new OneServer(host.EndPoint.Port, mallory), name: "m1")
        {
            Observing = AccuseAll,
        };
        await using var fourth = new TestNode(new OneServer(host.EndPoint.Port, mallory), name: "m2")
        {
            Observing = AccuseAll,
        };
        foreach (TestNode stranger in (TestNode[])[third, fourth])
        {
            await stranger.HearAsync("registered");
            stranger.Join("g");
            await stranger.HearAsync("refused g: NotAllowed");
        }
        await NodeRig.UntilAsync(() => Volatile.Read(ref reports) >= 2 * Reports, "the accusers have reported");
        foreach (TestNode member in members)
        {
            member.Join("still");
            await member.HearAsync("joined still");
        }
        Assert.Equal(4, host.Nodes);
        Assert.Empty(_events.Refused);

        void AccuseAll(NodeObservations observed)
        {
            foreach (ulong key in keys)
            {
                observed.Silent.Add(new SilentMember(key, Hour, IsOwnFinding: true));
                observed.Blocked.Add(new BlockedPath(key, Hour));
            }
            Interlocked.Increment(ref reports);
        }
    }

    /// <summary>The name of another identity does not take its place while that is away.</summary>
    [Fact]
    public async Task A_name_takes_no_place_of_another_identity()
    {
        await using MembershipHost host = _events.Start(TestHost.Settings with
        {
            Server = TestHost.Settings.Server with
            {
                FailureTimeout = NodeRig.Patience,
                ReconnectGrace = NodeRig.Patience,
            },
            Security = Channel("127.0.0.1"),
        });
        await using var witness = new TestNode(
            new OneServer(host.EndPoint.Port, Channel("w.example")), name: "witness");
        await witness.HearAsync("registered");
        witness.Join("g");
        await witness.HearAsync("joined g");
        var alice = new TestNode(new OneServer(host.EndPoint.Port, Channel("alice.example")), name: "alice");
        await alice.HearAsync("registered");
        alice.Join("g");
        await alice.HearAsync("joined g");
        await alice.CrashAsync();
        // By which end depends on whether the node had read all when it died.
        await NodeRig.UntilAsync(
            () => Enum.GetValues<FrameEnd>().Sum(host.Counters.EndedBy) > 0, "the connection has ended");
        await using var mallory = new TestNode(
            new OneServer(host.EndPoint.Port, Channel("mallory.example")), name: "alice");
        await mallory.HearAsync("registered");
        Assert.Equal(3, host.Nodes);
        Assert.Empty(_events.Refused);
    }

    /// <summary>One certificate registers node after node.</summary>
    [Fact]
    public async Task An_identity_cannot_fill_the_server_with_nodes()
    {
        await using MembershipHost host = _events.Start(TestHost.Settings with
        {
            Server = TestHost.Settings.Server with { FailureTimeout = NodeRig.Patience, MaxNodesOfIdentity = 3 },
            Security = Channel("127.0.0.1"),
        });
        ChannelSecurity mallory = Channel("mallory.example");
        List<TestNode> nodes = [];
        for (int index = 0; index < 5; index++)
        {
            nodes.Add(new TestNode(new OneServer(host.EndPoint.Port, mallory), name: $"m{index}"));
            await nodes[^1].HearAsync(index < 3 ? "registered" : "expelled: TooManyNodes");
        }
        await using var other = new TestNode(new OneServer(host.EndPoint.Port, Channel("a.example")), name: "a");
        await other.HearAsync("registered");
        foreach (TestNode node in nodes) await node.DisposeAsync();
    }

    private CertificateChannelSecurity Channel(string name)
    {
        X509Certificate2 certificate = _authority.Issue(name);
        SecurityOptions options = new SecurityOptions().UseCertificates(options =>
        {
            options.CertificateSelector = () => certificate;
            options.TrustedRoots.Add(_authority.Root);
        });
        CertificateSource? source = CertificateSource.TryOpen(options, null, out string? fault);
        Assert.Null(fault);
        return new CertificateChannelSecurity(source!);
    }
}
