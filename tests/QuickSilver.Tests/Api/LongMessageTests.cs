using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
using System.Security.Cryptography;
using System.Text;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Testing;
using static QuickSilver.Tests.Api.LongMessageReading;

namespace QuickSilver.Tests.Api;

/// <summary>Long messages over sockets: whole at every member, in order, in bounded memory.</summary>
[Collection(NodeCollection.Name)]
public sealed class LongMessageTests
{
    [Fact]
    public async Task A_long_message_arrives_whole_at_every_member_the_sender_included()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(left: Keeping, right: Keeping);
        byte[] content = Content(1_000_000);
        PipeWriter writer = left.OpenWriter();
        await writer.WriteAsync(content.AsMemory(0, 300_001));
        content.AsSpan(300_001, 50).CopyTo(writer.GetSpan(50));
        writer.Advance(50);
        Assert.Equal(50, writer.UnflushedBytes);
        await writer.WriteAsync(content.AsMemory(300_051));
        await writer.CompleteAsync();
        LongMessage own = await NextAsync(left);
        LongMessage other = await NextAsync(right);
        Assert.Equal(left.Node.Id, other.Sender);
        Assert.Equal(("group", 1UL), (other.GroupName, other.Sequence));
        Assert.Equal($"group 1 of {left.Node.Name}, a long message", other.ToString());
        Assert.Equal(content, await ReadToEndAsync(own.Body));
        Assert.Equal(content, await ReadToEndAsync(other.Body));
    }

    [Fact]
    public async Task A_publisher_writes_long_messages_though_it_is_in_no_view()
    {
        await using var rig = new NodeRig();
        (Group member, Group other) = await rig.StartPairAsync(left: Keeping);
        GroupPublisher publisher = await other.Node.OpenPublisherAsync("group");
        await other.LeaveAsync();
        byte[] content = Content(200_000);
        PipeWriter whole = publisher.OpenWriter();
        await whole.WriteAsync(content.AsMemory(0, 100_000));
        QuickSilverNode third = await rig.StartAsync();
        await third.JoinAsync("group");
        await whole.WriteAsync(content.AsMemory(100_000));
        await whole.CompleteAsync();
        Assert.Equal(content, await ReadToEndAsync((await NextAsync(member)).Body));
        PipeWriter open = publisher.OpenWriter();
        await open.WriteAsync(content);
        LongMessage cut = await NextAsync(member);
        await publisher.CloseAsync();
        QuickSilverException error = await Assert.ThrowsAsync<QuickSilverException>(() => ReadToEndAsync(cut.Body));
        Assert.Equal(ErrorCode.LongMessageGivenUp, error.Code);
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await open.CompleteAsync());
    }

    [Fact]
    public async Task A_long_message_may_be_empty()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(right: Keeping);
        await left.OpenWriter().CompleteAsync();
        Assert.Empty(await ReadToEndAsync((await NextAsync(right)).Body));
    }

    [Fact]
    public async Task Many_long_messages_mingle_with_others_of_their_sender_and_all_keep_their_order()
    {
        const int Count = 20;
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(right: Keeping);
        Task<List<string>> reading = NodeRig.ReadAsync(right, Count * 10);
        await Task.WhenAll(Enumerable.Range(0, Count).Select(async number =>
        {
            PipeWriter writer = left.OpenWriter();
            for (int part = 0; part < 10; part++)
            {
                await writer.WriteAsync(Content(10_000, number));
                await left.SendAsync($"{number} {part}");
            }
            await writer.CompleteAsync();
        }));
        var seen = new HashSet<int>();
        for (int index = 0; index < Count; index++)
        {
            byte[] read = await ReadToEndAsync((await NextAsync(right)).Body);
            Assert.Equal(100_000, read.Length);
            Assert.True(seen.Add(read[0]));
            for (int part = 0; part < 10; part++)
                Assert.Equal(Content(10_000, read[0]), read[(part * 10_000)..((part + 1) * 10_000)]);
        }
        Dictionary<string, int> next = [];
        foreach (string[] text in (await reading).Select(static text => text.Split(' ')))
        {
            Assert.Equal(next.GetValueOrDefault(text[0]).ToString(), text[1]);
            next[text[0]] = next.GetValueOrDefault(text[0]) + 1;
        }
    }

    [Fact]
    public async Task A_cancelled_flush_loses_nothing()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(
            right: Keeping,
            change: static options =>
            {
                Trouble.Patient(options);
                options.Transport.Kind = TransportKind.Unicast;
                options.Pending.MaxBytesPerRegion = 64 << 10;
            });
        byte[] content = Content(2_000_000);
        PipeWriter writer = left.OpenWriter();
        using (await Trouble.FreezeAsync(right.Node))
        {
            Task<FlushResult> flush = writer.WriteAsync(content).AsTask();
            await NodeRig.UntilAsync(() => left.TrySend([]) == SendStatus.Backpressured, "the limits are reached");
            Assert.False(flush.IsCompleted);
            writer.CancelPendingFlush();
            Assert.True((await flush.WaitAsync(NodeRig.Patience)).IsCanceled);
            using var cancellation = new CancellationTokenSource();
            Task<FlushResult> second = writer.FlushAsync(cancellation.Token).AsTask();
            Assert.False(second.IsCompleted);
            await cancellation.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => second.WaitAsync(NodeRig.Patience));
        }
        await writer.CompleteAsync().AsTask().WaitAsync(NodeRig.Patience);
        Assert.Equal(content, await ReadToEndAsync((await NextAsync(right)).Body));
    }

    [Fact]
    public async Task A_reader_that_stops_fails_alone()
    {
        await using var rig = new NodeRig();
        var small = new GroupOptions
        {
            Mode = new ReliableMode { KeepLongMessages = true, LongMessageMaxUnreadBytes = 100_000 },
        };
        (Group left, Group right) = await rig.StartPairAsync(left: Keeping, right: small);
        byte[] content = Content(3_000_000);
        Task<byte[]> reading = Task.Run(async () => await ReadToEndAsync((await NextAsync(left)).Body));
        PipeWriter writer = left.OpenWriter();
        await writer.WriteAsync(content);
        await writer.CompleteAsync();
        Assert.Equal(content, await reading);
        LongMessage stopped = await NextAsync(right);
        SlowConsumerException end = await Assert.ThrowsAsync<SlowConsumerException>(
            () => ReadToEndAsync(stopped.Body));
        Assert.Equal((ErrorCode.SlowConsumer, "group"), (end.Code, end.GroupName));
        await NodeRig.UntilAsync(() => right.Node.GetStatistics().MessagesDropped == 1, "the message is counted");
        // The handle goes on.
        await left.OpenWriter().CompleteAsync();
        Assert.Empty(await ReadToEndAsync((await NextAsync(right)).Body));
    }

    [Fact]
    public async Task Of_all_unread_long_messages_of_a_node_the_largest_gives_way()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(
            right: Keeping,
            change: static options =>
            {
                options.Delivery.InboxMaxBytesPerNode = 1_000_000;
                options.Delivery.LongMessageMaxUnreadBytes = 2_000_000;
            });
        PipeWriter small = left.OpenWriter();
        await small.WriteAsync(Content(300_000));
        PipeWriter large = left.OpenWriter();
        await large.WriteAsync(Content(900_000));
        await small.WriteAsync(Content(100_000));
        await small.CompleteAsync();
        await large.CompleteAsync();
        Assert.Equal(400_000, (await ReadToEndAsync((await NextAsync(right)).Body)).Length);
        LongMessage failed = await NextAsync(right);
        await Assert.ThrowsAsync<SlowConsumerException>(() => ReadToEndAsync(failed.Body));
    }

    [Fact]
    public async Task A_reader_that_has_enough_completes_and_holds_up_nothing()
    {
        await using var rig = new NodeRig();
        var small = new GroupOptions
        {
            Mode = new ReliableMode { KeepLongMessages = true, LongMessageMaxUnreadBytes = 100_000 },
        };
        (Group left, Group right) = await rig.StartPairAsync(right: small);
        PipeWriter writer = left.OpenWriter();
        await writer.WriteAsync(Content(50_000));
        LongMessage message = await NextAsync(right);
        ReadResult result = await message.Body.ReadAtLeastAsync(10);
        message.Body.AdvanceTo(result.Buffer.GetPosition(10));
        await message.Body.CompleteAsync();
        await writer.WriteAsync(Content(1_000_000));
        await writer.CompleteAsync();
        await left.FlushAsync();
        await left.OpenWriter().CompleteAsync();
        Assert.Empty(await ReadToEndAsync((await NextAsync(right)).Body));
        Assert.Equal(0, right.Node.GetStatistics().MessagesDropped);
    }

    [Fact]
    public async Task Where_nobody_reads_long_messages_they_are_dropped_and_counted()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(
            left: new GroupOptions { SelfDelivery = false },
            right: new GroupOptions { BufferBeforeFirstRead = false });
        var reported = new TaskCompletionSource<LossReported>();
        right.Node.Events += (_, happened) =>
        {
            if (happened is LossReported loss) reported.TrySetResult(loss);
        };
        PipeWriter writer = left.OpenWriter();
        await writer.WriteAsync(Content(100_000));
        await writer.CompleteAsync();
        LossReported report = await reported.Task.WaitAsync(NodeRig.Patience);
        Assert.Equal(("group", LossReason.Unread), (report.GroupName, report.Reason));
        await NodeRig.UntilAsync(() => right.Node.GetStatistics().MessagesDropped == 1, "one message is dropped");
        Assert.Equal(0, left.Node.GetStatistics().MessagesDropped);
        using var stop = new CancellationTokenSource();
        IAsyncEnumerable<LongMessage> reading = right.ReadLongMessagesAsync(stop.Token);
        await left.OpenWriter().CompleteAsync();
        await foreach (LongMessage message in reading)
        {
            Assert.Empty(await ReadToEndAsync(message.Body));
            break;
        }
    }

    [Fact]
    public async Task Three_receivers_under_loss_get_all_of_a_large_payload_in_little_memory()
    {
        // QUICKSILVER_LONG_MEGABYTES says how much, for measurements by hand.
        string? asked = Environment.GetEnvironmentVariable("QUICKSILVER_LONG_MEGABYTES");
        long megabytes = asked is null ? 64 : long.Parse(asked);
        await using var rig = new NodeRig();
        var groups = new Group[4];
        for (int index = 0; index < groups.Length; index++)
        {
            QuickSilverNode node = await rig.StartAsync(options =>
            {
                Trouble.Patient(options);
                options.UseFaults(0.01, (ulong)index);
            });
            groups[index] = await node.JoinAsync(
                "group", new GroupOptions { Mode = LongMessageReading.Keeping.Mode, SelfDelivery = false });
        }
        foreach (Group group in groups) await group.WaitForMembersAsync(groups.Length).WaitAsync(NodeRig.Patience);
        using var memory = new MemoryPeak();
        Task<(long Length, string Hash)>[] readings =
            [.. groups[1..].Select(group => Task.Run(async () => await HashAsync((await NextAsync(group)).Body)))];
        byte[] block = new byte[1 << 20];
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        PipeWriter writer = groups[0].OpenWriter();
        for (int index = 0; index < megabytes; index++)
        {
            new Random(index).NextBytes(block);
            hash.AppendData(block);
            await writer.WriteAsync(block);
        }
        await writer.CompleteAsync();
        string sent = Convert.ToHexString(hash.GetHashAndReset());
        foreach (Task<(long Length, string Hash)> reading in readings)
            Assert.Equal((megabytes << 20, sent), await reading);
        TestContext.Current.TestOutputHelper?.WriteLine($"{memory.Bytes >> 20} MB more, {memory.Elapsed}");
        // Four ends in one process: a sender and three readers.
        Assert.InRange(memory.Bytes, 0, 4 * (64L << 20));
    }

    private static async Task<(long Length, string Hash)> HashAsync(PipeReader reader)
    {
        long length = 0;
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        while (true)
        {
            ReadResult result = await reader.ReadAsync();
            foreach (ReadOnlyMemory<byte> piece in result.Buffer) hash.AppendData(piece.Span);
            length += result.Buffer.Length;
            reader.AdvanceTo(result.Buffer.End);
            if (!result.IsCompleted) continue;
            await reader.CompleteAsync();
            return (length, Convert.ToHexString(hash.GetHashAndReset()));
        }
    }

    /// <summary>How much the process grows, at its peak.</summary>
    private sealed class MemoryPeak : IDisposable
    {
        private readonly long _before = Environment.WorkingSet;
        private readonly Stopwatch _watch = Stopwatch.StartNew();
        private readonly Timer _timer;
        private long _peak;

        public MemoryPeak() => _timer = new Timer(
            _ => _peak = Math.Max(_peak, Environment.WorkingSet), null, TimeSpan.Zero, TimeSpan.FromMilliseconds(20));

        public long Bytes => Math.Max(0, _peak - _before);

        public TimeSpan Elapsed => _watch.Elapsed;

        public void Dispose() => _timer.Dispose();
    }
}
