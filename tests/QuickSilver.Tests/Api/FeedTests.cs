using System.Buffers;
using System.Diagnostics;
using System.Text;

namespace QuickSilver.Tests.Api;

[Collection(NodeCollection.Name)]
public sealed class FeedTests
{
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
        Assert.Equal(
            ["first", .. Enumerable.Range(0, 500).Select(static index => $"{index}")],
            await NodeRig.ReadAsync(right, 501));
        feed.Ready = 502;
        registration.Signal();
        Assert.Equal(["500", "501"], await NodeRig.ReadAsync(right, 2));
        Assert.Equal(502, (await left.Node.GetTopGroupsAsync(1))[0].MessagesSent - 1);
    }

    [Fact]
    public async Task A_feed_that_names_its_delays_is_asked_by_the_cores_own_timer_and_never_early()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync();
        var feed = new PacedFeed(TimeSpan.FromMilliseconds(3), messages: 50);
        using FeedRegistration registration = feed.Registration = left.RegisterFeed(feed);
        registration.Signal();
        Assert.Equal(Enumerable.Range(0, 50).Select(static index => $"{index}"), await NodeRig.ReadAsync(right, 50));
        Assert.Equal(0, feed.AskedEarly);
        // Asked once for each message, and once after it, unless the timer was late for two: nothing else wakes it.
        Assert.InRange(feed.Calls, 51, 110);
    }

    [Fact]
    public async Task A_later_delay_takes_the_place_of_the_one_before_and_none_outlives_its_feed()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync();
        var feed = new CountingFeed { Ready = 1 };
        using FeedRegistration registration = left.RegisterFeed(feed);
        // The core hears of both at once: the first delay cannot pass before the second takes its place.
        using (await Trouble.FreezeAsync(left.Node))
        {
            registration.SignalAfter(TimeSpan.FromMilliseconds(30));
            registration.SignalAfter(TimeSpan.FromHours(1));
        }
        await left.SendConfirmedAsync("before");
        await Task.Delay(100);
        Assert.Equal(0, feed.Calls);
        registration.SignalAfter(TimeSpan.FromMilliseconds(1));
        Assert.Equal(["before", "0"], await NodeRig.ReadAsync(right, 2));

        feed.Ready = 2;
        registration.SignalAfter(TimeSpan.FromMilliseconds(-1));
        Assert.Equal(["1"], await NodeRig.ReadAsync(right, 1));
        await left.FlushAsync();
        int calls = feed.Calls;
        using (await Trouble.FreezeAsync(left.Node))
        {
            registration.SignalAfter(TimeSpan.FromMilliseconds(50));
            registration.Dispose();
            registration.SignalAfter(TimeSpan.FromMilliseconds(1));
        }
        await Task.Delay(100);
        await left.SendConfirmedAsync("after");
        Assert.Equal(calls, feed.Calls);
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

    private sealed class PacedFeed(TimeSpan pace, int messages) : IMessageFeed
    {
        private readonly long _start = Stopwatch.GetTimestamp();
        private int _next;
        private bool _waits;

        public FeedRegistration? Registration { get; set; }

        public int Calls { get; private set; }

        public int AskedEarly { get; private set; }

        public bool TryWriteNext(IBufferWriter<byte> message)
        {
            Calls++;
            if (_next == messages) return false;
            TimeSpan left = (pace * (_next + 1)) - Stopwatch.GetElapsedTime(_start);
            if (left > TimeSpan.Zero)
            {
                // Asked again before what it asked for: the timer's clock is coarser than the stopwatch by 100 ns.
                if (_waits && left > TimeSpan.FromMicroseconds(1)) AskedEarly++;
                _waits = true;
                Registration!.SignalAfter(left);
                return false;
            }
            _waits = false;
            message.Write(Encoding.UTF8.GetBytes($"{_next++}"));
            return true;
        }
    }
}
