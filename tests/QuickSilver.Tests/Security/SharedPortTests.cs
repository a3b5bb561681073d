using System.Net;
using System.Net.Sockets;
using QuickSilver.Membership;
using QuickSilver.Tests.Membership;

namespace QuickSilver.Tests.Security;

/// <summary>Several users with keys of their own on one machine, and one that squats a port.</summary>
public sealed class SharedPortTests
{
    private const int Ports = 3;

    private readonly TestHost _events = new();
    private readonly int _port = FreePorts();
    private readonly string _mine = TestKeys.NewText();
    private readonly string _other = TestKeys.NewText();

    [Fact]
    public async Task Each_key_has_a_port_and_nodes_find_their_own()
    {
        await using var first = Node(_mine, "first");
        await first.HearAsync("registered");
        await using var stranger = Node(_other, "stranger");
        await stranger.HearAsync("serving");
        await stranger.HearAsync($"via 127.0.0.1:{_port - 1}");
        await stranger.HearAsync("registered");
        await using var second = Node(_mine, "second");
        await second.HearAsync($"via 127.0.0.1:{_port}");
        await second.HearAsync("registered");
    }

    [Fact]
    public async Task A_newcomer_finds_its_cluster_at_a_later_port_though_the_first_is_free()
    {
        TestNode stranger = Node(_other, "stranger");
        await stranger.HearAsync("registered");
        await using var first = Node(_mine, "first");
        await first.HearAsync($"via 127.0.0.1:{_port - 1}");
        await stranger.DisposeAsync();
        await using var second = Node(_mine, "second");
        await second.HearAsync($"via 127.0.0.1:{_port - 1}");
        await second.HearAsync("registered");
    }

    [Fact]
    public async Task A_port_that_is_squatted_without_a_key_is_passed_over()
    {
        await using MembershipHost squatter = _events.Start(TestHost.Settings with
        {
            EndPoint = new IPEndPoint(IPAddress.Loopback, _port)
        });
        await using var node = Node(_mine, "node");
        await node.HearAsync($"via 127.0.0.1:{_port - 1}");
        await node.HearAsync("registered");
        Assert.Equal(0, squatter.Nodes);
    }

    [Fact]
    public async Task Many_that_start_together_meet_at_one_port()
    {
        TestNode[] nodes = [.. Enumerable.Range(0, 6).Select(index => Node(_mine, $"n{index}"))];
        foreach (TestNode node in nodes) await node.HearAsync("registered");
        foreach (TestNode node in nodes) node.Join("g");
        foreach (TestNode node in nodes) await node.HearAsync("joined g");
        foreach (TestNode node in nodes.Reverse()) await node.DisposeAsync();
    }

    [Fact]
    public async Task When_all_ports_are_taken_the_reason_names_the_remedy()
    {
        var hosts = new List<MembershipHost>();
        for (int index = 0; index < Ports; index++)
        {
            hosts.Add(_events.Start(TestHost.Settings with
            {
                EndPoint = new IPEndPoint(IPAddress.Loopback, _port - index),
                Security = TestKeys.Channel(_other),
            }));
        }
        await using LoopbackConnector connector = Connector(_mine);
        Reached reached = await connector.TryConnectAsync(NoEvents.Instance, default);
        Assert.True(reached.IsVerdict);
        Assert.Contains("all ports", reached.Failure, StringComparison.Ordinal);
        Assert.Contains("Membership.Port", reached.Failure, StringComparison.Ordinal);
        foreach (MembershipHost host in hosts) await host.DisposeAsync();
    }

    private LoopbackConnector Connector(string key) =>
        new(
            TestHost.Settings with
            {
                EndPoint = new IPEndPoint(IPAddress.Loopback, _port),
                Security = TestKeys.Channel(key),
            },
            _events,
            Ports);

    private TestNode Node(string key, string name) => new(Connector(key), name: name);

    // Three free ports in a row, below the ports that the kernel gives out.
    private static int FreePorts()
    {
        while (true)
        {
            int port = Random.Shared.Next(20_000, 30_000);
            if (Enumerable.Range(0, Ports).All(index => IsFree(port - index))) return port;
        }
    }

    private static bool IsFree(int port)
    {
        try
        {
            using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            socket.Bind(new IPEndPoint(IPAddress.Loopback, port));
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
