using QuickSilver.Bench;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Runs;

namespace QuickSilver.Tests.Scenarios;

public sealed class RateJudgeTests
{
    [Theory]
    [InlineData(1000, 1000, 100, 3_500_000, false)]
    [InlineData(1000, 1000, 50_000, 60_000, false)]
    [InlineData(1000, 900, 100, 500, false)]
    [InlineData(1000, 1000, 100, 5_000, true)]
    [InlineData(0, 900, 50_000, 3_500_000, true)]
    public void A_sender_that_was_late_has_not_kept_its_rate(
        double offered, double rate, double lateP99, double lateMost, bool isKept)
    {
        var run = new RunReport
        {
            Variant = "quicksilver",
            OfferedRate = offered,
            Processes =
            [
                new ProcessReport
                {
                    Process = "sender",
                    Role = "Sender",
                    MeasuredSeconds = 10,
                    Rate = rate,
                    Lateness = new LatencySummary(10_000, 50, lateP99, lateP99, lateMost),
                },
            ],
        };
        Assert.Equal(isKept, RateJudge.NotKept(run) is null);
    }
}
