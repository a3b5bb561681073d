using QuickSilver.Testing.Disturbances;
using QuickSilver.Testing.Faults;

namespace QuickSilver.Simulation.Tests.Disturbances;

/// <summary>The papers' disturbances made small: twelve nodes, a few virtual seconds, the same processors and network,
/// the same bars.</summary>
public class PaperDisturbanceTests
{
    private static readonly DisturbanceSpec Small = new()
    {
        Name = "small",
        Paper = "",
        Nodes = 12,
        Witness = 7,
        Duration = TimeSpan.FromSeconds(4),
        CalmFrom = TimeSpan.FromSeconds(0.4),
        DisturbedFrom = TimeSpan.FromSeconds(1),
        DisturbedUntil = TimeSpan.FromSeconds(4),
    };

    [Theory]
    [InlineData(3, false)]
    [InlineData(2, true)]
    public void AFewNodesAreEnough(int nodes, bool isRefused)
    {
        DisturbanceSpec few = Small with { Nodes = nodes, Witness = 55, Rate = 500 };
        if (isRefused) Assert.Throws<ArgumentOutOfRangeException>(() => Run(few));
        else Assert.True(Run(few).Settled);
    }

    [Fact]
    public void ADeafReceiverCostsNoMoreThanInThePapers()
    {
        DisturbanceResult result = Run(
            Small with { Faults = [new DeafNode(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(0.3), 1)] });
        Assert.InRange(result.ThroughputLoss, -0.1, 0.25);
        Assert.True(result.VictimRepairs.FromPeers > 0);
    }

    [Fact]
    public void ACrashedReceiverHoldsNobodyUpBelowThePendingLimit()
    {
        DisturbanceResult result = Run(Small with
        {
            FailureTimeout = TimeSpan.FromSeconds(1.5),
            Faults = [new NodeCrash(TimeSpan.FromSeconds(1), 1)],
        });
        Assert.InRange(result.ThroughputLoss, -0.1, 0.15);
        // Missed for 1.5 s, then removed.
        Assert.InRange(result.Recovered!.Value, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(3));
        Assert.True(result.MostPending > 6000, $"pending rose to {result.MostPending} only: nobody was missed");
    }

    [Fact]
    public void AFrozenReceiverIsWaitedForAndCaughtUp()
    {
        DisturbanceResult result = Run(Small with
        {
            FailureTimeout = Timeout.InfiniteTimeSpan,
            Faults = [new NodeFreeze(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(0.8), 1)],
        });
        Assert.InRange(result.ThroughputLoss, -0.1, 0.25);
    }

    [Fact]
    public void AReceiverThatSleepsNowAndThenCostsLittle()
    {
        DisturbanceResult result = Run(Small with
        {
            Faults =
            [
                new NodeFreeze(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(0.2), 1),
                new NodeFreeze(TimeSpan.FromSeconds(2.5), TimeSpan.FromSeconds(0.2), 1),
            ],
        });
        Assert.InRange(result.ThroughputLoss, -0.1, 0.1);
    }

    [Fact]
    public void TwoSendersBeyondCapacityDoNotOscillate()
    {
        DisturbanceResult result = Run(Small with { Senders = 2, Rate = 5000, Victim = 2 });
        Assert.InRange(result.Oscillation, 0, 0.10);
        Assert.InRange(result.DisturbedRate, 8000, 10_000);
    }

    // Members that had all lost the same packets answered each other's requests for ever and never read the answers.
    [Fact]
    public void ALossSharedByAllIsRepairedAtFullLoad()
    {
        var loss = new LossBurst(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(0.3), null, null, 0.5);
        DisturbanceResult result = Run(Small with { Nodes = 40, Faults = [loss] });
        Assert.NotNull(result.Recovered);
        Assert.InRange(result.Recovered.Value, TimeSpan.Zero, TimeSpan.FromSeconds(2));
    }

    private static DisturbanceResult Run(DisturbanceSpec spec)
    {
        DisturbanceResult result = Disturbance.Run(spec);
        Assert.True(result.Settled, "not everything was delivered and stable a minute after the end");
        return result;
    }
}
