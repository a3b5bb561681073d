using System.Net;
using System.Net.Sockets;
using QuickSilver.Membership;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Tests.Api;

namespace QuickSilver.Tests.Membership;

/// <summary>Hosts of one cluster name that know each other's addresses: one serves.</summary>
public sealed class HostClaimTests
{
    private readonly TestHost _events = new();

    [Fact]
    public async Task A_host_gives_way_to_one_that_serves_and_admits_nobody()
    {
        var first = new HostClaim("c", serves: true);
        await using MembershipHost serving = Start(first);
        var second = new HostClaim("c", serves: false);
        await using MembershipHost late = Start(second);
        await using RivalServerMonitor watch = Watch(second, serving, late);
        Assert.Equal(Place(serving), await watch.DecideAsync());
        Assert.True(second.IsUndecided);
        await using var node = new TestNode(new ServerListConnector([("127.0.0.1", late.EndPoint.Port)]), "c");
        await node.HearAsync("connected");
        Assert.Equal(0, late.Nodes);
    }

    [Fact]
    public async Task Of_two_that_begin_at_once_exactly_one_serves()
    {
        for (int round = 0; round < 20; round++)
        {
            HostClaim[] claims = [new("c", serves: false), new("c", serves: false)];
            await using MembershipHost one = Start(claims[0]);
            await using MembershipHost two = Start(claims[1]);
            await using RivalServerMonitor watchOne = Watch(claims[0], one, two);
            await using RivalServerMonitor watchTwo = Watch(claims[1], one, two);
            string?[] rivals = await Task.WhenAll(watchOne.DecideAsync(), watchTwo.DecideAsync());
            Assert.Single(rivals, static rival => rival is null);
        }
    }

    // The time is up at the moment when the kernels have connected, and the process has not been told.
    [Fact]
    public async Task A_host_that_gets_no_processor_while_it_asks_finds_the_other_nevertheless()
    {
        for (int round = 0; round < 20; round++)
        {
            using var other = new TcpListener(IPAddress.Loopback, 0);
            other.Start();
            string place = other.LocalEndpoint.ToString()!;
            var claim = new HostClaim("c", serves: false);
            await using var watch = new RivalServerMonitor(
                claim, [("127.0.0.1", ((IPEndPoint)other.LocalEndpoint).Port)], () => 0, _events)
            {
                AnswerTime = NodeRig.Patience,
                Delay = (_, _) =>
                {
                    Assert.True(SpinWait.SpinUntil(other.Pending, NodeRig.Patience));
                    return Task.CompletedTask;
                },
            };
            Task<string?> decision = watch.DecideAsync();
            using Socket asked = await other.AcceptSocketAsync(TestContext.Current.CancellationToken);
            var answer = new FrameBuilder();
            new HostClaim("c", serves: true).ToFrame(0).WriteTo(answer, FrameKind.HostAnswer);
            await asked.SendAsync(FrameBatch.Wrap(answer.Span), TestContext.Current.CancellationToken);
            Assert.Equal(place, await decision);
        }
    }

    [Fact]
    public async Task An_address_that_does_not_connect_in_time_is_empty_and_is_asked_no_longer()
    {
        using var full = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        full.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        full.Listen(0);
        var place = (IPEndPoint)full.LocalEndPoint!;
        var fillers = new List<Socket>();
        for (int count = 0; count < 8; count++) // more than the queue of the listener, which accepts nobody
        {
            var filler = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            filler.Blocking = false;
            fillers.Add(filler);
            try
            {
                filler.Connect(place);
            }
            catch (SocketException pending) when (pending.SocketErrorCode == SocketError.WouldBlock)
            {
            }
        }
        await using var watch = new RivalServerMonitor(
            new HostClaim("c", serves: false), [("127.0.0.1", place.Port)], () => 0, _events);
        Assert.Null(await watch.DecideAsync());
        fillers.ForEach(static filler => filler.Dispose());
    }

    [Fact]
    public async Task Another_cluster_an_address_without_a_host_and_its_own_are_no_rivals()
    {
        await using MembershipHost other = Start(new HostClaim("other", serves: true), "other");
        var claim = new HostClaim("c", serves: false);
        await using MembershipHost host = Start(claim);
        using var silent = new TcpListener(IPAddress.Loopback, 0);
        silent.Start();
        int port = ((IPEndPoint)silent.LocalEndpoint).Port;
        await using var watch = new RivalServerMonitor(
            claim,
            [("127.0.0.1", other.EndPoint.Port), ("127.0.0.1", host.EndPoint.Port), ("127.0.0.1", port),
                ("127.0.0.1", 1)],
            () => 0,
            _events)
        {
            AnswerTime = TimeSpan.FromSeconds(3), // for the silent one
        };
        Assert.Null(await watch.DecideAsync());
        await using var node = new TestNode(new ServerListConnector([("127.0.0.1", host.EndPoint.Port)]), "c");
        await node.HearAsync("registered");
    }

    [Fact]
    public async Task Two_that_serve_both_say_so_once_a_minute()
    {
        HostClaim[] claims = [new("c", serves: true), new("c", serves: true)];
        await using MembershipHost one = Start(claims[0]);
        await using MembershipHost two = Start(claims[1]);
        await using RivalServerMonitor watch = Watch(claims[0], one, two);
        await watch.DecideAsync();
        await NodeRig.UntilAsync(
            () => _events.Rivals.Count == 2, "both say so: one has asked, the other was asked");
        await watch.DecideAsync();
        Assert.Equal(2, _events.Rivals.Count);
    }

    private static string Place(MembershipHost host) => $"127.0.0.1:{host.EndPoint.Port}";

    private MembershipHost Start(HostClaim claim, string cluster = "c") => _events.Start(TestHost.Settings with
    {
        Claim = claim,
        Server = TestHost.Settings.Server with { ClusterName = cluster },
    });

    private RivalServerMonitor Watch(HostClaim claim, params MembershipHost[] hosts) =>
        new(claim, [.. hosts.Select(static host => ("127.0.0.1", host.EndPoint.Port))], () => 0, _events)
        {
            AnswerTime = NodeRig.Patience,
        };
}
