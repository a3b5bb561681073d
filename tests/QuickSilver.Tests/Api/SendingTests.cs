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
        await left.SendAsync(
            16, "state",
            static (IBufferWriter<byte> writer, string state) => writer.Write(Encoding.UTF8.GetBytes(state)));
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
        await nodes[0].FlushAsync().WaitAsync(NodeRig.Patience);
    }

    [Fact]
    public async Task A_full_gate_makes_senders_wait_and_loses_nothing()
    {
        const int count = 3_000;
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(
            left: new GroupOptions { BufferBeforeFirstRead = false },
            change: static options => options.Pending.MaxMessagesPerRegion = 20);
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
        Assert.Equal(
            Enumerable.Range(0, count).Select(static index => $"{index}"), await NodeRig.ReadAsync(right, count));
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
        PayloadTooLargeException refused = await Assert.ThrowsAsync<PayloadTooLargeException>(
            async () => await left.SendAsync(larger));
        Assert.Equal(ErrorCode.PayloadTooLarge, refused.Code);
        Assert.Equal(1 << 20, refused.Limit);
        await Assert.ThrowsAsync<PayloadTooLargeException>(async () => await left.SendConfirmedAsync(larger));
        await Assert.ThrowsAsync<PayloadTooLargeException>(
            async () => await left.SendAsync(
                0, larger, static (IBufferWriter<byte> writer, byte[] bytes) => writer.Write(bytes)));
        Assert.Equal(SendStatus.TooLarge, left.TrySend(larger));
    }

    [Fact]
    public async Task What_the_writing_of_a_message_throws_comes_out_and_nothing_is_sent()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync();
        await Assert.ThrowsAsync<InvalidTimeZoneException>(
            async () => await left.SendAsync(8, 1, static (writer, _) =>
        {
            writer.Write("half"u8);
            throw new InvalidTimeZoneException();
        }));
        await left.SendAsync(0, left, static (writer, group) =>
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
        (Group left, _) = await rig.StartPairAsync(
            change: static options => options.Pending.MaxUnsentMessagesPerRegion = 4);
        using var gone = new GoneMemory();
        ReadOnlyMemory<byte> memory = gone.Memory;
        ((IDisposable)gone).Dispose();
        for (int index = 0; index < 10; index++)
        {
            await Assert.ThrowsAsync<ObjectDisposedException>(async () => await left.SendConfirmedAsync(memory));
            await Assert.ThrowsAsync<ObjectDisposedException>(async () => await left.SendAsync(memory));
        }
        await left.SendConfirmedAsync("here"u8.ToArray()).WaitAsync(NodeRig.Patience);
    }

    [Fact]
    public async Task A_message_confirmed_to_nobody_else_completes_at_once()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        Group group = await node.JoinAsync("alone");
        DeliveryReport report = await group.SendConfirmedAsync("to myself").WaitAsync(NodeRig.Patience);
        Assert.Equal(1, report.Confirmed);
        Assert.Equal(["to myself"], await NodeRig.ReadAsync(group, 1));
        await group.FlushAsync().WaitAsync(NodeRig.Patience);
    }

    [Fact]
    public async Task A_cancelled_send_is_not_admitted_and_a_cancelled_confirmation_is_sent_all_the_same()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync();
        using var cancelled = new CancellationTokenSource();
        await cancelled.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            async () => await left.SendAsync("never"u8.ToArray(), cancelled.Token));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            async () => await left.WaitToSendAsync(cancelled.Token));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await left.FlushAsync(cancelled.Token));
        await left.SendAsync("sent");
        Assert.Equal(["sent"], await NodeRig.ReadAsync(right, 1));
    }

    private sealed class GoneMemory : MemoryManager<byte>
    {
        private byte[]? _bytes = new byte[8];

        public override Span<byte> GetSpan() => _bytes ?? throw new ObjectDisposedException(nameof(GoneMemory));

        public override MemoryHandle Pin(int elementIndex = 0) => throw new NotSupportedException();

        public override void Unpin() => throw new NotSupportedException();

        protected override void Dispose(bool disposing) => _bytes = null;
    }
}
