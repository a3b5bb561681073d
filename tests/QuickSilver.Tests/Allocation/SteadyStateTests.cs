using System.Buffers;
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

namespace QuickSilver.Tests.Allocation;

/// <summary>
/// A million messages between two nodes on real sockets, token rounds running, received inline: the whole process
/// allocates nothing per message. Counts are exact. What is allowed is <see cref="Allowance"/> for the run as a whole,
/// and <see cref="AllowanceOfASecond"/>: timers of the thread pool and statistics ten times a second. Pools and queues
/// grow when a larger backlog is met than ever before, which a hiccup of the machine can cause at any time: so the
/// least of up to thirty runs counts. What were allocated per message would show in each of them.
/// </summary>
[Collection(AllocationCollection.Name)]
public sealed class SteadyStateTests
{
    private const int Messages = 1_000_000;
    private const int Burst = 10_000;
    private const int WarmUp = 300_000;
    private const int MoreRuns = 29;
    private const int Size = 100;

    // A reader that the machine holds up is behind by a run at most.
    private const int Backlog = 2 * Messages;

    /// <summary>Bytes for a run of a million messages: an eighth of a byte each.</summary>
    private const long Allowance = Messages / 8;

    /// <summary>Bytes for each second that a run takes: timers and statistics.</summary>
    private const long AllowanceOfASecond = 32 << 10;

    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(2);
    private readonly ReadOnlyMemory<byte> _payload = new byte[Size];
    private long _received;

    [Fact]
    public Task SendAsync_allocates_nothing_per_message() => Measure(
        async (group, count) =>
        {
            for (int index = 0; index < count; index++)
            {
                await group.SendAsync(_payload);
                // Bounds the backlog, and with it the pools, without ever meeting a shut gate.
                if ((index + 1) % Burst == 0) await group.FlushAsync();
            }
        });

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public Task A_secured_cluster_allocates_nothing_per_message(bool isLent) => Measure(
        async (group, count) =>
        {
            for (int index = 0; index < count; index++) await group.SendAsync(_payload);
        },
        change: options =>
        {
            options.Security.Mode = SecurityMode.Auto;
            options.Transport.SharedMemory = isLent;
        });

    [Theory]
    [InlineData(OrderedLevel.Agreed)]
    [InlineData(OrderedLevel.Safe)]
    public Task An_ordered_group_allocates_nothing_per_message(OrderedLevel level) => Measure(
        async (group, count) =>
        {
            for (int index = 0; index < count; index++) await group.SendAsync(_payload);
        },
        mode: new OrderedMode { Level = level });

    [Fact]
    public Task A_message_to_two_ordered_groups_allocates_the_array_of_their_handles()
    {
        MessageSender[]? groups = null;
        return Measure(
            async (group, count) =>
            {
                var options = new PublisherOptions { Mode = new OrderedMode() };
                groups ??= [group, await group.Node.OpenPublisherAsync("empty", options)];
                for (int index = 0; index < count; index++) await group.Node.SendToGroupsAsync(groups, _payload);
            },
            mode: new OrderedMode(),
            each: 40);
    }

    [Fact]
    public Task SendAsync_against_a_full_gate_allocates_nothing_per_message() => Measure(
        async (group, count) =>
        {
            for (int index = 0; index < count; index++) await group.SendAsync(_payload);
        },
        pending: 500);

    [Fact]
    public Task TrySend_allocates_nothing_per_message() => Measure(
        async (group, count) =>
        {
            for (int index = 0; index < count;)
            {
                SendStatus status = group.TrySend(_payload.Span);
                if (status == SendStatus.Accepted) index++;
                else Assert.True(await group.WaitToSendAsync());
            }
        },
        pending: 2_000);

    [Fact]
    public Task A_feed_and_a_handler_of_runs_allocate_nothing_per_message()
    {
        var feed = new Feed();
        FeedRegistration? registration = null;
        var receiving = new GroupOptions
        {
            OnBatch = (in MessageBatch run) => Interlocked.Add(ref _received, run.Count)
        };
        return Measure(
            (group, count) =>
            {
                registration ??= group.RegisterFeed(feed);
                feed.Ready = count;
                registration.Signal();
                AwaitAll(() => feed.Ready == 0);
                return Task.CompletedTask;
            },
            receiving: receiving);
    }

    [Fact]
    public Task A_feed_that_names_its_delays_allocates_nothing_for_them()
    {
        var feed = new Feed { Pauses = true };
        return Measure(
            (group, count) =>
            {
                feed.Registration ??= group.RegisterFeed(feed);
                feed.Ready = count;
                feed.Registration.Signal();
                AwaitAll(() => feed.Ready == 0);
                return Task.CompletedTask;
            });
    }

    [Fact]
    public Task Leases_of_a_shared_inbox_allocate_nothing_per_message() => Measure(
        async (group, count) =>
        {
            for (int index = 0; index < count; index++)
            {
                await group.SendAsync(_payload);
                if ((index + 1) % Burst == 0) await group.FlushAsync();
            }
        },
        open: node =>
        {
            Inbox inbox = node.CreateInbox(new InboxOptions { MaxMessages = Backlog, MaxBytes = 1 << 30 });
            _ = Task.Run(() => ReadAsync(inbox));
            return new GroupOptions { Inbox = inbox, InboxMaxMessages = Backlog, InboxMaxBytes = 1 << 30 };
        });

    // Ends with the node.
    private async Task ReadAsync(Inbox inbox)
    {
        await foreach (MessageLease lease in inbox.ReadLeasedAsync())
        {
            lease.Dispose();
            Interlocked.Increment(ref _received);
        }
    }

    private async Task Measure(
        Func<Group, int, Task> send, int? pending = null, GroupOptions? receiving = null,
        Action<QuickSilverOptions>? change = null, Func<QuickSilverNode, GroupOptions>? open = null,
        OrderedMode? mode = null, long each = 0)
    {
        int port = FreePort();
        await using QuickSilverNode sender = await StartAsync(port, pending, change);
        await using QuickSilverNode receiver = await StartAsync(port, pending, change);
        var sending = new GroupOptions { SelfDelivery = false, BufferBeforeFirstRead = false };
        receiving ??= open?.Invoke(receiver)
            ?? new GroupOptions { OnMessage = (in MessageRef _) => Interlocked.Increment(ref _received) };
        if (mode is not null) sending.Mode = receiving.Mode = mode;
        await using Group to = await sender.JoinAsync("steady", sending);
        await using Group from = await receiver.JoinAsync("steady", receiving);
        await to.WaitForMembersAsync(2);

        await Run(to, send, WarmUp);
        long rounds = Rounds(sender) + Rounds(receiver);
        long allocated = await Allocated(to, send, Messages);
        for (int again = 0; again < MoreRuns && allocated > Allowance + (each * Messages); again++)
            allocated = Math.Min(allocated, await Allocated(to, send, Messages));

        Assert.True(
            allocated <= Allowance + (each * Messages),
            $"{allocated} bytes for {Messages} messages: {(double)allocated / Messages:F3} each");
        await Task.Delay(200);
        Assert.True(Rounds(sender) + Rounds(receiver) > rounds, "token rounds ran meanwhile");
    }

    private static long Rounds(QuickSilverNode node)
    {
        NodeStatistics now = node.GetStatistics();
        return now.TokenRounds + now.Ordered.TokenVisits;
    }

    // Beyond what time costs, which is more for a machine under load.
    private async Task<long> Allocated(Group to, Func<Group, int, Task> send, int count)
    {
        long start = Stopwatch.GetTimestamp();
        long before = GC.GetTotalAllocatedBytes(precise: true);
        await Run(to, send, count);
        long allocated = GC.GetTotalAllocatedBytes(precise: true) - before;
        return allocated - (long)(Stopwatch.GetElapsedTime(start).TotalSeconds * AllowanceOfASecond);
    }

    // By a thread that sleeps: a wait by a task allocates, the more the longer it takes.
    private static void AwaitAll(Func<bool> isDone)
    {
        long start = Stopwatch.GetTimestamp();
        while (!isDone())
        {
            Assert.True(Stopwatch.GetElapsedTime(start) < Patience, "not all have come");
            Thread.Sleep(10);
        }
    }

    private async Task Run(Group to, Func<Group, int, Task> send, int count)
    {
        long expected = Interlocked.Read(ref _received) + count;
        using var limit = new CancellationTokenSource(Patience);
        await send(to, count).WaitAsync(limit.Token);
        await to.FlushAsync(limit.Token);
        AwaitAll(() => Interlocked.Read(ref _received) >= expected);
    }

    private static Task<QuickSilverNode> StartAsync(
        int port, int? pending, Action<QuickSilverOptions>? change = null)
    {
        var options = new QuickSilverOptions { ClusterName = "steady" };
        options.Membership.Port = port;
        options.Security.UseNone();
        if (pending is { } limit) options.Pending.MaxMessagesPerRegion = limit;
        change?.Invoke(options);
        return QuickSilverNode.StartAsync(options);
    }

    private static int FreePort()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }

    /// <summary>So many messages, side by side where it may.</summary>
    private sealed class Feed : IMessageFeed
    {
        private const int MessagesToAPause = 64;

        private int _ready;
        private int _asked;

        public FeedRegistration? Registration { get; set; }

        public bool Pauses { get; init; }

        public int Ready
        {
            get => Volatile.Read(ref _ready);
            set => Volatile.Write(ref _ready, value);
        }

        public bool TryWriteNext(IBufferWriter<byte> message)
        {
            if (_ready == 0) return false;
            if (Pauses && ++_asked % MessagesToAPause == 0)
            {
                Registration!.SignalAfter(TimeSpan.FromMicroseconds(1));
                return false;
            }
            message.GetSpan(Size)[..Size].Clear();
            message.Advance(Size);
            Ready--;
            return true;
        }

        public int WriteBatch(Span<byte> room, int length)
        {
            if (length != Size || Pauses) return 0;
            int count = Math.Min(_ready, room.Length / length);
            room[..(count * length)].Clear();
            Ready -= count;
            return count;
        }
    }
}
