using System.Net;
using System.Net.Sockets;
using QuickSilver.Membership;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;
using QuickSilver.Tests.Api;

namespace QuickSilver.Tests.Membership;

/// <summary>What a membership host does with connections that do not behave, while others go on.</summary>
public sealed class MembershipHostTests
{
    private readonly TestHost _events = new();

    [Fact]
    public async Task Garbage_closes_its_connection_is_counted_and_told_and_disturbs_nobody()
    {
        await using MembershipHost host = _events.Start();
        await using var node = new TestNode(Way(host));
        await node.HearAsync("registered");
        long start = Environment.TickCount64;
        byte[] garbage = [.. Enumerable.Range(1, 200).Select(static value => (byte)((value * 37) | 0x80))];
        for (int index = 0; index < 3; index++) await ExpectClosedAsync(host, garbage);

        await ExpectEndsAsync(host, FrameEnd.OversizeFrame, 3);
        await NodeRig.UntilAsync(() => _events.Dropped.Count > 0, "the host tells");
        AssertToldOnceASecond(_events.Dropped, FrameEnd.OversizeFrame, start);
        node.Join("still");
        await node.HearAsync("joined still");
    }

    [Fact]
    public async Task A_first_frame_that_is_no_registration_is_refused()
    {
        await using MembershipHost host = _events.Start();
        long start = Environment.TickCount64;
        await ExpectClosedAsync(host, RawFrames.Frame([9, 9, 9, 9, 9, 9, 9]));
        await ExpectClosedAsync(host, RawFrames.Frame([1]));
        await ExpectRefusalsAsync(host, MembershipRefusal.BadFrame, 2);
        AssertToldOnceASecond(_events.Refused, MembershipRefusal.BadFrame, start);
    }

    [Theory]
    [InlineData(int.MaxValue)]
    [InlineData(-1)]
    [InlineData(MembershipFrames.MaxHelloBytes + 1)]
    public async Task An_oversize_frame_is_refused_by_its_length_alone(int length)
    {
        await using MembershipHost host = _events.Start();
        await ExpectClosedAsync(host, RawFrames.Prefix(length));
        await ExpectEndsAsync(host, FrameEnd.OversizeFrame);
    }

    [Fact]
    public async Task An_oversize_frame_after_a_registration_is_refused_too()
    {
        FrameLimits limits = TestHost.Settings.Limits with { Longest = 5000 };
        await using MembershipHost host = _events.Start(TestHost.Settings with { Limits = limits });
        await ExpectClosedAsync(host, [.. RawFrames.Hello("test", 2001), .. RawFrames.Frame(new byte[5001])]);
        await ExpectEndsAsync(host, FrameEnd.OversizeFrame);
    }

    [Fact]
    public async Task An_empty_frame_is_refused()
    {
        await using MembershipHost host = _events.Start();
        await ExpectClosedAsync(host, [0, 0, 0, 0]);
        await ExpectEndsAsync(host, FrameEnd.EmptyFrame);
    }

    [Fact]
    public async Task A_connection_closed_in_the_middle_of_a_frame_is_counted()
    {
        await using MembershipHost host = _events.Start();
        using (Socket socket = await ConnectAsync(host))
        {
            await socket.SendAsync(RawFrames.Hello("test", 2002)[..^3], SocketFlags.None);
            socket.Shutdown(SocketShutdown.Send);
            await ReadToEndAsync(socket);
        }
        await ExpectEndsAsync(host, FrameEnd.HalfFrame);
    }

    [Fact]
    public async Task A_connection_that_never_says_who_it_is_is_closed()
    {
        await using MembershipHost host = _events.Start(
            TestHost.Settings with { LoopbackHelloTime = TimeSpan.FromMilliseconds(50) });
        using Socket silent = await ConnectAsync(host);
        await silent.SendAsync(RawFrames.Hello("test", 2003)[..^3], SocketFlags.None);
        await ReadToEndAsync(silent);
        await ExpectEndsAsync(host, FrameEnd.Silent);
    }

    [Fact]
    public async Task A_node_of_another_cluster_is_refused_and_told_why()
    {
        await using MembershipHost host = _events.Start();
        await using var stranger = new TestNode(Way(host), cluster: "yours");
        await stranger.HearAsync("expelled: WrongCluster");
        await using var member = new TestNode(Way(host), cluster: "test");
        await member.HearAsync("registered");
        Assert.Contains(MembershipRefusal.WrongCluster, _events.Refused);
    }

    [Fact]
    public async Task A_node_of_another_version_is_refused()
    {
        await using MembershipHost host = _events.Start();
        await ExpectClosedAsync(host, RawFrames.Hello("test", 2004, new ProtocolVersions(98, 99)));
        await ExpectRefusalsAsync(host, MembershipRefusal.WrongVersion);
    }

    [Fact]
    public async Task Who_does_not_take_what_is_sent_to_it_is_cut_off()
    {
        await using MembershipHost host = _events.Start();
        using Socket near = await ConnectAsync(host);
        var sink = new Discarding();
        (Socket far, Socket accepted) = await ConnectPairAsync();
        using Socket deaf = accepted;
        var connection = new FrameConnection(far, sink, new FrameLimits { MaxUnsentBytes = 1 << 20 });
        Task<FrameEnd> running = connection.RunAsync();
        byte[] frame = new byte[64 << 10];
        for (int index = 0; index < 1000 && !running.IsCompleted; index++) connection.Send(frame);
        Assert.Equal(FrameEnd.SlowConsumer, await running.WaitAsync(NodeRig.Patience));
        Assert.InRange(connection.Unsent, 0, (1 << 20) + frame.Length + 4);
    }

    [Fact]
    public async Task What_was_queued_before_a_close_arrives()
    {
        var sink = new Discarding();
        (Socket far, Socket accepted) = await ConnectPairAsync();
        using Socket peer = accepted;
        var connection = new FrameConnection(far, sink, new FrameLimits());
        Task<FrameEnd> running = connection.RunAsync();
        for (int index = 0; index < 100; index++) connection.Send(new byte[20_000]);
        connection.Close();
        connection.Send([1]);
        Assert.Equal(100 * 20_004, await ReadToEndAsync(peer));
        peer.Dispose();
        Assert.Equal(FrameEnd.Stopped, await running.WaitAsync(NodeRig.Patience));
    }

    [Fact]
    public async Task A_connection_that_is_closed_before_it_runs_ends()
    {
        (Socket far, Socket accepted) = await ConnectPairAsync();
        using Socket peer = accepted;
        var connection = new FrameConnection(far, new Discarding(), new FrameLimits());
        connection.Close();
        Assert.Equal(FrameEnd.Stopped, await connection.RunAsync().WaitAsync(NodeRig.Patience));
    }

    private static async Task<(Socket Far, Socket Accepted)> ConnectPairAsync()
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen(1);
        var far = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await far.ConnectAsync(listener.LocalEndPoint!);
        return (far, await listener.AcceptAsync());
    }

    private static ServerListConnector Way(MembershipHost host) => new([("127.0.0.1", host.EndPoint.Port)]);

    private static async Task<Socket> ConnectAsync(MembershipHost host)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(host.EndPoint);
        return socket;
    }

    private static async Task ExpectClosedAsync(MembershipHost host, byte[] bytes)
    {
        using Socket socket = await ConnectAsync(host);
        await socket.SendAsync(bytes, SocketFlags.None);
        await ReadToEndAsync(socket);
        Assert.True(host.IsRunning);
    }

    // What is counted again is told in the next second of the clock at the earliest.
    private static void AssertToldOnceASecond<T>(IReadOnlyList<T> told, T what, long start)
    {
        Assert.All(told, one => Assert.Equal(what, one));
        Assert.InRange(told.Count, 1, ((Environment.TickCount64 - start) / 1000) + 2);
    }

    private static Task ExpectEndsAsync(MembershipHost host, FrameEnd end, int times = 1) =>
        NodeRig.UntilAsync(() => host.Counters.EndedBy(end) == times, $"{times} ended by {end}");

    private static Task ExpectRefusalsAsync(MembershipHost host, MembershipRefusal refusal, int times = 1) =>
        NodeRig.UntilAsync(() => host.Counters.RefusedFor(refusal) == times, $"{times} refused for {refusal}");

    private static async Task<int> ReadToEndAsync(Socket socket)
    {
        byte[] buffer = new byte[65_536];
        using var limit = new CancellationTokenSource(NodeRig.Patience);
        int total = 0;
        try
        {
            while (true)
            {
                int length = await socket.ReceiveAsync(buffer, SocketFlags.None, limit.Token);
                if (length == 0) return total;
                total += length;
            }
        }
        catch (SocketException)
        {
            return total;
        }
    }

    private sealed class Discarding : IFrameReceiver
    {
        public void OnFrames(FrameConnection connection, FrameBatch frames)
        {
            frames.Return();
            connection.OnHandled();
        }
    }
}
