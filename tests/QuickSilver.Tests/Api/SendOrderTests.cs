using System.Text;

namespace QuickSilver.Tests.Api;

/// <summary>What one thread sends with different calls, and messages of any length, arrives in the order of the
/// calls.</summary>
[Collection(NodeCollection.Name)]
public sealed class SendOrderTests
{
    private static readonly int[] Lengths = [0, 1, 64, 64, 64, 500, 1_000, 2_048, 2_049, 5_000, 70_000];

    [Fact]
    public async Task Short_and_long_confirmed_and_flushed_messages_of_several_threads_keep_each_threads_order()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(
            change: static options => options.Pending.MaxUnsentMessagesPerRegion = 200);
        await SendAndCheckAsync(left, right);
    }

    [Fact]
    public async Task So_they_do_in_a_group_of_two_regions_beside_a_feed_of_the_same_group()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync();
        await right.Node.JoinAsync("elsewhere");
        Group third = await (await rig.StartAsync()).JoinAsync("group");
        await left.WaitForMembersAsync(3).WaitAsync(NodeRig.Patience);
        using FeedRegistration feed = left.RegisterFeed(new CountedFeed(5_000));
        feed.Signal();
        await SendAndCheckAsync(left, right);
        Assert.Equal(right.View.Number, third.View.Number);
    }

    [Fact]
    public async Task So_they_do_in_groups_that_go_different_ways_and_change_them_meanwhile()
    {
        const int groups = 12, threads = 3, each = 6_000;
        await using var rig = new NodeRig();
        QuickSilverNode sender = await rig.StartAsync(
            static options => options.Pending.MaxUnsentMessagesPerRegion = 64);
        QuickSilverNode receiver = await rig.StartAsync(), third = await rig.StartAsync();
        string[] names = [.. Enumerable.Range(0, groups).Select(static index => $"g{index}")];
        int[,] next = new int[groups, threads];
        int wrong = 0, received = 0;
        for (int index = 0; index < groups; index++)
        {
            int group = index;
            await receiver.JoinAsync(names[group], new GroupOptions
            {
                OnMessage = (in MessageRef message) =>
                {
                    int thread = message.Payload[0];
                    if (BitConverter.ToInt32(message.Payload[1..]) != next[group, thread]++) wrong++;
                    Interlocked.Increment(ref received);
                },
            });
        }
        IReadOnlyList<Group> all = await sender.JoinManyAsync(
            names, new GroupOptions { BufferBeforeFirstRead = false });
        await all[^1].WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        Task sending = Task.WhenAll(Enumerable.Range(0, threads).Select(thread => Task.Run(async () =>
        {
            byte[] message = new byte[64];
            message[0] = (byte)thread;
            for (int index = 0; index < each; index++)
            {
                Group group = all[index % groups];
                BitConverter.TryWriteBytes(message.AsSpan(1), index / groups);
#pragma warning disable QS0005 // The confirmations of few messages overlap on purpose.
                if (index % 100 == thread) _ = group.SendConfirmedAsync(message);
#pragma warning restore QS0005
                else await group.SendAsync(message);
                if (index % 500 == 0) await Task.Delay(5);
            }
        })));
        var random = new Random(1);
        for (int change = 0; change < 30 || !sending.IsCompleted; change++)
        {
            Group joined = await third.JoinAsync(names[random.Next(groups)], new GroupOptions
            {
                BufferBeforeFirstRead = false,
            });
            if (change % 3 > 0) await joined.LeaveAsync();
        }
        await sending.WaitAsync(NodeRig.Patience);
        await NodeRig.UntilAsync(() => Volatile.Read(ref received) == threads * each, "all messages arrive");
        Assert.Equal(0, wrong);
        Assert.InRange(sender.Core.Outboxes.All.Count, 2, 100);
    }

    [Fact]
    public async Task Messages_to_groups_in_turn_arrive_in_batches_and_in_the_order_of_each_group()
    {
        const int groups = 10, each = 60;
        await using var rig = new NodeRig();
        QuickSilverNode sender = await rig.StartAsync(Trouble.Patient);
        QuickSilverNode receiver = await rig.StartAsync(Trouble.Patient);
        string[] names = [.. Enumerable.Range(0, groups).Select(static index => $"g{index}")];
        int received = 0, wrong = 0, batches = 0;
        int[] next = new int[groups];
        await receiver.JoinManyAsync(names, new GroupOptions
        {
            OnBatch = (in MessageBatch batch) =>
            {
                batches++;
                for (int index = 0; index < batch.Count; index++)
                {
                    ReadOnlySpan<byte> payload = batch[index].Payload;
                    if (BitConverter.ToInt32(payload[1..]) != next[payload[0]]++) wrong++;
                }
                Interlocked.Add(ref received, batch.Count);
            },
        });
        IReadOnlyList<Group> all = await sender.JoinManyAsync(
            names, new GroupOptions { BufferBeforeFirstRead = false });
        await all[^1].WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        List<Task> confirmed = [];
        byte[] message = new byte[64];
        using (await Trouble.FreezeAsync(sender))
        {
            for (int index = 0; index < groups * each; index++)
            {
                Group group = all[index % groups];
                message[0] = (byte)(index % groups);
                BitConverter.TryWriteBytes(message.AsSpan(1), index / groups);
                if (index / groups == each / 2) confirmed.Add(group.SendConfirmedAsync(message));
                else Assert.Equal(SendStatus.Accepted, group.TrySend(message));
            }
        }
        await Task.WhenAll(confirmed).WaitAsync(NodeRig.Patience);
        await NodeRig.UntilAsync(() => Volatile.Read(ref received) == groups * each, "all messages arrive");
        Assert.Equal(0, wrong);
        // A group has a few: its first message, those before the confirmed one, that one, and those behind it.
        Assert.InRange(batches, groups, groups * each / 3);
    }

    [Fact]
    public async Task A_flush_waits_for_what_was_sent_just_before_it()
    {
        await using var rig = new NodeRig();
        await rig.StartAsync(Trouble.Quick);
        (Group left, Group right) = await rig.StartPairAsync(change: Trouble.Quick);
        for (int round = 0; round < 20; round++)
        {
            Task flush;
            using (await Trouble.FreezeAsync(right.Node))
            {
                await left.SendAsync("before");
                flush = left.FlushAsync();
                await Task.Delay(20);
                Assert.False(flush.IsCompleted);
            }
            await flush.WaitAsync(NodeRig.Patience);
        }
    }

    [Fact]
    public async Task A_handler_that_answers_every_message_does_not_hold_the_core_up_in_a_flush()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        Group group = null!;
        long answers = 0;
        byte[] answer = new byte[3_000];
        void Answer(in MessageRef message)
        {
            if (group.TrySend(
                answer.AsSpan(0, Interlocked.Increment(ref answers) % 2 == 0 ? 10 : 3_000)) != SendStatus.Accepted)
                answers--;
        }

        group = await node.JoinAsync("alone", new GroupOptions { OnMessage = Answer });
        await group.SendAsync("begin");
        Group other = await node.JoinAsync("other");
        for (int round = 0; round < 10; round++)
        {
            await node.FlushAsync().WaitAsync(NodeRig.Patience);
            await other.SendAsync($"{round}");
            Assert.Equal([$"{round}"], await NodeRig.ReadAsync(other, 1));
        }
        Assert.InRange(answers, 1, long.MaxValue);
    }

    [Fact]
    public async Task Threads_that_send_long_messages_at_full_speed_do_not_hold_the_core_up()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        Group alone = await node.JoinAsync("alone", new GroupOptions { BufferBeforeFirstRead = false });
        Group other = await node.JoinAsync("other");
        using var stop = new CancellationTokenSource();
        Task[] sending = [.. Enumerable.Range(0, 2).Select(_ => Task.Run(async () =>
        {
            while (!stop.IsCancellationRequested) await alone.SendAsync(new byte[3_000].AsMemory());
        }))];
        for (int round = 0; round < 10; round++)
        {
            await alone.FlushAsync().WaitAsync(NodeRig.Patience);
            await other.SendAsync($"{round}");
            Assert.Equal([$"{round}"], await NodeRig.ReadAsync(other, 1));
        }
        await stop.CancelAsync();
        await Task.WhenAll(sending).WaitAsync(NodeRig.Patience);
    }

    [Fact]
    public async Task What_was_sent_before_a_leave_arrives_before_the_leave_ends()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync();
        for (int round = 0; round < 20; round++)
        {
            for (int index = 0; index < 300; index++) await left.SendAsync($"{index}");
            await left.LeaveAsync().WaitAsync(NodeRig.Patience);
            Assert.Equal(
                Enumerable.Range(0, 300).Select(static index => $"{index}"), await NodeRig.ReadAsync(right, 300));
            left = await left.Node.JoinAsync("group", new GroupOptions { BufferBeforeFirstRead = false });
            await left.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        }
        Assert.Equal(0, left.Node.Core.Services.StageBlocks.Rented);
    }

    [Fact]
    public async Task Ten_thousand_groups_that_have_sent_keep_no_memory_for_it()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        IReadOnlyList<Group> groups = await node.JoinManyAsync(
            [.. Enumerable.Range(0, 10_000).Select(static index => $"g{index}")],
            new GroupOptions { BufferBeforeFirstRead = false });
        foreach (Group group in groups) await group.SendAsync("once");
        await node.FlushAsync().WaitAsync(NodeRig.Patience);
        await NodeRig.UntilAsync(() => node.Core.Services.StageBlocks.Rented == 0, "the blocks go back");
    }

    private static async Task SendAndCheckAsync(Group from, Group to)
    {
        const int threads = 3;
        const int each = 3_000;
        Task[] sending = [
            .. Enumerable.Range(0, threads).Select(thread => Task.Run(() => SendAsync(from, thread, each)))];
        int[] next = new int[threads];
        ulong last = 0;
        using var limit = new CancellationTokenSource(2 * NodeRig.Patience);
        await foreach (Message message in to.ReadAllAsync(limit.Token))
        {
            Assert.Equal(++last, message.Sequence);
            string[] words = message.GetString().TrimEnd().Split(' ');
            if (words.Length < 2) continue;
            int thread = int.Parse(words[0]);
            Assert.Equal(next[thread]++, int.Parse(words[1]));
            if (next.Sum() == threads * each) break;
        }
        await Task.WhenAll(sending).WaitAsync(NodeRig.Patience);
    }

    // Every call of one thread begins after the one before has admitted its message, which is when its order is fixed.
    private static async Task SendAsync(Group group, int thread, int count)
    {
        var random = new Random(thread);
        Task<DeliveryReport> confirmed = Task.FromResult(default(DeliveryReport)!);
        for (int index = 0; index < count; index++)
        {
            byte[] message = Encoding.UTF8.GetBytes($"{thread} {index}".PadRight(Lengths[random.Next(Lengths.Length)]));
            switch (random.Next(100))
            {
                case < 5:
                    confirmed = group.SendConfirmedAsync(message);
                    // What waits at the gate stands in line already.
                    break;
                case < 30:
                    while (group.TrySend(message) != SendStatus.Accepted) await group.WaitToSendAsync();
                    break;
                case < 31:
                    await group.FlushAsync();
                    index--;
                    break;
                default:
                    await group.SendAsync(message);
                    break;
            }
        }
        await confirmed;
    }

    private sealed class CountedFeed(int count) : IMessageFeed
    {
        private int _left = count;

        public bool TryWriteNext(System.Buffers.IBufferWriter<byte> message)
        {
            if (_left == 0) return false;
            _left--;
            System.Buffers.BuffersExtensions.Write(message, "fed"u8);
            return true;
        }
    }
}
