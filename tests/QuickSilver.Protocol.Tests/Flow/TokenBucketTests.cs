using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Control;

namespace QuickSilver.Protocol.Tests.Flow;

public sealed class TokenBucketTests
{
    private static readonly Instant Start = new(1_000);

    [Fact]
    public void StartsFull() => Assert.Equal(10, new TokenBucket(100, 10, Start).Available(Start));

    [Fact]
    public void EarnsByElapsedTimeHoweverLateItIsAsked()
    {
        var bucket = Emptied(rate: 1000, capacity: 500);

        Assert.Equal(0, bucket.Available(Start));
        Assert.Equal(100, bucket.Available(Start + TimeSpan.FromMilliseconds(100)));
        Assert.Equal(300, bucket.Available(Start + TimeSpan.FromMilliseconds(300)));
    }

    [Fact]
    public void CatchesUpNoFurtherThanItsCapacity()
    {
        var bucket = Emptied(rate: 1000, capacity: 500);

        Assert.Equal(500, bucket.Available(Start + TimeSpan.FromHours(1)));
    }

    [Fact]
    public void RefusesWhatIsNotThereAndTakesNothing()
    {
        var bucket = new TokenBucket(1000, 10, Start);

        Assert.True(bucket.TryTake(6, Start));
        Assert.False(bucket.TryTake(5, Start));
        Assert.True(bucket.TryTake(4, Start));
    }

    [Fact]
    public void MoreThanItHoldsIsTakenFromAFullBucketAndLeavesADebt()
    {
        var bucket = new TokenBucket(1000, 10, Start);

        Assert.True(bucket.TryTake(30, Start));
        Assert.Equal(0, bucket.Available(Start + TimeSpan.FromMilliseconds(20)));
        Assert.Equal(Start + TimeSpan.FromMilliseconds(21), bucket.ReadyAt(1, Start));
    }

    [Fact]
    public void TellsWhenCreditsWillBeThere()
    {
        var bucket = Emptied(rate: 1000, capacity: 10);

        Assert.Equal(Start + TimeSpan.FromMilliseconds(4), bucket.ReadyAt(4, Start));
        Assert.Equal(Start + TimeSpan.FromMilliseconds(10), bucket.ReadyAt(99, Start));
        Assert.Equal(Start + TimeSpan.FromMilliseconds(6), bucket.ReadyAt(4, Start + TimeSpan.FromMilliseconds(6)));
    }

    [Fact]
    public void AVerySlowBucketIsNeverReadyRatherThanWrappedRound()
    {
        var bucket = Emptied(rate: 1e-12, capacity: 10);

        Assert.Equal(Instant.Never, bucket.ReadyAt(10, Start));
    }

    [Fact]
    public void AChangeCountsFromItsInstant()
    {
        var bucket = Emptied(rate: 1000, capacity: 500);
        bucket.Change(10_000, 1000, Start + TimeSpan.FromMilliseconds(10));

        Assert.Equal(110, bucket.Available(Start + TimeSpan.FromMilliseconds(20)));
    }

    [Fact]
    public void ASmallerCapacityTakesWhatIsAboveIt()
    {
        var bucket = new TokenBucket(1000, 500, Start);
        bucket.Change(1000, 20, Start);

        Assert.Equal(20, bucket.Available(Start));
    }

    [Fact]
    public void TimeThatStandsStillEarnsNothing()
    {
        var bucket = Emptied(rate: 1e9, capacity: 10);
        for (int ask = 0; ask < 100; ask++) Assert.Equal(0, bucket.Available(Start));
    }

    [Fact]
    public void KeepsExactBooksUnderRandomUse()
    {
        for (ulong seed = 1; seed <= 200; seed++) CompareWithModel(seed);
    }

    // The model keeps books in whole numbers: with a rate in credits per tick as a fraction, credits x denominator is
    // an integer.
    private static void CompareWithModel(ulong seed)
    {
        var random = new SeededRandom(seed);
        long perSecond = 1 + (long)random.NextBelow(2_000_000);
        long capacity = 1 + (long)random.NextBelow(1000);
        var bucket = new TokenBucket(perSecond, capacity, Start);
        Int128 scale = TimeSpan.TicksPerSecond;
        Int128 credits = capacity * scale;
        Instant now = Start;
        long taken = 0;
        for (int step = 0; step < 300; step++)
        {
            long ticks = (long)random.NextBelow((ulong)(TimeSpan.TicksPerSecond * 3 / perSecond) + 20);
            now += TimeSpan.FromTicks(ticks);
            credits = Int128.Min(capacity * scale, credits + ((Int128)ticks * perSecond));

            int wanted = 1 + (int)random.NextBelow((ulong)capacity);
            string where = $"seed {seed} step {step} rate {perSecond} capacity {capacity}";
            bool enough = credits >= wanted * scale;
            Instant ready = bucket.ReadyAt(wanted, now);
            Assert.True(ready == now == enough, where + ": ready now");
            if (!enough)
            {
                // At the promised instant it is there; a tick earlier it was not.
                Int128 missing = (wanted * scale) - credits;
                long wait = (long)((missing + perSecond - 1) / perSecond);
                Assert.True(
                    Math.Abs((ready - now).Ticks - wait) <= 1,
                    where + $": ready in {(ready - now).Ticks} ticks, model {wait}");
            }
            Assert.True(bucket.TryTake(wanted, now) == enough, where + ": taken");
            if (!enough) continue;
            credits -= wanted * scale;
            taken += wanted;
        }
        Int128 earned = (Int128)(now - Start).Ticks * perSecond;
        Assert.True(taken * scale <= (capacity * scale) + earned, $"seed {seed}: more taken than was ever earned");
    }

    private static TokenBucket Emptied(double rate, int capacity)
    {
        var bucket = new TokenBucket(rate, capacity, Start);
        bucket.Take(capacity, Start);
        return bucket;
    }
}
