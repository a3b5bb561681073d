using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Flow;

public sealed class PriorityMultiplexerTests
{
    private readonly PriorityMultiplexer _multiplexer = new();

    [Fact]
    public void FeedsOfAClassAreAskedInTurn()
    {
        Feed(1, 2, PriorityClass.Repair);
        Feed(2, 4, PriorityClass.Repair);
        Feed(3, 2, PriorityClass.Repair);
        Feed(4, 1, PriorityClass.Data);

        Assert.Equal([1, 2, 3, 1, 2, 3, 2, 2], PullAll(PriorityClass.Repair));
    }

    [Fact]
    public void AFeedThatHasNothingIsAskedOnceAndComesBackByRegistering()
    {
        FeedStub feed = Feed(1, 0, PriorityClass.Data);
        Feed(2, 3, PriorityClass.Data);
        Assert.Equal([2, 2, 2], PullAll(PriorityClass.Data));
        Assert.Equal(1, feed.Asked);
        Assert.False(_multiplexer.HasWork);

        feed.Ready = 1;
        Assert.Empty(PullAll(PriorityClass.Data));
        _multiplexer.Register(feed, PriorityClass.Data);
        Assert.Equal([1], PullAll(PriorityClass.Data));
    }

    [Fact]
    public void AFeedMayRegisterAnotherWhileItIsAsked()
    {
        var other = new FeedStub(2, ready: 1);
        FeedStub feed = Feed(1, 1, PriorityClass.Data);
        feed.OnAsked = () => _multiplexer.Register(other, PriorityClass.Data);

        Assert.Equal([1, 2], PullAll(PriorityClass.Data));
    }

    [Fact]
    public void AFeedStaysInTheClassInWhichItRegisteredFirst()
    {
        FeedStub feed = Feed(1, 2, PriorityClass.Repair);
        _multiplexer.Register(feed, PriorityClass.Token);

        Assert.False(_multiplexer.TryPull(PriorityClass.Token, default, out _, out _));
        Assert.True(_multiplexer.TryPull(PriorityClass.Repair, default, out _, out _));
    }

    [Fact]
    public void RegisteringInAnotherClassWhileBeingAskedIsNotLost()
    {
        FeedStub feed = Feed(1, 0, PriorityClass.Repair);
        feed.OnAsked = () => _multiplexer.Register(feed, PriorityClass.Data);

        Assert.False(_multiplexer.TryPull(PriorityClass.Repair, default, out _, out _));
        Assert.True(_multiplexer.HasWork);
    }

    [Fact]
    public void AHeldFeedIsNotAskedUntilItIsResumed()
    {
        FeedStub feed = Feed(1, 5, PriorityClass.Data);
        Assert.True(_multiplexer.TryPull(PriorityClass.Data, default, out _, out IFeed asked));
        _multiplexer.Hold(asked, PriorityClass.Data);
        _multiplexer.Register(feed, PriorityClass.Data);

        Assert.False(_multiplexer.HasWork);
        Assert.False(_multiplexer.TryPull(PriorityClass.Data, default, out _, out _));

        _multiplexer.Resume(feed, PriorityClass.Data);
        Assert.True(_multiplexer.TryPull(PriorityClass.Data, default, out _, out _));
    }

    private List<int> PullAll(PriorityClass priority)
    {
        var order = new List<int>();
        while (_multiplexer.TryPull(priority, default, out Train train, out _)) order.Add(train.To.Port);
        return order;
    }

    private FeedStub Feed(int id, int ready, PriorityClass priority)
    {
        var feed = new FeedStub(id, ready);
        _multiplexer.Register(feed, priority);
        return feed;
    }
}
