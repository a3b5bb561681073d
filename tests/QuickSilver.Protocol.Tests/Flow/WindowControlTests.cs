using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;

namespace QuickSilver.Protocol.Tests.Flow;

public sealed class WindowControlTests
{
    private const long Buffer = 8_000_000;
    private const long Half = Buffer / 2;

    private Instant _now = new(1_000_000);

    [Fact]
    public void ANewStreamHasAnEighthOfHalfTheBuffer() => Assert.Equal(Half / 8, new WindowControl(Buffer).Window);

    [Fact]
    public void AStreamWithAPredecessorStartsAtItsShare() => Assert.Equal(700_000, new WindowControl(Buffer, 700_000).Window);

    [Fact]
    public void APredecessorsShareIsNeverMoreThanHalfTheBuffer() => Assert.Equal(Half, new WindowControl(Buffer, 2 * Buffer).Window);

    [Fact]
    public void AfterFeedbackTheShareIsHalfTheBufferDividedByTheActiveStreams()
    {
        var window = new WindowControl(Buffer);
        Feedback(window, 0, streams: 4);
        Assert.Equal(Half / 4, window.Window);
        Feedback(window, 0, streams: 1);
        Assert.Equal(Half, window.Window);
    }

    [Fact]
    public void ASmallerBufferOfAMemberNarrowsTheWindow()
    {
        var window = new WindowControl(Buffer);
        Feedback(window, 0);
        window.ReceiveBufferBytes = 1_000_000;
        Assert.Equal(500_000, window.Window);
    }

    [Fact]
    public void SendingStopsWhenTheWindowIsFullAndGoesOnWithIntake()
    {
        var window = new WindowControl(Buffer);
        Feedback(window, 0);
        window.Sent(Half - 100, _now);

        Assert.True(window.CanSend(100));
        Assert.False(window.CanSend(101));
        Assert.Equal(100, window.Room);

        Feedback(window, Half - 1100);
        Assert.Equal(1000, window.Outstanding);
        Assert.True(window.CanSend(Half - 1000));
    }

    [Fact]
    public void ATrainLargerThanTheWindowGoesWhenNothingIsUnderWay()
    {
        var window = new WindowControl(1000);
        Assert.True(window.CanSend(70_000));
        window.Sent(70_000, _now);
        Assert.False(window.CanSend(1));
        Assert.Equal(0, window.Room);
    }

    [Fact]
    public void HalfUsedMeansFeedbackIsWanted()
    {
        var window = new WindowControl(Buffer);
        Feedback(window, 0);
        Assert.False(window.IsHalfUsed);
        window.Sent((Half / 2) - 1, _now);
        Assert.False(window.IsHalfUsed);
        window.Sent(1, _now);
        Assert.True(window.IsHalfUsed);
    }

    [Fact]
    public void FeedbackThatIsOldOrClaimsTooMuchIsClipped()
    {
        var window = new WindowControl(Buffer);
        window.Sent(1000, _now);
        Feedback(window, 800);
        Feedback(window, 300);
        Assert.Equal(200, window.Outstanding);
        Feedback(window, long.MaxValue);
        Assert.Equal(0, window.Outstanding);
        window.Sent(50, _now);
        Assert.Equal(50, window.Outstanding);
    }

    [Fact]
    public void AWindowThatIsNotTheLimitDoesNotGrow()
    {
        var window = new WindowControl(Buffer);
        for (int round = 0; round < 100; round++)
        {
            window.Sent(1000, _now);
            Pass(TimeSpan.FromMilliseconds(60));
            Feedback(window, window.TotalSent);
        }
        Assert.Equal(Half, window.Window);
        Assert.False(window.WasLimited);
    }

    [Fact]
    public void ALimitedWindowGrowsATenthPerFiftyMillisecondsWithoutDrops()
    {
        var window = new WindowControl(Buffer);
        Feedback(window, 0);
        FillAndFeed(window, TimeSpan.FromMilliseconds(50));
        Assert.True(window.WasLimited);
        Assert.Equal((long)(Half * 1.1), window.Window);

        // Quicker feedback does not make it grow quicker: five rounds of 10 ms, one step.
        for (int round = 0; round < 5; round++) FillAndFeed(window, TimeSpan.FromMilliseconds(10));
        Assert.Equal((long)(Half * 1.1 * 1.1), window.Window);
    }

    [Fact]
    public void SlowFeedbackMakesOneStepPerFeedback()
    {
        var window = new WindowControl(Buffer);
        Feedback(window, 0);
        FillAndFeed(window, TimeSpan.FromMilliseconds(400));
        Assert.Equal((long)(Half * 1.1), window.Window);
    }

    [Fact]
    public void GrowthEndsAtSixteenShares()
    {
        var window = new WindowControl(Buffer);
        Feedback(window, 0);
        for (int round = 0; round < 100; round++) FillAndFeed(window, TimeSpan.FromMilliseconds(50));
        Assert.Equal(16 * Half, window.Window);
    }

    [Fact]
    public void ADropReturnsTheWindowToItsShareAtOnce()
    {
        var window = new WindowControl(Buffer);
        Feedback(window, 0);
        for (int round = 0; round < 20; round++) FillAndFeed(window, TimeSpan.FromMilliseconds(50));
        Assert.True(window.Window > 4 * Half);

        Fill(window);
        Pass(TimeSpan.FromMilliseconds(50));
        window.OnFeedback(window.TotalSent, 1, drops: 1, _now);
        Assert.Equal(Half, window.Window);

        // And growth begins anew a full interval later.
        FillAndFeed(window, TimeSpan.FromMilliseconds(49));
        Assert.Equal(Half, window.Window);
        FillAndFeed(window, TimeSpan.FromMilliseconds(1));
        Assert.Equal((long)(Half * 1.1), window.Window);
    }

    [Fact]
    public void TheFeedbackIntervalLeavesIdleTimeOut()
    {
        var window = new WindowControl(Buffer);
        Feedback(window, 0);
        Assert.Equal(TimeSpan.Zero, window.FeedbackInterval);

        Pass(TimeSpan.FromSeconds(30));
        window.Sent(1000, _now);
        Pass(TimeSpan.FromMilliseconds(8));
        Feedback(window, 1000);
        Assert.Equal(TimeSpan.FromMilliseconds(8), window.FeedbackInterval);

        window.Sent(1000, _now);
        Pass(TimeSpan.FromMilliseconds(16));
        Feedback(window, 2000);
        Assert.Equal(TimeSpan.FromMilliseconds(10), window.FeedbackInterval);
    }

    private void FillAndFeed(WindowControl window, TimeSpan interval)
    {
        Fill(window);
        Pass(interval);
        Feedback(window, window.TotalSent);
    }

    private void Fill(WindowControl window)
    {
        window.Sent(window.Room, _now);
        Assert.False(window.CanSend(1));
    }

    private void Feedback(WindowControl window, long totalAtIntake, int streams = 1) => window.OnFeedback(totalAtIntake, streams, 0, _now);

    private void Pass(TimeSpan time) => _now += time;
}
