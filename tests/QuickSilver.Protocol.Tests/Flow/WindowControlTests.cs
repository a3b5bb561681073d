using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Control;

namespace QuickSilver.Protocol.Tests.Flow;

public sealed class WindowControlTests
{
    private const long Buffer = 8_000_000;
    private const long Half = Buffer / 2;

    private Instant _now = new(1_000_000);

    [Fact]
    public void ANewStreamHasAnEighthOfHalfTheBuffer() => Assert.Equal(Half / 8, new WindowControl(Buffer).Share);

    [Fact]
    public void AStreamWithAPredecessorStartsAtItsShare() =>
        Assert.Equal(700_000, new WindowControl(Buffer, 700_000).Share);

    [Fact]
    public void APredecessorsShareIsNeverMoreThanHalfTheBuffer() =>
        Assert.Equal(Half, new WindowControl(Buffer, 2 * Buffer).Share);

    [Fact]
    public void AfterFeedbackTheShareIsHalfTheBufferDividedByTheActiveStreams()
    {
        var window = new WindowControl(Buffer);
        Feedback(window, 0, streams: 4);
        Assert.Equal(Half / 4, window.Share);
        Feedback(window, 0, streams: 1);
        Assert.Equal(Half, window.Share);
    }

    [Fact]
    public void ASmallerBufferHasANarrowerWindow()
    {
        var window = new WindowControl(1_000_000);
        Feedback(window, 0);
        Assert.Equal(500_000, window.Share);
    }

    [Fact]
    public void SendingStopsWhenTheWindowIsFullAndGoesOnWithIntake()
    {
        var window = new WindowControl(Buffer);
        Feedback(window, 0);
        window.Sent(Half - 100, _now);

        Assert.True(window.CanSend(100, _now));
        Assert.False(window.CanSend(101, _now));
        Assert.Equal(100, window.Room(_now));

        Feedback(window, Half - 1100);
        Assert.Equal(1000, window.Outstanding);
        Assert.True(window.CanSend(Half - 1000, _now));
    }

    [Fact]
    public void ATrainLargerThanTheWindowGoesWhenNothingIsUnderWay()
    {
        var window = new WindowControl(1000);
        Assert.True(window.CanSend(70_000, _now));
        window.Sent(70_000, _now);
        Assert.False(window.CanSend(1, _now));
        Assert.Equal(0, window.Room(_now));
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
    public void TheSlowestMemberIsBelievedToReadOnForTwoIntervals()
    {
        WindowControl window = Steady(perInterval: 100_000);
        window.Sent(Half, _now);
        Assert.Equal(0, window.Room(_now));
        Pass(TimeSpan.FromMilliseconds(10));
        Assert.InRange(window.Room(_now), 99_000, 101_000);
        Pass(TimeSpan.FromMilliseconds(10));
        Assert.InRange(window.Room(_now), 199_000, 201_000);
        Pass(TimeSpan.FromSeconds(1));
        Assert.InRange(window.Room(_now), 199_000, 201_000);
    }

    [Fact]
    public void AFullWindowTellsWhenTimeWillOpenItAndWhenOnlyFeedbackCan()
    {
        WindowControl window = Steady(perInterval: 100_000);
        window.Sent(Half, _now);
        Assert.False(window.CanSend(30_000, _now));
        Instant opens = window.OpensAt(30_000, _now);
        Assert.InRange((opens - _now).TotalMilliseconds, 2.9, 3.1);
        _now = opens;
        Assert.True(window.CanSend(29_000, _now));
        Assert.Equal(Instant.Never, window.OpensAt(Half, _now));
    }

    [Fact]
    public void NoMoreThanTheBufferIsUnderWayWhereRoundsAreShort()
    {
        WindowControl window = Steady(perInterval: Half - 1);
        window.Sent(Half, _now);
        Pass(TimeSpan.FromMilliseconds(20));
        SendAll(window);
        Assert.InRange(window.Outstanding, Buffer * 3 / 4, Buffer - 1);
    }

    [Fact]
    public void WhereRoundsAreShortNoNoiseMakesTheWindowGrow()
    {
        var window = new WindowControl(Buffer);
        Feedback(window, 0);
        long read = 0;
        for (int round = 0; round < 2_000; round++)
        {
            Pass(TimeSpan.FromMilliseconds(1));
            SendAll(window);
            Assert.InRange(window.Outstanding, 0, Buffer);
            // The rate climbs by small steps, each of which looks like a success of the window's, and falls by one.
            double share = 0.50 + (0.05 * (round / 20 % 5));
            read = Math.Min(window.TotalSent, read + (long)(share * Half));
            Feedback(window, read);
        }
    }

    [Fact]
    public void ADropEndsGrowth()
    {
        var window = new WindowControl(Buffer);
        Feedback(window, 0);
        for (int round = 0; round < 40; round++)
        {
            SendAll(window);
            Pass(TimeSpan.FromMilliseconds(100));
            SendAll(window);
            Feedback(window, window.TotalSent);
        }
        Assert.True(Full(window) > Buffer, "it has grown");

        window.OnFeedback(window.TotalSent, 1, drops: 1, _now);
        Assert.InRange(Full(window), 1, Buffer);
    }

    [Fact]
    public void AtASlowMemberNoMoreThanABufferWaitsHoweverMuchThereIsToSend()
    {
        var window = new WindowControl(Buffer);
        Feedback(window, 0);
        const long PerMillisecond = 10_000;
        const int Round = 100;
        long read = 0, most = 0;
        var readAt = new List<long>();
        for (int millisecond = 0; millisecond < 10_000; millisecond++)
        {
            SendAll(window);
            read = Math.Min(window.TotalSent, read + PerMillisecond);
            readAt.Add(read);
            most = Math.Max(most, window.TotalSent - read);
            Pass(TimeSpan.FromMilliseconds(1));
            // Each report is a round old when it comes.
            if (millisecond % Round == Round - 1) Feedback(window, readAt[Math.Max(0, millisecond - Round)]);
        }
        Assert.InRange(most, 1, Buffer);
        // And the member never runs dry: it reads at its own rate.
        Assert.InRange(read, PerMillisecond * 9_500, PerMillisecond * 10_000);
    }

    [Fact]
    public void WhereOnlyTheWindowHoldsTheSenderBackTheRateClimbs()
    {
        var window = new WindowControl(Buffer);
        Feedback(window, 0);
        long first = 0, last = 0;
        for (int round = 0; round < 20; round++)
        {
            long before = window.TotalSent;
            for (int millisecond = 0; millisecond < 100; millisecond++)
            {
                SendAll(window);
                Pass(TimeSpan.FromMilliseconds(1));
            }
            last = window.TotalSent - before;
            if (round == 0) first = last;
            Feedback(window, before + last);
        }
        Assert.Equal(Half, first);
        Assert.InRange(last, 2 * Half, 16 * Half);
    }

    [Fact]
    public void BeyondTheBufferTheWindowGrowsOnlyWhileTheMemberReadsMore()
    {
        WindowControl window = Steady(perInterval: 20 * Half);
        long before = Full(window);
        for (int round = 0; round < 30; round++)
        {
            SendAll(window);
            Pass(TimeSpan.FromMilliseconds(10));
            Feedback(window, window.TotalSent);
        }
        Assert.InRange(Full(window), 3 * Half / 2, before);
    }

    [Fact]
    public void ADropHalvesTheShareAndFeedbackWithoutDropsGivesItBack()
    {
        WindowControl window = Steady(perInterval: 100_000);
        window.OnFeedback(window.TotalSent, 1, drops: 1, _now);
        Assert.Equal(Half / 2, window.Share);
        for (int drop = 0; drop < 9; drop++) window.OnFeedback(window.TotalSent, 1, drops: 5, _now);
        Assert.Equal(Half / 8, window.Share);
        Feedback(window, window.TotalSent);
        Assert.Equal((long)(Half / 8 * 1.1), window.Share);
        for (int round = 0; round < 30; round++) Feedback(window, window.TotalSent);
        Assert.Equal(Half, window.Share);
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

    // A stream that for a while has sent and had read so much in each interval of 10 ms.
    private WindowControl Steady(long perInterval)
    {
        var window = new WindowControl(Buffer);
        for (int round = 0; round < 50; round++)
        {
            window.Sent(perInterval, _now);
            Pass(TimeSpan.FromMilliseconds(10));
            Feedback(window, window.TotalSent);
        }
        return window;
    }

    private long Full(WindowControl window)
    {
        window.Sent(Half, _now);
        Pass(TimeSpan.FromMilliseconds(20));
        SendAll(window);
        return window.Outstanding;
    }

    private long SendAll(WindowControl window)
    {
        long sent = 0;
        for (long room = window.Room(_now); room > 0; room = window.Room(_now))
        {
            window.Sent(room, _now);
            sent += room;
        }
        window.CanSend(1, _now);
        return sent;
    }

    private void Feedback(WindowControl window, long totalAtIntake, int streams = 1) =>
        window.OnFeedback(totalAtIntake, streams, 0, _now);

    private void Pass(TimeSpan time) => _now += time;
}
