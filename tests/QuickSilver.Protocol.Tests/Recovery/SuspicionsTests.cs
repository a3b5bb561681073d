using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Recovery.Ring;

namespace QuickSilver.Protocol.Tests.Recovery;

public sealed class SuspicionsTests
{
    private readonly RecoveryCounters _counters = new();
    private readonly Suspicions _suspicions;

    public SuspicionsTests() => _suspicions = new Suspicions(_counters);

    [Fact]
    public void AnEpisodeCountsOnceHoweverManyHopsAreGivenUp()
    {
        for (int at = 0; at <= 5_000; at += 100) Unanswered(1, at);
        Assert.Equal((1ul, 1), (_counters.Suspicions, _suspicions.Count));
    }

    [Fact]
    public void WhoAnswersWithinASecondIsNotSuspect()
    {
        for (int at = 0; at < 30_000; at += 100)
        {
            Unanswered(1, at);
            if (at % 900 == 0) _suspicions.OnAnswered(1);
        }
        Assert.Equal((0ul, 0), (_counters.Suspicions, _suspicions.Count));
    }

    [Fact]
    public void AnAnswerEndsTheEpisodeAndAnotherOneCountsAnew()
    {
        Unanswered(1, 0);
        Unanswered(1, 1_000);
        Unanswered(2, 500);
        Unanswered(2, 1_499);
        Assert.Equal((1ul, 1), (_counters.Suspicions, _suspicions.Count));
        _suspicions.OnAnswered(1);
        Assert.Equal((1ul, 0), (_counters.Suspicions, _suspicions.Count));
        Unanswered(1, 2_000);
        Assert.Equal(1ul, _counters.Suspicions);
        Unanswered(1, 3_000);
        Assert.Equal((2ul, 1), (_counters.Suspicions, _suspicions.Count));
    }

    [Fact]
    public void TheTimeInWhichNothingWasAskedIsNoSilence()
    {
        Unanswered(1, 0);
        Unanswered(1, 11_000);
        Assert.Equal(0ul, _counters.Suspicions);
        Unanswered(1, 12_000);
        Unanswered(1, 23_000);
        Assert.Equal((1ul, 0), (_counters.Suspicions, _suspicions.Count));
    }

    private void Unanswered(ulong member, int milliseconds) =>
        _suspicions.OnUnanswered(
            member, Instant.Zero + TimeSpan.FromSeconds(100) + TimeSpan.FromMilliseconds(milliseconds));
}
