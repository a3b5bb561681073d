using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Flow;

public sealed class PriorityMultiplexerTests
{
    private readonly PriorityMultiplexer _multiplexer = new();

    [Fact]
    public void TheHighestClassGoesFirst()
    {
        Feed(5, 1, PriorityClass.Data);
        Feed(4, 2, PriorityClass.Repair);
        Feed(1, 2, PriorityClass.Token);
        Feed(3, 1, PriorityClass.Membership);
        Feed(2, 1, PriorityClass.Request);

        var order = new List<int>();
        while (_multiplexer.TryPullHighest(default, out Train train, out _, out _)) order.Add(train.To.Port);

        Assert.Equal([1, 1, 2, 3, 4, 4, 5], order);
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

    private FeedStub Feed(int id, int ready, PriorityClass priority)
    {
        var feed = new FeedStub(id, ready);
        _multiplexer.Register(feed, priority);
        return feed;
    }
}
