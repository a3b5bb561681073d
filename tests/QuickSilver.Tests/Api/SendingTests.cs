using System.Buffers;
using System.Text;

namespace QuickSilver.Tests.Api;

[Collection(NodeCollection.Name)]
public sealed class SendingTests
{
    [Fact]
    public async Task Two_programs_greet_each_other()
    {
        await using var rig = new NodeRig();
        await using QuickSilverNode subscriber = await rig.StartAsync();
        await using Group listening = await subscriber.JoinAsync("greetings");
        await using QuickSilverNode publisher = await rig.StartAsync();
        await using Group speaking = await publisher.JoinAsync("greetings");
        await speaking.WaitForMembersAsync(2);
        await speaking.SendAsync("hello from " + publisher.Name);
        await speaking.LeaveAsync();
        Assert.Equal(["hello from " + publisher.Name], await NodeRig.ReadAsync(listening, 1));
    }

    [Fact]
    public async Task Every_form_of_sending_arrives_in_order()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync();
        await left.SendAsync("memory"u8.ToArray());
        await left.SendAsync("span"u8);
        await left.SendAsync(16, "state", static (IBufferWriter<byte> writer, in string state) => writer.Write(Encoding.UTF8.GetBytes(state)));
        await left.SendAsync("text");
        Assert.Equal(SendStatus.Accepted, left.TrySend("try"u8));
        Assert.Equal(SendStatus.Accepted, left.TrySend("try text"));
        DeliveryReport report = await left.SendConfirmedAsync("confirmed");
        Assert.Equal(7UL, report.Sequence);
        Assert.Equal(2, report.Confirmed);
        Assert.Equal(0, report.Removed);
        Assert.Equal(left.View.Number, report.ViewNumber);
        Assert.True(report.Elapsed > TimeSpan.Zero);
        await left.SendAsync(ReadOnlyMemory<byte>.Empty);
        string[] expected = ["memory", "span", "state", "text", "try", "try text", "confirmed", ""];
        Assert.Equal(expected, await NodeRig.ReadAsync(right, 8));
        Assert.Equal(expected, await NodeRig.ReadAsync(left, 8));
    }

    [Fact]
    public async Task Two_senders_and_a_hundred_groups_keep_each_senders_order()
    {
        const int groups = 100;
        const int each = 100;
        await using var rig = new NodeRig();
        QuickSilverNode[] nodes = [await rig.StartAsync(), await rig.StartAsync(), await rig.StartAsync()];
        string[] names = [.. Enumerable.Range(0, groups).Select(static index => $"g{index}")];
        var handles = new IReadOnlyList<Group>[3];
        for (int index = 0; index < 3; index++) handles[index] = await nodes[index].JoinManyAsync(names);
        Assert.Equal(names, handles[0].Select(static group => group.Name));
        foreach (Group group in handles[0].Concat(handles[1])) await group.WaitForMembersAsync(3);

        Task[] sending = [.. handles.Take(2).Select(mine => Task.Run(async () =>
        {
            for (int message = 0; message < each; message++)
            {
                foreach (Group group in mine) await group.SendAsync($"{message}");
            }
        }))];
        foreach (Group group in handles[2])
        {
            var next = new Dictionary<MemberId, int>();
            using var limit = new CancellationTokenSource(NodeRig.Patience);
            int count = 0;
            await foreach (Message message in group.ReadAllAsync(limit.Token))
            {
                int expected = next.GetValueOrDefault(message.Sender);
                Assert.Equal($"{expected}", message.GetString());
                Assert.Equal((ulong)expected + 1, message.Sequence);
                next[message.Sender] = expected + 1;
                if (++count == 2 * each) break;
            }
        }
        await Task.WhenAll(sending);
        await nodes[0].FlushAsync().AsTask().WaitAsync(NodeRig.Patience);
    }

    [Fact]
    public async Task A_full_gate_makes_senders_wait_and_loses_nothing()
    {
        const int count = 3_000;
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(
            left: new GroupOptions { HoldUntilRead = false }, change: static options => options.Pending.MaxMessages = 20);
        int backpressured = 0;
        for (int index = 0; index < count; index++)
        {
            while (left.TrySend(Encoding.UTF8.GetBytes($"{index}")) != SendStatus.Accepted)
            {
                backpressured++;
                Assert.True(await left.WaitToSendAsync());
            }
        }
        Assert.NotEqual(0, backpressured);
        Assert.Equal(Enumerable.Range(0, count).Select(static index => $"{index}"), await NodeRig.ReadAsync(right, count));
    }

    [Fact]
    public async Task A_message_of_a_mebibyte_arrives_whole_and_a_longer_one_is_refused()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync();
        byte[] large = new byte[1 << 20];
        new Random(5).NextBytes(large);
        await left.SendAsync(large);
        await foreach (Message message in right.ReadAllAsync())
        {
            Assert.True(message.Payload.Span.SequenceEqual(large));
            break;
        }

        byte[] larger = new byte[large.Length + 1];
        PayloadTooLargeException refused = await Assert.ThrowsAsync<PayloadTooLargeException>(async () => await left.SendAsync(larger));
        Assert.Equal(ErrorCode.PayloadTooLarge, refused.Code);
        Assert.Equal(1 << 20, refused.Limit);
        await Assert.ThrowsAsync<PayloadTooLargeException>(async () => await left.SendConfirmedAsync(larger));
        await Assert.ThrowsAsync<PayloadTooLargeException>(
            async () => await left.SendAsync(0, larger, static (IBufferWriter<byte> writer, in byte[] bytes) => writer.Write(bytes)));
        Assert.Equal(SendStatus.TooLarge, left.TrySend(larger));
    }

    [Fact]
    public async Task What_the_writing_of_a_message_throws_comes_out_and_nothing_is_sent()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync();
        await Assert.ThrowsAsync<InvalidTimeZoneException>(async () => await left.SendAsync(8, 1, static (IBufferWriter<byte> writer, in int _) =>
        {
            writer.Write("half"u8);
            throw new InvalidTimeZoneException();
        }));
        await left.SendAsync(0, left, static (IBufferWriter<byte> writer, in Group group) =>
        {
            writer.Write("outer"u8);
            Assert.Equal(SendStatus.Accepted, group.TrySend("inner"));
        });
        Assert.Equal(["inner", "outer"], await NodeRig.ReadAsync(right, 2));
    }

    [Fact]
    public async Task A_message_whose_memory_is_gone_takes_no_place_from_others()
    {
        await using var rig = new NodeRig();
        (Group left, _) = await rig.StartPairAsync(change: static options => options.Pending.MaxUnsentMessages = 4);
        using var gone = new GoneMemory();
        ReadOnlyMemory<byte> memory = gone.Memory;
        ((IDisposable)gone).Dispose();
        for (int index = 0; index < 10; index++)
        {
            await Assert.ThrowsAsync<ObjectDisposedException>(async () => await left.SendConfirmedAsync(memory));
            await Assert.ThrowsAsync<ObjectDisposedException>(async () => await left.SendAsync(memory));
        }
        await left.SendConfirmedAsync("here"u8.ToArray()).AsTask().WaitAsync(NodeRig.Patience);
    }

    [Fact]
    public async Task A_message_confirmed_to_nobody_else_completes_at_once()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        Group group = await node.JoinAsync("alone");
        DeliveryReport report = await group.SendConfirmedAsync("to myself").AsTask().WaitAsync(NodeRig.Patience);
        Assert.Equal(1, report.Confirmed);
        Assert.Equal(["to myself"], await NodeRig.ReadAsync(group, 1));
        await group.FlushAsync().AsTask().WaitAsync(NodeRig.Patience);
    }

    [Fact]
    public async Task A_cancelled_send_is_not_admitted_and_a_cancelled_confirmation_is_sent_all_the_same()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync();
        using var cancelled = new CancellationTokenSource();
        await cancelled.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await left.SendAsync("never"u8.ToArray(), cancelled.Token));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await left.WaitToSendAsync(cancelled.Token));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await left.FlushAsync(cancelled.Token));
        await left.SendAsync("sent");
        Assert.Equal(["sent"], await NodeRig.ReadAsync(right, 1));
    }

    [Fact]
    public async Task A_feed_is_asked_after_signals_only_and_its_messages_arrive_in_order()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync();
        var feed = new CountingFeed();
        using FeedRegistration registration = left.RegisterFeed(feed);
        await left.SendConfirmedAsync("first");
        Assert.Equal(0, feed.Calls);

        feed.Ready = 500;
        registration.Signal();
        Assert.Equal(["first", .. Enumerable.Range(0, 500).Select(static index => $"{index}")], await NodeRig.ReadAsync(right, 501));
        feed.Ready = 502;
        registration.Signal();
        Assert.Equal(["500", "501"], await NodeRig.ReadAsync(right, 2));
        Assert.Equal(502, left.Node.TopGroups(1)[0].MessagesSent - 1);
    }

    [Fact]
    public async Task A_feed_that_throws_is_counted_and_asked_again_after_a_signal()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync();
        var feed = new CountingFeed { Ready = 1, ThrowsOnce = true };
        using FeedRegistration registration = left.RegisterFeed(feed);
        registration.Signal();
        await NodeRig.UntilAsync(() => left.Node.GetStatistics().HandlerErrors == 1, "the exception is counted");
        registration.Signal();
        Assert.Equal(["0"], await NodeRig.ReadAsync(right, 1));
    }

    [Theory]
    [InlineData(true, true)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(false, false)]
    public async Task A_feed_is_forgotten_when_its_handle_has_left(bool isLast, bool disposed)
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        if (!isLast) await node.JoinAsync("group");
        var feeds = new List<WeakReference>();
        for (int round = 0; round < 20; round++) feeds.Add(await FeedAndLeaveAsync(node, disposed));
        await NodeRig.UntilAsync(
            () =>
            {
                GC.Collect();
                return feeds.TrueForAll(static feed => !feed.IsAlive);
            },
            "all feeds are collected");
    }

    private static async Task<WeakReference> FeedAndLeaveAsync(QuickSilverNode node, bool disposed)
    {
        Group group = await node.JoinAsync("group");
        var feed = new CountingFeed { Ready = 3 };
        FeedRegistration registration = group.RegisterFeed(feed);
        registration.Signal();
        Assert.Equal(["0", "1", "2"], await NodeRig.ReadAsync(group, 3));
        await group.LeaveAsync();
        if (disposed) registration.Dispose();
        return new WeakReference(feed);
    }

    private sealed class GoneMemory : MemoryManager<byte>
    {
        private byte[]? _bytes = new byte[8];

        public override Span<byte> GetSpan() => _bytes ?? throw new ObjectDisposedException(nameof(GoneMemory));

        public override MemoryHandle Pin(int elementIndex = 0) => throw new NotSupportedException();

        public override void Unpin() => throw new NotSupportedException();

        protected override void Dispose(bool disposing) => _bytes = null;
    }

    private sealed class CountingFeed : IMessageFeed
    {
        private int _next;

        public int Calls { get; private set; }

        public int Ready { get; set; }

        public bool ThrowsOnce { get; set; }

        public bool TryWriteNext(IBufferWriter<byte> message)
        {
            Calls++;
            message.Write(Encoding.UTF8.GetBytes($"{_next}"));
            if (ThrowsOnce)
            {
                ThrowsOnce = false;
                throw new InvalidOperationException("the feed's own");
            }
            if (_next == Ready) return false;
            _next++;
            return true;
        }
    }
}
