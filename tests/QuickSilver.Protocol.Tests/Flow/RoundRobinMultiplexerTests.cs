using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Flow;

public sealed class RoundRobinMultiplexerTests
{
    private readonly SinkStub _parent = new();

    [Fact]
    public void RegisteringAsksNothingAndRegistersOnceWithTheParent()
    {
        RoundRobinMultiplexer multiplexer = Multiplexer();
        FeedStub one = Feed(multiplexer, 1, ready: 5);
        Feed(multiplexer, 2, ready: 5);
        multiplexer.Register(one, PriorityClass.Data);

        Assert.Equal([(multiplexer, PriorityClass.Repair)], _parent.Registered);
        Assert.Equal(0, one.Asked);
        Assert.Equal(2, multiplexer.Count);
    }

    [Fact]
    public void ChildrenAreAskedInTurn()
    {
        RoundRobinMultiplexer multiplexer = Multiplexer();
        Feed(multiplexer, 1, ready: 2);
        Feed(multiplexer, 2, ready: 4);
        Feed(multiplexer, 3, ready: 2);

        Assert.Equal([1, 2, 3, 1, 2, 3, 2, 2], PullAll(multiplexer));
    }

    [Fact]
    public void EachChildHasItsQuotaBeforeTheNextIsAsked()
    {
        RoundRobinMultiplexer multiplexer = Multiplexer(quota: 3);
        Feed(multiplexer, 1, ready: 5);
        Feed(multiplexer, 2, ready: 4);

        Assert.Equal([1, 1, 1, 2, 2, 2, 1, 1, 2], PullAll(multiplexer));
    }

    [Fact]
    public void AChildThatHasNothingIsAskedOnceAndDropped()
    {
        RoundRobinMultiplexer multiplexer = Multiplexer();
        FeedStub empty = Feed(multiplexer, 1, ready: 0);
        Feed(multiplexer, 2, ready: 10);

        for (int pull = 0; pull < 5; pull++) Assert.True(multiplexer.TryPull(default, out _));

        Assert.Equal(1, empty.Asked);
        Assert.Equal(1, multiplexer.Count);
    }

    [Fact]
    public void ADroppedChildComesBackByRegistering()
    {
        RoundRobinMultiplexer multiplexer = Multiplexer();
        FeedStub child = Feed(multiplexer, 1, ready: 1);
        Assert.Equal([1], PullAll(multiplexer));

        child.Ready = 1;
        Assert.False(multiplexer.TryPull(default, out _));
        multiplexer.Register(child, PriorityClass.Data);

        Assert.Equal(2, _parent.Registered.Count);
        Assert.Equal([1], PullAll(multiplexer));
    }

    [Fact]
    public void RegisteringWhileBeingAskedIsNotLost()
    {
        RoundRobinMultiplexer multiplexer = Multiplexer();
        FeedStub child = Feed(multiplexer, 1, ready: 0);
        child.OnAsked = () => multiplexer.Register(child, PriorityClass.Data);

        // Asked once, not for ever, and registered again above so that it is asked later.
        Assert.False(multiplexer.TryPull(default, out _));
        Assert.Equal(1, child.Asked);
        Assert.Equal(1, multiplexer.Count);
        Assert.Equal(2, _parent.Registered.Count);
    }

    [Fact]
    public void AChildMayRegisterAnotherWhileItIsAsked()
    {
        RoundRobinMultiplexer multiplexer = Multiplexer();
        var other = new FeedStub(2, ready: 1);
        FeedStub child = Feed(multiplexer, 1, ready: 0);
        child.OnAsked = () => multiplexer.Register(other, PriorityClass.Data);

        Assert.Equal([2], PullUntil(multiplexer, 1));
    }

    [Fact]
    public void MultiplexersNest()
    {
        var roots = new PriorityMultiplexer();
        var outer = new RoundRobinMultiplexer(roots, PriorityClass.Data);
        var left = new RoundRobinMultiplexer(outer, PriorityClass.Data);
        var right = new RoundRobinMultiplexer(outer, PriorityClass.Data);
        Feed(left, 1, ready: 2);
        Feed(left, 2, ready: 2);
        Feed(right, 3, ready: 4);

        var order = new List<int>();
        while (roots.TryPull(PriorityClass.Data, default, out Train train, out _)) order.Add(train.To.Port);

        Assert.Equal([1, 3, 2, 3, 1, 3, 2, 3], order);
        Assert.False(roots.HasWork);
    }

    [Fact]
    public void EveryTrainIsPulledExactlyOnceUnderRandomUse()
    {
        for (ulong seed = 1; seed <= 50; seed++)
        {
            var random = new SeededRandom(seed);
            var roots = new PriorityMultiplexer();
            var multiplexer = new RoundRobinMultiplexer(roots, PriorityClass.Data, quota: 1 + (int)random.NextBelow(3));
            var feeds = new FeedStub[5];
            for (int index = 0; index < feeds.Length; index++) feeds[index] = new FeedStub(index);
            int given = 0, pulled = 0;
            for (int step = 0; step < 1000; step++)
            {
                FeedStub feed = feeds[random.NextBelow(5)];
                if (random.NextBelow(3) == 0)
                {
                    feed.Ready++;
                    given++;
                    multiplexer.Register(feed, PriorityClass.Data);
                }
                else if (roots.TryPull(PriorityClass.Data, default, out _, out _))
                {
                    pulled++;
                }
                Assert.True(given - pulled == feeds.Sum(each => each.Ready), $"seed {seed} step {step}: trains");
                Assert.True(given == pulled || roots.HasWork, $"seed {seed} step {step}: a feed with trains was forgotten");
            }
        }
    }

    [Fact]
    public void PullingAllocatesNothing()
    {
        var roots = new PriorityMultiplexer();
        var multiplexer = new RoundRobinMultiplexer(roots, PriorityClass.Data);
        FeedStub[] feeds = [new(1), new(2), new(3)];
        for (int round = 0; round < 3; round++) Exercise(roots, multiplexer, feeds);

        long before = GC.GetAllocatedBytesForCurrentThread();
        Exercise(roots, multiplexer, feeds);

        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
    }

    private static void Exercise(PriorityMultiplexer roots, RoundRobinMultiplexer multiplexer, FeedStub[] feeds)
    {
        foreach (FeedStub feed in feeds)
        {
            feed.Ready = 4;
            multiplexer.Register(feed, PriorityClass.Data);
        }
        while (roots.TryPull(PriorityClass.Data, default, out _, out _))
        {
        }
    }

    private static FeedStub Feed(ISink sink, int id, int ready)
    {
        var feed = new FeedStub(id, ready);
        sink.Register(feed, PriorityClass.Data);
        return feed;
    }

    private static List<int> PullAll(RoundRobinMultiplexer multiplexer) => PullUntil(multiplexer, int.MaxValue);

    private static List<int> PullUntil(RoundRobinMultiplexer multiplexer, int most)
    {
        var order = new List<int>();
        for (int misses = 0; misses < 2 && order.Count < most;)
        {
            if (multiplexer.TryPull(default, out Train train)) order.Add(train.To.Port);
            else misses++;
        }
        return order;
    }

    private RoundRobinMultiplexer Multiplexer(int quota = 1) => new(_parent, PriorityClass.Repair, quota);
}
