using System.Net;
using System.Net.Sockets;
using QuickSilver.Membership;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Tests.Api;
using QuickSilver.Tests.Membership;

namespace QuickSilver.Tests.Hostile;

/// <summary>Connections to a membership port that cost their makers little and the host a place or memory.</summary>
public sealed class ConnectionAttackTests : IDisposable
{
    private readonly TestHost _events = new();
    private readonly List<Socket> _sockets = [];

    public void Dispose() => _sockets.ForEach(static socket => socket.Dispose());

    [Fact]
    public async Task Silent_connections_make_room_for_others_the_oldest_first()
    {
        await using MembershipHost host = _events.Start(TestHost.Settings with { MaxStrangersPerLoopbackAddress = 4 });
        for (int index = 0; index < 6; index++) await ConnectAsync(host);
        await ReadToEndAsync(_sockets[0]);
        await ReadToEndAsync(_sockets[1]);
        // The connection is closed before it is counted, and counted before it is told.
        await NodeRig.UntilAsync(() => host.Counters.EndedBy(FrameEnd.NoRoom) >= 2, "both are counted");
        await NodeRig.UntilAsync(() => _events.Dropped.Contains(FrameEnd.NoRoom), "the host tells");
        Assert.Equal(2, host.Counters.EndedBy(FrameEnd.NoRoom));
        // The others stand.
        foreach (Socket socket in _sockets[2..]) Assert.False(socket.Poll(0, SelectMode.SelectRead));
    }

    [Fact]
    public async Task A_thousand_silent_connections_do_not_keep_a_node_out()
    {
        await using MembershipHost host = _events.Start();
        for (int index = 0; index < 1000; index++) await ConnectAsync(host);
        await using var node = new TestNode(new ServerListConnector([("127.0.0.1", host.EndPoint.Port)]));
        await node.HearAsync("registered");
        int least = 1000 - TestHost.Settings.MaxStrangersPerLoopbackAddress;
        await NodeRig.UntilAsync(() => host.Counters.EndedBy(FrameEnd.NoRoom) >= least, "the oldest have gone");
        Assert.InRange(host.Counters.EndedBy(FrameEnd.NoRoom), least, 1000);
    }

    [Fact]
    public async Task Registered_nodes_give_up_no_place_to_strangers()
    {
        await using MembershipHost host = _events.Start(
            TestHost.Settings with { MaxStrangers = 2, MaxConnections = 5 });
        for (ushort node = 0; node < 5; node++)
        {
            Socket socket = await ConnectAsync(host);
            await socket.SendAsync(RawFrames.Hello("test", (ushort)(3000 + node)), SocketFlags.None);
            Assert.True(await socket.ReceiveAsync(new byte[1], SocketFlags.None).WaitAsync(NodeRig.Patience) > 0);
        }
        for (int index = 0; index < 20; index++) await ConnectAsync(host);
        await NodeRig.UntilAsync(() => host.Counters.EndedBy(FrameEnd.NoRoom) >= 18, "18 find no room");
        foreach (Socket socket in _sockets[..5])
        {
            await socket.SendAsync(RawFrames.Frame([2, 0]), SocketFlags.None);
            byte[] answer = new byte[1000];
            Assert.True(await socket.ReceiveAsync(answer, SocketFlags.None).WaitAsync(NodeRig.Patience) > 0);
        }
    }

    [Fact]
    public async Task Unfinished_frames_are_held_up_to_a_limit_for_all_together()
    {
        const int Limit = 1 << 20;
        await using MembershipHost host = _events.Start(TestHost.Settings with { MaxUnfinishedBytes = Limit });
        byte[] part = [.. RawFrames.Prefix(900_000), .. new byte[300_000]];
        for (ushort node = 0; node < 8; node++)
        {
            Socket socket = await ConnectAsync(host);
            await socket.SendAsync(RawFrames.Hello("test", (ushort)(3000 + node)), SocketFlags.None);
            Assert.True(await socket.ReceiveAsync(new byte[1], SocketFlags.None).WaitAsync(NodeRig.Patience) > 0);
            try
            {
                await socket.SendAsync(part, SocketFlags.None);
            }
            catch (SocketException)
            {
                // Cut off in the middle of it.
            }
            Assert.InRange(host.UnfinishedBytes, 0, Limit + part.Length);
        }
        await NodeRig.UntilAsync(() => host.Counters.EndedBy(FrameEnd.NoRoom) >= 4, "four find no room");
        Assert.InRange(host.UnfinishedBytes, 1, Limit);
        await using (var node = new TestNode(
            new ServerListConnector([("127.0.0.1", host.EndPoint.Port)]))) await node.HearAsync("registered");
        Dispose();
        await NodeRig.UntilAsync(() => host.UnfinishedBytes == 0, "nothing is held");
    }

    [Fact]
    public async Task A_node_sends_no_frame_beyond_a_megabyte_unless_it_is_asked_to()
    {
        await using MembershipHost host = _events.Start();
        Socket socket = await ConnectAsync(host);
        byte[] hello = RawFrames.Hello("test", 3000);
        await socket.SendAsync(
            (byte[])[.. hello, .. RawFrames.Prefix(MembershipFrames.MaxNodeFrameBytes + 1)], SocketFlags.None);
        await ReadToEndAsync(socket);
        // The end is counted after the other side has seen it.
        await NodeRig.UntilAsync(() => host.Counters.EndedBy(FrameEnd.OversizeFrame) == 1, "it is counted");
    }

    [Fact]
    public async Task One_frame_that_was_asked_for_may_be_long()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        using var near = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await near.ConnectAsync(listener.LocalEndpoint);
        var receiver = new Lengths();
        var connection = new FrameConnection(await listener.AcceptSocketAsync(), receiver, TestHost.Settings.Limits);
        connection.AwaitLong();
        Task<FrameEnd> run = connection.RunAsync();
        byte[] first = RawFrames.Frame(new byte[MembershipFrames.MaxHelloBytes]);
        byte[] longFrame = RawFrames.Frame(new byte[2 << 20]);
        await near.SendAsync(first, SocketFlags.None);
        await NodeRig.UntilAsync(() => receiver.Seen.Count == 1, "the first is seen");
        connection.AwaitLong();
        await SendAllAsync(near, longFrame);
        await NodeRig.UntilAsync(() => receiver.Seen.Count == 2, "the second is seen");
        await SendAllAsync(near, RawFrames.Prefix(2 << 20));
        Assert.Equal(FrameEnd.OversizeFrame, await run.WaitAsync(NodeRig.Patience));
        Assert.Equal([MembershipFrames.MaxHelloBytes, 2 << 20], receiver.Seen);
    }

    [Fact]
    public async Task Refusals_are_all_counted_and_told_once_a_minute()
    {
        await using MembershipHost host = _events.Start();
        long started = Environment.TickCount64;
        for (int index = 0; index < 50; index++)
        {
            Socket socket = await ConnectAsync(host);
            await socket.SendAsync(RawFrames.Frame([9, 9, 9]), SocketFlags.None);
            await ReadToEndAsync(socket);
        }
        Assert.Equal(50, host.Counters.RefusedFor(MembershipRefusal.BadFrame));
        long minutes = ((Environment.TickCount64 - started) / 60_000) + 1;
        Assert.InRange(_events.Refused.Count, 1, (int)minutes);
    }

    [Fact]
    public void The_limits_are_what_the_documentation_says()
    {
        var settings = new MembershipHostSettings
        {
            EndPoint = TestHost.Settings.EndPoint,
            Server = new MembershipServerSettings(),
        };
        Assert.Equal(TimeSpan.FromSeconds(10), settings.HelloTime);
        Assert.Equal(TimeSpan.FromSeconds(30), settings.LoopbackHelloTime);
        Assert.Equal(
            (512, 64, 256),
            (settings.MaxStrangers, settings.MaxStrangersPerAddress, settings.MaxStrangersPerLoopbackAddress));
        Assert.Equal((64L << 20, 1 << 20), (settings.MaxUnfinishedBytes, settings.Limits.Longest));
    }

    private static async Task SendAllAsync(Socket socket, byte[] bytes)
    {
        for (int sent = 0; sent < bytes.Length;) sent += await socket.SendAsync(bytes.AsMemory(sent), SocketFlags.None);
    }

    private static async Task ReadToEndAsync(Socket socket)
    {
        byte[] buffer = new byte[1000];
        try
        {
            while (await socket.ReceiveAsync(buffer, SocketFlags.None).WaitAsync(NodeRig.Patience) > 0)
            {
            }
        }
        catch (SocketException)
        {
            // Reset: an end too.
        }
    }

    private async Task<Socket> ConnectAsync(MembershipHost host)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        _sockets.Add(socket);
        await socket.ConnectAsync(host.EndPoint).WaitAsync(NodeRig.Patience);
        return socket;
    }

    private sealed class Lengths : IFrameReceiver
    {
        public List<int> Seen { get; } = [];

        public void OnFrames(FrameConnection connection, FrameBatch frames)
        {
            while (frames.TryNext(out ReadOnlySpan<byte> frame)) Seen.Add(frame.Length);
            frames.Return();
            connection.OnHandled();
        }
    }
}
