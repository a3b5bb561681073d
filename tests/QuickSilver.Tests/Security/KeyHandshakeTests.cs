using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
using QuickSilver.Membership;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Wire;
using QuickSilver.Security;
using QuickSilver.Tests.Api;
using QuickSilver.Tests.Membership;

namespace QuickSilver.Tests.Security;

/// <summary>Connections of nodes that share a key, or do not.</summary>
public sealed class KeyHandshakeTests
{
    private readonly TestHost _events = new();
    private readonly string _key = TestKeys.NewText();

    [Fact]
    public async Task Nodes_with_the_key_register_and_join()
    {
        await using MembershipHost host = Start(_key);
        await using TestNode first = Node(host, "first", _key);
        await using TestNode second = Node(host, "second", _key);
        foreach (TestNode node in (TestNode[])[first, second])
        {
            await node.HearAsync("registered");
            node.Join("g");
            await node.HearAsync("joined g");
        }
        await NodeRig.UntilAsync(() => host.Nodes == 2, "both are counted at the end of a turn");
        Assert.Equal(0, host.Counters.Failed);
        Assert.Empty(_events.Faults);
    }

    [Fact]
    public async Task Another_key_is_refused_and_both_sides_say_so()
    {
        await using MembershipHost host = Start(_key);
        Reached reached = await ConnectAsync(host, TestKeys.NewText());
        Assert.True(reached.IsVerdict);
        Assert.Contains("the server has another key", reached.Failure, StringComparison.Ordinal);
        await NodeRig.UntilAsync(() => _events.Unauthenticated.Count == 1, "the host tells");
        Assert.Equal(1, host.Counters.FailedFor(HandshakeFault.UnknownKey));
        Assert.Contains("the node has another key", Assert.Single(_events.Unauthenticated), StringComparison.Ordinal);
        Assert.Equal(0, host.Nodes);
    }

    [Fact]
    public async Task A_further_key_is_accepted_and_a_roll_needs_no_restart()
    {
        string next = TestKeys.NewText();
        await using MembershipHost before = Start(_key);
        await using MembershipHost during = Start(_key, next);
        await using MembershipHost after = Start(next);
        Assert.Null((await ConnectAsync(before, next, _key)).Socket);
        foreach (MembershipHost host in (MembershipHost[])[before, during])
            (await ConnectAsync(host, _key, next)).Socket!.Dispose();
        foreach (MembershipHost host in (MembershipHost[])[during, after])
            (await ConnectAsync(host, next, _key)).Socket!.Dispose();
        Assert.Null((await ConnectAsync(after, _key)).Socket);
    }

    [Fact]
    public async Task A_file_that_changed_is_read_again()
    {
        using var folder = new TestFolder();
        string next = TestKeys.NewText();
        string path = TestKeys.WriteFile(folder.Path, "keys", _key);
        List<string> faults = [];
        AcceptedKeys keys = AcceptedKeys.TryRead([PreSharedKey.FromFile(path)], faults.Add, out _)!;
        ulong first = Assert.Single(keys.Current).Id;
        TestKeys.WriteFile(folder.Path, "keys", $"{next}\n{_key}\n");
        Assert.Equal(2, keys.Current.Count);
        Assert.Equal(first, keys.Current[1].Id);
        TestKeys.WriteFile(folder.Path, "keys", "nothing that is a key");
        Assert.Equal(2, keys.Current.Count);
        Assert.Equal(2, keys.Current.Count);
        Assert.Single(faults);
    }

    [Fact]
    public async Task A_node_without_security_is_refused_and_told_why()
    {
        await using MembershipHost host = Start(_key);
        await using var node = new TestNode(new ServerListConnector([("127.0.0.1", host.EndPoint.Port)]));
        await node.HearAsync($"expelled: {MembershipRefusal.OtherSecurity}");
        await NodeRig.UntilAsync(() => _events.Unauthenticated.Count > 0, "the host tells");
        Assert.Contains("does not use security", _events.Unauthenticated[0], StringComparison.Ordinal);
        Assert.True(host.Counters.FailedFor(HandshakeFault.NotSecured) >= 1);
        Assert.Equal(0, host.Nodes);
    }

    [Fact]
    public async Task A_server_without_security_is_refused_and_told_why()
    {
        await using MembershipHost host = _events.Start();
        Reached reached = await ConnectAsync(host, _key);
        Assert.True(reached.IsVerdict);
        Assert.Contains("Security.Mode None", reached.Failure, StringComparison.Ordinal);
        await NodeRig.UntilAsync(() => _events.Dropped.Contains(FrameEnd.Secured), "the host tells");
        Assert.Equal(1, host.Counters.EndedBy(FrameEnd.Secured));
    }

    [Fact]
    public async Task Somebody_between_the_two_gets_no_proof_that_is_worth_anything()
    {
        await using MembershipHost host = Start(_key);
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        Task<string> relay = RelayAsync(listener, host.EndPoint.Port);
        var connector = new OneServer(((IPEndPoint)listener.LocalEndpoint).Port, TestKeys.Channel(_key));
        Reached reached = await connector.TryConnectAsync(NoEvents.Instance, default).AsTask()
            .WaitAsync(NodeRig.Patience);
        Assert.Null(reached.Socket);
        Assert.Contains("somebody may be between", reached.Failure, StringComparison.Ordinal);
        Assert.Equal(nameof(HandshakeFault.WrongProof), await relay);
        await NodeRig.UntilAsync(() => host.Counters.FailedFor(HandshakeFault.WrongProof) == 1, "it is counted");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Somebody_between_the_two_cannot_change_what_a_node_offers(bool isChanged)
    {
        await using MembershipHost host = _events.Start(TestHost.Settings with
        {
            Security = TestKeys.Channel(_key),
            Server = TestHost.Settings.Server with { Crypto = new CipherSuite(CipherSuite.OfPlatform) },
        });
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var between = new Between();
        Task passing = between.PassAsync(listener, host.EndPoint.Port);
        var connector = new OneServer(((IPEndPoint)listener.LocalEndpoint).Port, TestKeys.Channel(_key));
        Reached reached = await connector.TryConnectAsync(NoEvents.Instance, default).AsTask()
            .WaitAsync(NodeRig.Patience);
        // Nothing of the registration was sent before the server had proven the key. What is sent now is encrypted.
        between.IsChanging = isChanged;
        var frame = new FrameBuilder();
        new HelloFrame
        {
            ClusterName = TestHost.Settings.Server.ClusterName,
            IsSealed = true,
            NodeName = "node",
            Incarnation = 1,
            Control = new NetEndpoint(0x7F000001, 1001),
            Data = new NetEndpoint(0x7F000001, 1002),
            Ciphers = CipherSuite.OfPlatform,
        }.WriteTo(frame);
        await reached.Stream!.WriteAsync(FrameBatch.Wrap(frame.Span));
        if (!isChanged)
        {
            await NodeRig.UntilAsync(() => host.Nodes == 1, "what passes unchanged registers the node");
            Assert.False(between.Heard.AsSpan().IndexOf(frame.Span[..8]) >= 0);
        }
        else
        {
            await NodeRig.UntilAsync(
                () => Enum.GetValues<FrameEnd>().Sum(host.Counters.EndedBy) == 1, "the connection ends");
            Assert.Equal(0, host.Nodes);
        }
        reached.Socket!.Dispose();
        await passing.WaitAsync(NodeRig.Patience);
    }

    [Fact]
    public async Task A_flood_of_junk_and_silence_keeps_no_node_out_and_is_not_logged_one_by_one()
    {
        await using MembershipHost host = _events.Start(TestHost.Settings with
        {
            Security = TestKeys.Channel(_key),
            LoopbackHelloTime = TimeSpan.FromSeconds(2),
        });
        long start = Environment.TickCount64;
        var sockets = new List<Socket>();
        byte[] preface = Preface.Of(SecurityMode.PreSharedKey);
        for (int index = 0; index < 200; index++)
        {
            var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            sockets.Add(socket);
            await socket.ConnectAsync(host.EndPoint);
            byte[] junk = new byte[100];
            Random.Shared.NextBytes(junk);
            if (index % 4 == 1) await socket.SendAsync(preface);
            if (index % 4 == 2) await socket.SendAsync((byte[])[.. preface, .. junk]);
            if (index % 4 == 3) await socket.SendAsync(junk);
        }
        await using TestNode node = Node(host, "node", _key);
        await node.HearAsync("registered");
        await NodeRig.UntilAsync(
            () => Enum.GetValues<FrameEnd>().Sum(host.Counters.EndedBy) >= 200, "all have ended");
        await NodeRig.UntilAsync(() => host.Counters.Failed > 20, "failures are counted");
        await NodeRig.UntilAsync(() => _events.Unauthenticated.Count > 0, "the host tells");
        // Each fault is told once a minute.
        long minutes = ((Environment.TickCount64 - start) / 60_000) + 1;
        Assert.InRange(_events.Unauthenticated.Count, 1, minutes * Enum.GetValues<HandshakeFault>().Length);
        Assert.Empty(_events.Faults);
        sockets.ForEach(static socket => socket.Dispose());
    }

    [Fact]
    public async Task Who_sends_more_than_a_handshake_has_is_cut_off()
    {
        await using MembershipHost host = Start(_key);
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(host.EndPoint);
        await socket.SendAsync(Preface.Of(SecurityMode.PreSharedKey));
        // A record of TLS that announces 16 KB, and most of them.
        await socket.SendAsync((byte[])[0x16, 3, 1, 0x40, 0, 1, 0, 0x3F, 0xFC]);
        await socket.SendAsync(new byte[8 << 10]);
        await NodeRig.UntilAsync(() => host.Counters.Failed == 1, "it is counted");
        Assert.Equal(1, host.Counters.FailedFor(HandshakeFault.TooLong) + host.Counters.FailedFor(HandshakeFault.Tls));
    }

    [Fact]
    public async Task A_handshake_that_stands_still_ends_after_the_time_of_a_hello()
    {
        await using MembershipHost host = _events.Start(TestHost.Settings with
        {
            Security = TestKeys.Channel(_key),
            LoopbackHelloTime = TimeSpan.FromMilliseconds(200),
        });
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(host.EndPoint);
        await socket.SendAsync(Preface.Of(SecurityMode.PreSharedKey));
        await NodeRig.UntilAsync(() => host.Counters.EndedBy(FrameEnd.Silent) == 1, "it ends");
    }

    [Fact]
    public async Task Hosts_ask_each_other_over_secured_connections()
    {
        var serving = new HostClaim("c", serves: true);
        await using MembershipHost host = _events.Start(TestHost.Settings with
        {
            Security = TestKeys.Channel(_key),
            Server = new MembershipServerSettings { ClusterName = "c" },
            Claim = serving,
        });
        (string, int) place = ("127.0.0.1", host.EndPoint.Port);
        var late = new HostClaim("c", serves: false);
        await using var monitor = new RivalServerMonitor(late, [place], () => 0, _events, TestKeys.Channel(_key))
        {
            AnswerTime = NodeRig.Patience,
        };
        Assert.NotNull(await monitor.DecideAsync());
        var stranger = new HostClaim("c", serves: false);
        await using var other = new RivalServerMonitor(
            stranger, [place], () => 0, _events, TestKeys.Channel(TestKeys.NewText()))
        {
            AnswerTime = NodeRig.Patience,
        };
        Assert.Null(await other.DecideAsync());
    }

    private MembershipHost Start(params string[] keys) =>
        _events.Start(TestHost.Settings with { Security = TestKeys.Channel(keys) });

    private static TestNode Node(MembershipHost host, string name, params string[] keys) =>
        new(new OneServer(host.EndPoint.Port, TestKeys.Channel(keys)), name: name);

    private static Task<Reached> ConnectAsync(MembershipHost host, params string[] keys) =>
        new OneServer(host.EndPoint.Port, TestKeys.Channel(keys))
            .TryConnectAsync(NoEvents.Instance, default).AsTask().WaitAsync(NodeRig.Patience);

    // Passes bytes on, and changes one of the node's last ones if it is told to.
    private sealed class Between
    {
        private readonly List<byte> _heard = [];

        public volatile bool IsChanging;

        public byte[] Heard
        {
            get
            {
                lock (_heard) return [.. _heard];
            }
        }

        public async Task PassAsync(TcpListener listener, int port)
        {
            using Socket near = await listener.AcceptSocketAsync();
            using var far = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            await far.ConnectAsync(IPAddress.Loopback, port);
            await Task.WhenAny(PassAsync(near, far, true), PassAsync(far, near, false));
        }

        private async Task PassAsync(Socket from, Socket to, bool isFromNode)
        {
            byte[] buffer = new byte[16 << 10];
            while (true)
            {
                int count;
                try
                {
                    count = await from.ReceiveAsync(buffer);
                    if (isFromNode && IsChanging && count > 40) buffer[count - 20] ^= 1;
                    if (isFromNode) lock (_heard) _heard.AddRange(buffer.AsSpan(0, count));
                    if (count > 0) await to.SendAsync(buffer.AsMemory(0, count));
                }
                catch (SocketException)
                {
                    return;
                }
                if (count == 0) return;
            }
        }
    }

    // Ends TLS on both sides with a certificate of its own, and passes on everything inside it.
    private static async Task<string> RelayAsync(TcpListener listener, int port)
    {
        using Socket near = await listener.AcceptSocketAsync();
        using var far = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await far.ConnectAsync(IPAddress.Loopback, port);
        await using var nearWire = new NetworkStream(near);
        await using var farWire = new NetworkStream(far);
        byte[] preface = new byte[Preface.Bytes];
        await nearWire.ReadExactlyAsync(preface);
        await farWire.WriteAsync(preface);
        await farWire.ReadExactlyAsync(preface);
        await nearWire.WriteAsync(preface);
        using X509Certificate2 own = TestAuthority.SelfSigned("relay");
        await using var toNode = new SslStream(nearWire, false, static (_, _, _, _) => true);
        await using var toServer = new SslStream(farWire, false, static (_, _, _, _) => true);
        await toServer.AuthenticateAsClientAsync(new SslClientAuthenticationOptions
        {
            TargetHost = "relay",
            ClientCertificates = [own],
        });
        await toNode.AuthenticateAsServerAsync(new SslServerAuthenticationOptions
        {
            ServerCertificate = own,
            ClientCertificateRequired = true,
        });
        byte[] buffer = new byte[100];
        await toServer.ReadExactlyAsync(buffer.AsMemory(0, 32));
        await toNode.WriteAsync(buffer.AsMemory(0, 32));
        await toNode.ReadExactlyAsync(buffer.AsMemory(0, 72));
        await toServer.WriteAsync(buffer.AsMemory(0, 72));
        await toServer.ReadExactlyAsync(buffer.AsMemory(0, 33));
        await toNode.WriteAsync(buffer.AsMemory(0, 33));
        return ((HandshakeFault)buffer[0]).ToString();
    }
}
