using System.Net;
using System.Net.Sockets;
using QuickSilver.Membership;
using QuickSilver.Protocol.Membership;
using QuickSilver.Tests.Membership;

namespace QuickSilver.Tests.Security;

/// <summary>Several clusters on one machine, of other names, keys and versions, and some that squat a port.</summary>
public sealed class SharedPortTests
{
    private const int Ports = 3;

    private readonly TestHost _events = new();
    private readonly int _port = FreePorts();
    private readonly string _mine = TestKeys.NewText();
    private readonly string _other = TestKeys.NewText();
    private int _othersPort;

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

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Each_cluster_has_a_port_and_is_ruled_by_its_own_server(bool isSecured)
    {
        string? key = isSecured ? _mine : null;
        await using var shop = Node(key, "shop", "shop", static _ => false);
        await shop.HearAsync("registered");
        LoopbackConnector serving = Connector(key, "bank");
        await using var bank = new TestNode(serving, "bank", "bank");
        await bank.HearAsync("serving");
        await bank.HearAsync($"via 127.0.0.1:{_port - 1}");
        await bank.HearAsync("registered");
        bank.Join("g");
        await bank.HearAsync("joined g");
        await using var second = Node(key, "second", "bank");
        await second.HearAsync($"via 127.0.0.1:{_port - 1}");
        second.Join("g");
        await second.HearAsync("joined g");
        Assert.Equal(2, serving.Host!.Nodes);
        Assert.Empty(_events.Faults);
    }

    [Theory]
    [InlineData(new byte[] { 33, (byte)MembershipRefusal.WrongVersion }, "another version")]
    [InlineData(new byte[] { 33, (byte)MembershipRefusal.OtherSecurity }, "other security")]
    [InlineData(new byte[] { 1, 2, 3 }, "does not speak QuickSilver")]
    public async Task A_port_of_another_version_is_passed_over_and_named(byte[] answer, string reason)
    {
        using Socket other = Listen(_port);
        Task answering = AnswerAllAsync(other, RawFrames.Frame(answer));
        var words = new Words();
        await using LoopbackConnector connector = Connector(null);
        Reached reached = await connector.TryConnectAsync(words, default);
        Assert.NotNull(reached.Socket);
        await reached.CloseAsync();
        Assert.Equal(_port - 1, connector.Host!.EndPoint.Port);
        Assert.Contains(reason, Assert.Single(words.Reasons), StringComparison.Ordinal);
        other.Dispose();
        await answering;
    }

    [Fact]
    public async Task A_server_finds_one_of_its_cluster_that_began_in_the_same_moment_and_gives_way()
    {
        MembershipHost? other = null;
        var words = new Words
        {
            Serving = () => other ??= _events.Start(
                TestHost.Settings with { EndPoint = new IPEndPoint(IPAddress.Loopback, _port - 1) }),
        };
        await using LoopbackConnector late = Connector(null);
        Reached reached = await late.TryConnectAsync(words, default);
        Assert.Equal(_port - 1, ((IPEndPoint)reached.Socket!.RemoteEndPoint!).Port);
        Assert.False(late.IsServing);
        await reached.CloseAsync();
        await other!.DisposeAsync();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_silent_port_of_another_user_is_passed_over_at_once_also_when_the_host_has_ended(bool isOfUser)
    {
        await using LoopbackConnector first = Connector(_mine);
        await (await first.TryConnectAsync(NoEvents.Instance, default)).CloseAsync();
        await using LoopbackConnector second = Connector(_mine, isOfUser: isOfUser);
        await (await second.TryConnectAsync(NoEvents.Instance, default)).CloseAsync();
        await first.DisposeAsync();
        using Socket squatter = Listen(_port);
        _othersPort = _port;
        await using LoopbackConnector newcomer = Connector(_mine, isOfUser: isOfUser);
        foreach (LoopbackConnector connector in (LoopbackConnector[])[second, newcomer])
        {
            var words = new Words();
            Reached reached = await connector.TryConnectAsync(words, default);
            Assert.Equal(_port - 1, ((IPEndPoint)reached.Socket!.RemoteEndPoint!).Port);
            await reached.CloseAsync();
            string word = Assert.Single(words.Reasons);
            Assert.Contains($"127.0.0.1:{_port}: user 4711", word, StringComparison.Ordinal);
        }
        Assert.True(second.IsServing);
    }

    [Fact]
    public async Task A_silent_port_of_this_user_is_waited_for()
    {
        using Socket stopped = Listen(_port);
        await using LoopbackConnector connector = Connector(_mine);
        Reached reached = await connector.TryConnectAsync(NoEvents.Instance, default);
        Assert.Null(reached.Socket);
        Assert.False(reached.IsVerdict);
        Assert.Contains(MembershipConnector.AcceptedOnly, reached.Failure, StringComparison.Ordinal);
    }

    private static Socket Listen(int port)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, port));
        socket.Listen(8);
        return socket;
    }

    private static async Task AnswerAllAsync(Socket listener, byte[] answer)
    {
        try
        {
            while (true)
            {
                using Socket socket = await listener.AcceptAsync();
                byte[] question = new byte[100];
                _ = await socket.ReceiveAsync(question);
                await socket.SendAsync(answer);
                _ = await socket.ReceiveAsync(question);
            }
        }
        catch (Exception closed) when (closed is SocketException or ObjectDisposedException)
        {
            // The test is over.
        }
    }

    private LoopbackConnector Connector(
        string? key, string cluster = "test", Func<AuthorizationRequest, bool>? authorize = null,
        bool isOfUser = false) =>
        new(
            TestHost.Settings with
            {
                EndPoint = new IPEndPoint(IPAddress.Loopback, _port),
                Security = key is null ? null : TestKeys.Channel(key),
                Authorize = authorize,
                Server = TestHost.Settings.Server with { ClusterName = cluster },
            },
            _events,
            Ports,
            isOfUser)
        {
            FindListener = place => place.Port == _othersPort ? new LocalListener(4711, 1) : LocalListener.Find(place),
        };

    private TestNode Node(
        string? key, string name, string cluster = "test", Func<AuthorizationRequest, bool>? authorize = null) =>
        new(Connector(key, cluster, authorize), cluster, name);

    private sealed class Words : ILinkEvents
    {
        public List<string> Reasons { get; } = [];

        public void OnPassedOver(string reason, bool isUsual) => Reasons.Add(reason);

        public Action? Serving { get; init; }

        public void OnServing(string endpoint) => Serving?.Invoke();

        public void OnSeeking(string what)
        {
            // Not asked for.
        }

        public void OnConnected(string server)
        {
            // Not asked for.
        }

        public void OnLost(string server, FrameEnd end)
        {
            // Not asked for.
        }

        public void OnUnreachable(string reason)
        {
            // Not asked for.
        }
    }

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
