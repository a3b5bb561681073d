using System.Net;
using System.Net.Sockets;
using QuickSilver.Membership;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Tests.Membership;

/// <summary>The membership of one machine: first come, first served, and taken over.</summary>
public sealed class LoopbackConnectorTests
{
    private readonly TestHost _events = new();
    private readonly MembershipHostSettings _settings = TestHost.Settings with
    {
        EndPoint = new IPEndPoint(IPAddress.Loopback, FreePort())
    };

    [Fact]
    public async Task The_first_serves_and_the_others_connect_to_it()
    {
        await using var first = new TestNode(new LoopbackConnector(_settings, _events), name: "first");
        await first.HearAsync("serving");
        await first.HearAsync("registered");
        await using var second = new TestNode(new LoopbackConnector(_settings, _events), name: "second");
        await second.HearAsync("registered");
        second.Join("g");
        await second.HearAsync("joined g");
        Assert.Empty(_events.Faults);
    }

    [Fact]
    public async Task When_the_server_goes_one_survivor_binds_its_port_at_once_and_the_others_find_it()
    {
        var connectors = new LoopbackConnector[4];
        var nodes = new TestNode[4];
        for (int index = 0; index < nodes.Length; index++)
        {
            connectors[index] = new LoopbackConnector(_settings, _events);
            nodes[index] = new TestNode(connectors[index], name: $"n{index}");
            await nodes[index].HearAsync("registered");
        }
        Assert.True(connectors[0].IsServing);

        // The server's end closes first: its side of every connection goes to TIME_WAIT, and the port must be free all
        // the same.
        await nodes[0].CrashAsync();
        foreach (TestNode node in nodes.Skip(1)) await node.HearAsync("disconnected");
        foreach (TestNode node in nodes.Skip(1)) await node.HearAsync("connected");
        Assert.Single(connectors.Skip(1), static connector => connector.IsServing);

        await using var late = new TestNode(new LoopbackConnector(_settings, _events), name: "late");
        await late.HearAsync("registered");
        foreach (TestNode node in nodes.Skip(1)) await node.DisposeAsync();
        Assert.Empty(_events.Faults);
    }

    [Fact]
    public async Task A_node_that_stops_has_its_goodbye_handled_even_by_a_host_in_its_own_process()
    {
        var hosting = new TestNode(new LoopbackConnector(_settings, _events), name: "hosting");
        await hosting.HearAsync("registered");
        await using var other = new TestNode(new LoopbackConnector(_settings, _events), name: "other");
        other.Join("g");
        await other.HearAsync("joined g");
        hosting.Join("g");
        await hosting.HearAsync("joined g");
        await hosting.DisposeAsync();
        await other.HearAsync("removed hosting");
    }

    [Fact]
    public async Task A_port_that_another_program_serves_is_left_to_it_until_it_goes()
    {
        var stranger = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        stranger.Bind(_settings.EndPoint);
        stranger.Listen(8);
        await using var node = new TestNode(new LoopbackConnector(_settings, _events));
        Socket first = await stranger.AcceptAsync();
        await node.HearAsync("connected");
        first.Dispose();
        await node.HearAsync("disconnected");
        stranger.Dispose();
        await node.HearAsync("serving");
        await node.HearAsync("registered");
    }

    [Fact]
    public async Task A_configured_host_that_fails_is_replaced_at_its_own_port()
    {
        var failing = new FailingEvents();
        MembershipHost host = MembershipHost.TryStart(_settings, failing, out _)!;
        await using var node = new TestNode(new HostConnector(host, _settings, _events));
        await node.HearAsync("registered");

        // What it has to tell of this stranger, it cannot tell.
        using (var stranger = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp))
        {
            stranger.Connect(_settings.EndPoint);
            stranger.Send([1, 0, 0, 0, 99]);
            await node.HearAsync("disconnected");
        }
        await node.HearAsync("serving");
        node.Join("g");
        await node.HearAsync("joined g");
        Assert.IsType<InvalidOperationException>(failing.Fault);
        Assert.False(host.IsRunning);
        Assert.Empty(_events.Faults);
    }

    [Fact]
    public async Task Servers_of_a_list_are_tried_in_turn()
    {
        await using MembershipHost host = _events.Start();
        List<(string, int)> servers = [
            ("127.0.0.1", FreePort()), ("localhost", FreePort()), ("127.0.0.1", host.EndPoint.Port)];
        await using var node = new TestNode(new ServerListConnector(servers));
        await node.HearAsync("unreachable");
        await node.HearAsync("registered");
    }

    [Fact]
    public async Task A_port_that_is_taken_is_no_error_and_one_that_may_not_be_bound_is()
    {
        await using MembershipHost host = _events.Start(_settings);
        Assert.Null(MembershipHost.TryStart(_settings, _events, out string refusal));
        Assert.Equal("", refusal);
        MembershipHostSettings elsewhere = _settings with
        {
            EndPoint = new IPEndPoint(IPAddress.Parse("192.0.2.77"), 14_999)
        };
        Assert.Null(MembershipHost.TryStart(elsewhere, _events, out refusal));
        Assert.Contains("192.0.2.77:14999", refusal, StringComparison.Ordinal);
    }

    private sealed class FailingEvents : IMembershipHostEvents
    {
        public Exception? Fault { get; private set; }

        public void OnRefused(string remote, MembershipRefusal reason, long count) =>
            throw new InvalidOperationException("the log is full");

        public void OnDropped(string remote, FrameEnd end, long count)
        {
            // Only the first of its kind would be told here.
        }

        public void OnUnauthenticated(string remote, string reason, long count, bool isProbe)
        {
            // Nobody has to prove anything here.
        }

        public void OnAuthorizeThrew(Exception thrown) => Fault = thrown;

        public void OnHold(string clusterName, MembershipHold hold)
        {
            // Nothing is held back here.
        }

        public void OnRival(string place, int nodes) => throw new InvalidOperationException("there is none");

        public void OnMerging(string place, int nodes) => throw new InvalidOperationException("there is none");

        public void OnRenewalFailed(string reason)
        {
        }

        public void OnLeaseEnded()
        {
        }

        public void OnHostFailed(Exception fault) => Fault = fault;
    }

    private static int FreePort()
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return ((IPEndPoint)socket.LocalEndPoint!).Port;
    }
}
