using System.Net;
using System.Net.Sockets;
using QuickSilver.Protocol.Sites;
using QuickSilver.WideArea.Links;

namespace QuickSilver.WideArea.Tests;

/// <summary>How datagrams follow each other in a connection, and what a connection does with what is none. Without TLS:
/// it is below.</summary>
public sealed class StreamTests
{
    private static readonly CancellationToken Never = CancellationToken.None;

    [Fact]
    public void A_frame_has_one_form()
    {
        byte[] frame = FrameOf(0x1FF, 7);
        Assert.Equal([0xFF, 0x01, 7, 7], frame[..4]);
        Assert.Equal(2 + 0x1FF, frame.Length);
    }

    [Theory]
    [InlineData(51)]
    [InlineData(500)]
    [InlineData(2048)]
    public void A_frame_is_whole_when_all_of_it_has_come(int length)
    {
        byte[] frame = FrameOf(length, 1);
        for (int come = 0; come < frame.Length; come++) Assert.Equal(0, StreamFrame.Measure(frame.AsSpan(0, come)));
        Assert.Equal(frame.Length, StreamFrame.Measure(frame));
        Assert.Equal(frame.Length, StreamFrame.Measure([.. frame, 1, 2, 3]));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(50)]
    [InlineData(2049)]
    [InlineData(65535)]
    public void A_length_that_no_frame_has_is_seen_at_once(int length) =>
        Assert.True(StreamFrame.Measure([(byte)length, (byte)(length >> 8)]) < 0);

    [Fact]
    public async Task A_buffer_tells_of_room_once_and_gives_the_rest_at_its_end()
    {
        var buffer = new StreamBuffer();
        int told = 0;
        while (buffer.HasRoom) Assert.True(buffer.TryAdd(FrameOf(2000, 1)));
        Assert.False(buffer.HasRoom);
        // What goes in any case has a place for a while.
        int more = 0;
        while (buffer.TryAdd(FrameOf(100, 2))) more++;
        Assert.InRange(more, 50, 100);
        ReadOnlyMemory<byte> taken = await buffer.TakeAsync(() => told++, Never);
        Assert.InRange(taken.Length, StreamBuffer.RoomBytes, StreamBuffer.RoomBytes + (8 << 10));
        Assert.Equal(1, told);
        Assert.True(buffer.HasRoom);
        Assert.True(buffer.TryAdd(FrameOf(60, 3)));
        buffer.Complete();
        Assert.False(buffer.TryAdd(FrameOf(60, 3)));
        Assert.Equal(62, (await buffer.TakeAsync(() => told++, Never)).Length);
        Assert.True((await buffer.TakeAsync(() => told++, Never)).IsEmpty);
        Assert.Equal(1, told);
        var empty = new StreamBuffer();
        empty.Complete();
        empty.Complete();
        Assert.True((await empty.TakeAsync(() => told++, Never)).IsEmpty);
    }

    [Fact]
    public async Task Frames_come_whole_however_they_are_cut()
    {
        await using var pair = await Pair.MakeAsync();
        byte[] bytes = [.. Enumerable.Range(1, 200).SelectMany(static number => FrameOf(50 + number, (byte)number))];
        var random = new Random(1);
        for (int at = 0; at < bytes.Length;)
        {
            int piece = Math.Min(bytes.Length - at, random.Next(1, 300));
            await pair.Far.SendAsync(bytes.AsMemory(at, piece));
            at += piece;
        }
        for (int number = 1; number <= 200; number++)
        {
            byte[] datagram = await pair.TakeAsync();
            Assert.Equal(Enumerable.Repeat((byte)number, 50 + number), datagram);
        }
        // The other way.
        pair.Connection.Send(FrameOf(77, 9));
        byte[] back = new byte[79];
        await ReadAsync(pair.Far, back);
        Assert.Equal(FrameOf(77, 9), back);
        pair.Far.Shutdown(SocketShutdown.Both);
        Assert.Null(await pair.EndAsync());
    }

    [Fact]
    public async Task A_bad_length_ends_the_connection_and_what_came_before_is_taken()
    {
        await using var pair = await Pair.MakeAsync();
        await pair.Far.SendAsync((byte[])[.. FrameOf(60, 1), 0xFF, 0xFF, 1, 2, 3]);
        Assert.Equal(60, (await pair.TakeAsync()).Length);
        Assert.Equal("a frame has a length that none has", await pair.EndAsync());
        Assert.False(pair.Connection.HasRoom);
        pair.Connection.Send(FrameOf(60, 1));
        Assert.Equal(1, pair.Connection.Dropped);
    }

    [Fact]
    public async Task A_half_frame_and_then_silence_ends_the_connection()
    {
        await using var pair = await Pair.MakeAsync(TimeSpan.FromMilliseconds(300));
        await pair.Far.SendAsync(FrameOf(60, 1).AsMemory(0, 30));
        Assert.StartsWith("nothing came for", await pair.EndAsync(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_loop_that_takes_nothing_stops_the_other_end_and_loses_nothing()
    {
        await using var pair = await Pair.MakeAsync();
        byte[] frame = FrameOf(2048, 5);
        long sent = 0;
        pair.Far.Blocking = false;
        // Until neither kernel takes more.
        for (int refused = 0; refused < 20;)
        {
            try
            {
                int rest = frame.Length - (int)(sent % frame.Length);
                sent += pair.Far.Send(frame.AsSpan(frame.Length - rest));
                refused = 0;
            }
            catch (SocketException full) when (full.SocketErrorCode == SocketError.WouldBlock)
            {
                refused++;
                await Task.Delay(10);
            }
        }
        Assert.True(sent < 64 << 20, "the other end is held up");
        // All that was sent comes, and the frame that is cut is not there.
        for (long taken = 0; taken < sent / frame.Length; taken++) Assert.Equal(2048, (await pair.TakeAsync()).Length);
        Assert.False(pair.Inbox.HasReceived);
    }

    [Fact]
    public async Task A_connection_that_is_closed_writes_what_it_has()
    {
        await using var pair = await Pair.MakeAsync();
        for (int number = 0; number < 20; number++) pair.Connection.Send(FrameOf(1000, (byte)number));
        pair.Connection.Close();
        byte[] all = new byte[20 * 1002];
        await ReadAsync(pair.Far, all);
        Assert.Equal(0, await pair.Far.ReceiveAsync(new byte[10]));
        pair.Far.Shutdown(SocketShutdown.Both);
        Assert.Null(await pair.EndAsync());
    }

    private static byte[] FrameOf(int length, byte fill)
    {
        var frame = new byte[StreamFrame.HeadBytes + length];
        StreamFrame.WriteHead(frame, length);
        frame.AsSpan(StreamFrame.HeadBytes).Fill(fill);
        return frame;
    }

    private static async Task ReadAsync(Socket socket, byte[] buffer)
    {
        for (int read = 0; read < buffer.Length;)
        {
            int more = await socket.ReceiveAsync(buffer.AsMemory(read)).AsTask().WaitAsync(SiteRig.Patience);
            Assert.True(more > 0, "the end came too soon");
            read += more;
        }
    }

    private sealed class Pair : IAsyncDisposable
    {
        private Task<string?> _run = null!;

        public StreamInbox Inbox { get; } = new();

        public StreamConnection Connection { get; private set; } = null!;

        public Socket Far { get; private set; } = null!;

        public static async Task<Pair> MakeAsync(TimeSpan? silence = null)
        {
            var pair = new Pair();
            using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
            listener.Listen();
            pair.Far = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
            await pair.Far.ConnectAsync(listener.LocalEndPoint!);
            Socket near = await listener.AcceptAsync();
            pair.Inbox.SetLoop(static () => { });
            pair.Connection = new StreamConnection(
                near, new NetworkStream(near), SiteSet.Of(1), "far", pair.Inbox, silence);
            pair._run = pair.Connection.RunAsync();
            Assert.Equal(StreamEventKind.Opened, (await pair.NextAsync()).Kind);
            return pair;
        }

        public async Task<byte[]> TakeAsync()
        {
            StreamEvent told = await NextAsync();
            Assert.Equal(StreamEventKind.Datagram, told.Kind);
            byte[] datagram = told.Bytes.ToArray();
            Inbox.Recycle(told);
            return datagram;
        }

        public async Task<string?> EndAsync()
        {
            string? reason = await _run.WaitAsync(SiteRig.Patience);
            Assert.Equal(StreamEventKind.Ended, (await NextAsync()).Kind);
            return reason;
        }

        public async ValueTask DisposeAsync()
        {
            Connection.Abort();
            Inbox.SetLoop(null);
            await _run.WaitAsync(SiteRig.Patience);
            Far.Dispose();
        }

        private async Task<StreamEvent> NextAsync()
        {
            StreamEvent? told = null;
            await SiteRig.UntilAsync(() => Inbox.TryTake(out told), () => "an event");
            return told!;
        }
    }
}
