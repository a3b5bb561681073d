using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Repairs;

namespace QuickSilver.Protocol.Tests.Flow;

public class RepeatBudgetTests
{
    private static readonly Instant Start = new(TimeSpan.TicksPerSecond);

    [Fact]
    public void AfterItsBurstAnAskerGetsATrickle()
    {
        RepeatBudget budget = RepeatBudget.ForAsker(Start, 0);
        Assert.Equal(2_048, Taken(ref budget, Start, 0));
        Assert.Equal(50, Taken(ref budget, Start + TimeSpan.FromSeconds(1), 0));
        Assert.Equal(2_048, Taken(ref budget, Start + TimeSpan.FromHours(1), 0));
    }

    [Fact]
    public void WhatIsEarnedTogetherCountsOnceForEachAsker()
    {
        RepeatBudget budget = RepeatBudget.ForAsker(Start, 100);
        Taken(ref budget, Start, 100);
        Assert.Equal(20, Taken(ref budget, Start, 120));
        Assert.Equal(0, Taken(ref budget, Start, 120));
    }

    [Fact]
    public void AllAskersTogetherGetFourTimesAsMuchAsOne()
    {
        RepeatBudget budget = RepeatBudget.ForAll(Start, 0);
        Assert.Equal(8_192, Taken(ref budget, Start, 0));
        Assert.Equal(200, Taken(ref budget, Start + TimeSpan.FromSeconds(1), 0));
    }

    [Fact]
    public void APauseDoublesUpToASecondAndIsNeverShorterThanTheFirst()
    {
        TimeSpan first = TimeSpan.FromMilliseconds(10);
        Assert.Equal(
            [10, 10, 20, 40, 640, 1_000, 1_000],
            ((int[])[-1, 0, 1, 2, 6, 7, 200]).Select(times => RepairPause.After(first, times).TotalMilliseconds));
        Assert.Equal(TimeSpan.FromSeconds(2), RepairPause.After(TimeSpan.FromSeconds(2), 5));
    }

    private static int Taken(ref RepeatBudget budget, Instant now, double earned)
    {
        int taken = 0;
        while (budget.TryTake(now, earned)) taken++;
        return taken;
    }
}
