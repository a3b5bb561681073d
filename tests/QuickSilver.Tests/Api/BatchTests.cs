using System.Buffers;
using System.Buffers.Binary;
using System.Collections.Concurrent;

namespace QuickSilver.Tests.Api;

/// <summary>Messages written and received in batches.</summary>
[Collection(NodeCollection.Name)]
public sealed class BatchTests
{
    private const int Size = 16;

    [Fact]
    public async Task What_a_feed_writes_side_by_side_arrives_in_order_and_in_runs()
    {
        var seen = new ConcurrentQueue<(long Number, int Length)>();
        int calls = 0;
        string? wrong = null;
        await using var rig = new NodeRig();
        var receiving = new GroupOptions
        {
            BufferBeforeFirstRead = false,
            OnBatch = (in MessageBatch batch) =>
            {
                calls++;
                ulong next = batch.FirstSequence;
                foreach (MessageRef message in batch)
                {
                    if (message.Sequence != next++ || message.Payload.Length != batch.Length
                        || message.Sender != batch.Sender) wrong ??= batch.ToString();
                    seen.Enqueue((BinaryPrimitives.ReadInt64LittleEndian(message.Payload), message.Payload.Length));
                }
                if (next != batch.FirstSequence + (ulong)batch.Count) wrong ??= batch.ToString();
            },
        };
        (Group left, Group right) = await rig.StartPairAsync(right: receiving);
        var feed = new BatchFeed { Ready = 3_000, LongerEvery = 500 };
        using FeedRegistration registration = left.RegisterFeed(feed);
        registration.Signal();
        await NodeRig.UntilAsync(() => seen.Count == 3_000, "all have come");

        Assert.Null(wrong);
        Assert.Equal(
            Enumerable.Range(0, 3_000).Select(static number => (long)number),
            seen.Select(static message => message.Number));
        Assert.Equal(
            seen.Select(static message => message.Number % 500 == 499 ? Size + 1 : Size),
            seen.Select(static message => message.Length));
        Assert.True(feed.WrittenInBatches > 2_000, $"{feed.WrittenInBatches} were written in batches");
        Assert.True(calls < 1_000, $"{calls} calls");
        Assert.Equal(3_000, (await left.Node.GetTopGroupsAsync(1))[0].MessagesSent);
        Assert.Equal(3_000, (await right.Node.GetTopGroupsAsync(1))[0].MessagesReceived);
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(int.MaxValue)]
    public async Task A_feed_that_claims_more_than_there_was_room_for_is_handled_as_if_it_had_thrown(int claim)
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync();
        var feed = new BatchFeed { Ready = 100, ClaimsOnce = claim };
        using FeedRegistration registration = left.RegisterFeed(feed);
        registration.Signal();
        await NodeRig.UntilAsync(() => left.Node.GetStatistics().HandlerErrors == 1, "the claim is counted");
        registration.Signal();
        using var limit = new CancellationTokenSource(NodeRig.Patience);
        long next = 0;
        await foreach (Message message in right.ReadAllAsync(limit.Token))
        {
            Assert.Equal(next, BinaryPrimitives.ReadInt64LittleEndian(message.Payload.Span));
            if (++next == 100) break;
        }
        Assert.Equal(1, left.Node.GetStatistics().HandlerErrors);
    }

    [Fact]
    public async Task Handlers_of_runs_and_of_messages_see_each_message_in_the_order_in_which_they_were_attached()
    {
        var seen = new List<(char Handler, ulong Sequence)>();
        await using var rig = new NodeRig();
        var receiving = new GroupOptions
        {
            OnMessage = (in MessageRef message) => seen.Add(('m', message.Sequence)),
            OnBatch = (in MessageBatch batch) => Note('b', batch),
        };
        (Group left, Group right) = await rig.StartPairAsync(right: receiving);
        using IDisposable last = right.Subscribe((in MessageBatch batch) => Note('l', batch));
        int count = 0;
        using IDisposable counting = right.Subscribe((in MessageRef _) => Interlocked.Increment(ref count));
        await SendAsync(left, 200);
        await NodeRig.UntilAsync(() => Volatile.Read(ref count) == 200, "all have come");
        Assert.Equal(
            Enumerable.Range(1, 200).SelectMany(static number => "mbl".Select(handler => (handler, (ulong)number))),
            seen);

        void Note(char handler, in MessageBatch batch)
        {
            foreach (MessageRef message in batch) seen.Add((handler, message.Sequence));
        }
    }

    [Fact]
    public async Task A_handler_that_throws_has_had_its_run_and_the_next_run_comes()
    {
        int calls = 0;
        int messages = 0;
        await using var rig = new NodeRig();
        var receiving = new GroupOptions
        {
            OnBatch = (in MessageBatch batch) =>
            {
                calls++;
                messages += batch.Count;
                throw new InvalidOperationException("the handler's own");
            },
        };
        (Group left, Group right) = await rig.StartPairAsync(right: receiving);
        await SendAsync(left, 500);
        await NodeRig.UntilAsync(() => Volatile.Read(ref messages) == 500, "all have come");
        await NodeRig.UntilAsync(() => right.Node.GetStatistics().HandlerErrors == calls, "each call is counted");
        Assert.True(calls < 500, $"{calls} calls");
    }

    [Fact]
    public async Task A_handler_takes_itself_out_in_the_middle_of_a_run()
    {
        var first = new List<ulong>();
        var second = new List<ulong>();
        int batches = 0;
        IDisposable? other = null;
        IDisposable? registration = null;
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(right: new GroupOptions { BufferBeforeFirstRead = false });
        registration = right.Subscribe((in MessageRef message) =>
        {
            first.Add(message.Sequence);
            if (first.Count != 20) return;
            other = message.Group!.Subscribe((in MessageBatch batch) =>
            {
                batches++;
                foreach (MessageRef each in batch) second.Add(each.Sequence);
                if (second.Count > 40) other!.Dispose();
            });
            registration!.Dispose();
        });
        await SendAsync(left, 300);
        await NodeRig.UntilAsync(() => Volatile.Read(ref batches) > 0, "the other is called");
        await left.FlushAsync();

        Assert.Equal(Enumerable.Range(1, 20).Select(static number => (ulong)number), first);
        Assert.Equal(Enumerable.Range(21, second.Count).Select(static number => (ulong)number), second);
    }

    [Fact]
    public async Task A_run_says_what_it_is_and_refuses_an_index_that_it_has_not()
    {
        string? text = null;
        Exception? refused = null;
        int refusals = 0;
        await using var rig = new NodeRig();
        var receiving = new GroupOptions
        {
            OnBatch = (in MessageBatch batch) =>
            {
                foreach (int index in new[] { -1, batch.Count })
                {
                    try
                    {
                        _ = batch[index];
                    }
                    catch (ArgumentOutOfRangeException fault)
                    {
                        refused = fault;
                        refusals++;
                    }
                }
                text = batch.ToString();
            },
        };
        (Group left, _) = await rig.StartPairAsync("greetings", right: receiving);
        await left.SendAsync("hello");
        await NodeRig.UntilAsync(() => Volatile.Read(ref text) is not null, "it has come");
        Assert.Equal($"greetings 1 to 1 of {left.Node.Name}, 5 bytes each", text);
        Assert.Equal(2, refusals);
        Assert.Equal("index", ((ArgumentOutOfRangeException)refused!).ParamName);
    }

    [Fact]
    public async Task A_handler_of_runs_gets_what_was_held()
    {
        var seen = new ConcurrentQueue<string>();
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync();
        for (int index = 0; index < 50; index++) await left.SendAsync($"{index}");
        await left.FlushAsync();
        using IDisposable registration = right.Subscribe((in MessageBatch batch) =>
        {
            foreach (MessageRef message in batch) seen.Enqueue(message.GetString());
        });
        await left.SendAsync("50");
        await NodeRig.UntilAsync(() => seen.Count == 51, "all are seen");
        Assert.Equal(Enumerable.Range(0, 51).Select(static index => $"{index}"), seen);
    }

    // By a feed, so that they lie side by side.
    private static async Task SendAsync(Group group, int count)
    {
        var feed = new BatchFeed { Ready = count };
        using FeedRegistration registration = group.RegisterFeed(feed);
        registration.Signal();
        await NodeRig.UntilAsync(() => feed.Ready == 0, "all are written");
    }

    /// <summary>Numbered messages of sixteen bytes, now and then one that is longer.</summary>
    private sealed class BatchFeed : IMessageFeed
    {
        private long _next;
        private int _ready;

        public int Ready
        {
            get => Volatile.Read(ref _ready);
            set => Volatile.Write(ref _ready, value);
        }

        public int LongerEvery { get; init; } = int.MaxValue;

        public int ClaimsOnce { get; set; }

        public int WrittenInBatches { get; private set; }

        public bool TryWriteNext(IBufferWriter<byte> message)
        {
            if (Ready == 0) return false;
            int length = NextLength;
            Write(message.GetSpan(length)[..length]);
            message.Advance(length);
            return true;
        }

        public int WriteBatch(Span<byte> room, int length)
        {
            Assert.True(
                room.Length >= length && room.Length % length == 0,
                $"{room.Length} bytes of room for messages of {length}");
            if (ClaimsOnce != 0)
            {
                int claim = ClaimsOnce;
                ClaimsOnce = 0;
                return claim;
            }
            int written = 0;
            for (; Ready > 0 && NextLength == length && !room.IsEmpty; written++)
            {
                Write(room[..length]);
                room = room[length..];
            }
            WrittenInBatches += written;
            return written;
        }

        private int NextLength => _next % LongerEvery == LongerEvery - 1 ? Size + 1 : Size;

        private void Write(Span<byte> message)
        {
            BinaryPrimitives.WriteInt64LittleEndian(message, _next++);
            Ready--;
        }
    }
}
