using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;
using System.Text;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Testing;

namespace QuickSilver.Tests.Api;

/// <summary>Long messages over sockets: whole, or ended with an error, at every member.</summary>
[Collection(NodeCollection.Name)]
public sealed class LongMessageTests
{
    private static readonly GroupOptions Keeping = new() { KeepLongMessages = true };

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
    public async Task A_writer_that_is_completed_with_an_exception_fails_its_readers()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(right: Keeping);
        PipeWriter writer = left.OpenWriter();
        await writer.WriteAsync(Content(100_000));
        await writer.CompleteAsync(new IOException("the disk is full"));
        LongMessage message = await NextAsync(right);
        QuickSilverException end = await Assert.ThrowsAsync<QuickSilverException>(() => ReadToEndAsync(message.Body));
        Assert.Equal(ErrorCode.LongMessageGivenUp, end.Code);
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await writer.FlushAsync());
        // The failure stays: a reader that tries again sees no short success.
        Assert.Same(end, await Assert.ThrowsAsync<QuickSilverException>(async () => await message.Body.ReadAsync()));
    }

    [Fact]
    public async Task A_writer_that_has_sent_nothing_is_given_up_in_silence()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(right: Keeping);
        PipeWriter writer = left.OpenWriter();
        writer.Write("unsent"u8);
        writer.Complete(new IOException());
        await left.OpenWriter().CompleteAsync();
        Assert.Equal(1UL, (await NextAsync(right)).Sequence);
    }

    [Fact]
    public async Task A_long_message_beyond_the_limit_is_refused_where_it_is_sent_and_none_is_lost()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(right: Keeping);
        GroupPublisher publisher = await left.Node.OpenPublisherAsync("group");
        var open = new List<PipeWriter>();
        foreach (MessageSender sender in new MessageSender[] { left, publisher })
        {
            for (int number = 0; number < LongMessages.MaxOpenPerHandle; number++)
            {
                open.Add(sender.OpenWriter());
                await open[^1].WriteAsync(Content(10));
            }
            PipeWriter beyond = sender.OpenWriter();
            QuickSilverException told = await Assert.ThrowsAsync<QuickSilverException>(
                async () => await beyond.WriteAsync(Content(10)));
            Assert.Equal(ErrorCode.TooManyLongMessages, told.Code);
            await open[^1].CompleteAsync();
            open.RemoveAt(open.Count - 1);
            // What was refused is sent once there is room.
            await beyond.WriteAsync(Content(10));
            open.Add(beyond);
        }
        foreach (PipeWriter writer in open) await writer.CompleteAsync();
        await left.FlushAsync();
        for (int number = 0; number < (2 * LongMessages.MaxOpenPerHandle) + 2; number++)
            Assert.Equal(Content(10), await ReadToEndAsync((await NextAsync(right)).Body));
    }

    [Fact]
    public async Task A_completion_that_fails_gives_the_message_up()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(right: Keeping);
        PipeWriter writer = left.OpenWriter();
        await writer.WriteAsync(Content(100));
        var thrown = new TaskCompletionSource<Exception?>(TaskCreationOptions.RunContinuationsAsynchronously);
        Group own = await left.Node.JoinAsync("own");
        using IDisposable handler = own.Subscribe((in MessageRef _) =>
        {
            // More than may be unsent, on the thread that would have to send it.
            writer.Write(new byte[64 << 20]);
            ValueTask completion = writer.CompleteAsync();
            thrown.TrySetResult(Record.Exception(() => completion.GetAwaiter().GetResult()));
        });
        await own.SendAsync("now");
        Assert.IsType<InvalidOperationException>(await thrown.Task.WaitAsync(NodeRig.Patience));
        LongMessage message = await NextAsync(right);
        QuickSilverException error = await Assert.ThrowsAsync<QuickSilverException>(
            () => ReadToEndAsync(message.Body).WaitAsync(NodeRig.Patience));
        Assert.Equal(ErrorCode.LongMessageGivenUp, error.Code);
    }

    [Fact]
    public async Task What_was_read_to_its_end_is_not_kept_though_nobody_completed_it()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(right: Keeping);
        WeakReference body = await ReadWithoutCompletingAsync(left, right);
        await NodeRig.UntilAsync(
            () =>
            {
                GC.Collect();
                return !body.IsAlive;
            },
            "the body is collected");
        Assert.False(right.Completion.IsCompleted);
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
        var small = new GroupOptions { KeepLongMessages = true, LongMessageMaxUnreadBytes = 100_000 };
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
        var small = new GroupOptions { KeepLongMessages = true, LongMessageMaxUnreadBytes = 100_000 };
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
    public async Task A_sender_that_dies_ends_its_message_with_an_error()
    {
        await using var rig = new NodeRig();
        await rig.StartAsync(Trouble.Quick);
        QuickSilverNode sender = await rig.StartAsync(Trouble.Quick);
        Group left = await sender.JoinAsync("group");
        Group right = await (await rig.StartAsync(Trouble.Quick)).JoinAsync("group", Keeping);
        await left.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        PipeWriter writer = left.OpenWriter();
        await writer.WriteAsync(Content(100_000));
        LongMessage message = await NextAsync(right);
        Task<byte[]> reading = ReadToEndAsync(message.Body);
        await left.FlushAsync();
        await Trouble.CrashAsync(sender);
        QuickSilverException end = await Assert.ThrowsAsync<QuickSilverException>(
            () => reading.WaitAsync(NodeRig.Patience));
        Assert.Equal(ErrorCode.LongMessageIncomplete, end.Code);
        await Assert.ThrowsAnyAsync<QuickSilverException>(async () => await writer.CompleteAsync());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_sender_that_leaves_gives_up_what_it_has_not_completed(bool staysWithAnotherHandle)
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(right: Keeping);
        Group? second = staysWithAnotherHandle ? await left.Node.JoinAsync("group") : null;
        PipeWriter writer = left.OpenWriter();
        await writer.WriteAsync(Content(100_000));
        LongMessage message = await NextAsync(right);
        await left.LeaveAsync().WaitAsync(NodeRig.Patience);
        QuickSilverException end = await Assert.ThrowsAsync<QuickSilverException>(() => ReadToEndAsync(message.Body));
        Assert.Equal(ErrorCode.LongMessageGivenUp, end.Code);
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await writer.WriteAsync(Content(1)));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await writer.CompleteAsync());
        Assert.Throws<ObjectDisposedException>(left.OpenWriter);
        if (second is not null) Assert.Equal(2, (await second.SendConfirmedAsync("still here")).Confirmed);
    }

    [Fact]
    public async Task A_receiver_that_leaves_ends_its_readers()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(right: Keeping);
        await left.OpenWriter().CompleteAsync();
        PipeWriter writer = left.OpenWriter();
        await writer.WriteAsync(Content(100_000));
        LongMessage complete = await NextAsync(right);
        LongMessage message = await NextAsync(right);
        await right.LeaveAsync().WaitAsync(NodeRig.Patience);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => ReadToEndAsync(message.Body));
        Assert.Empty(await ReadToEndAsync(complete.Body));
        Assert.Throws<ObjectDisposedException>(() => right.ReadLongMessagesAsync());
        await writer.CompleteAsync();
    }

    [Fact]
    public async Task A_member_that_joins_within_a_long_message_sees_nothing_of_it()
    {
        await using var rig = new NodeRig();
        (Group left, _) = await rig.StartPairAsync();
        PipeWriter writer = left.OpenWriter();
        await writer.WriteAsync(Content(100_000));
        Group late = await (await rig.StartAsync()).JoinAsync("group", Keeping);
        await left.WaitForMembersAsync(3).WaitAsync(NodeRig.Patience);
        await writer.WriteAsync(Content(100_000));
        await writer.CompleteAsync();
        PipeWriter next = left.OpenWriter();
        await next.WriteAsync("next"u8.ToArray());
        await next.CompleteAsync();
        Assert.Equal("next", Encoding.ASCII.GetString(await ReadToEndAsync((await NextAsync(late)).Body)));
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
                "group", new GroupOptions { KeepLongMessages = true, SelfDelivery = false });
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

    private static byte[] Content(int length, int seed = 7)
    {
        var bytes = new byte[length];
        new Random(seed).NextBytes(bytes);
        bytes[0] = (byte)seed;
        return bytes;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<WeakReference> ReadWithoutCompletingAsync(Group left, Group right)
    {
        PipeWriter writer = left.OpenWriter();
        await writer.WriteAsync(Content(100_000));
        await writer.CompleteAsync();
        LongMessage message = await NextAsync(right);
        using var copy = new MemoryStream();
        await message.Body.CopyToAsync(copy);
        Assert.Equal(100_000, copy.Length);
        return new WeakReference(message.Body);
    }

    private static async Task<LongMessage> NextAsync(Group group)
    {
        using var limit = new CancellationTokenSource(NodeRig.Patience);
        await foreach (LongMessage message in group.ReadLongMessagesAsync(limit.Token)) return message;
        throw new InvalidOperationException("there is none");
    }

    private static async Task<byte[]> ReadToEndAsync(PipeReader reader)
    {
        using var limit = new CancellationTokenSource(NodeRig.Patience);
        while (true)
        {
            ReadResult result = await reader.ReadAsync(limit.Token);
            if (!result.IsCompleted)
            {
                reader.AdvanceTo(result.Buffer.Start, result.Buffer.End);
                continue;
            }
            byte[] all = result.Buffer.ToArray();
            reader.AdvanceTo(result.Buffer.End);
            await reader.CompleteAsync();
            return all;
        }
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
