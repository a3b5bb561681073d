using QuickSilver.Simulation.Tests.Planted.Targeted;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing.Runs;

namespace QuickSilver.Simulation.Tests.Cluster;

/// <summary>A member whose handler is slower than messages come holds its region up for a time, no longer.</summary>
public class SlowMemberTests
{
    private const string Shed = "a server removes a member that is too slow";

    [Fact]
    public void AMemberThatHoldsASenderIsRemovedWhileOthersKeepUp() => Seeds.ForEach(Seeds.Range(1, 6), seed =>
    {
        RunResult result = Execute(SlowRuns.SlowMember(seed));
        Assert.Equal(seed % 2 == 0 ? 2ul : 1ul, result.Marks.GetValueOrDefault(Shed));
    });

    [Fact]
    public void NobodyIsRemovedWhereAllAreSlow() => Seeds.ForEach(Seeds.Range(1, 3), seed =>
        Assert.Equal(0ul, Execute(SlowRuns.AllSlow(seed)).Marks.GetValueOrDefault(Shed)));

    [Fact]
    public void ANodeThatWaitsForSlowMembersHasNobodyRemoved() => Seeds.ForEach(Seeds.Range(1, 3), seed =>
    {
        RunSpec run = SlowRuns.SlowMember(seed);
        RunResult result = Execute(run with
        {
            Options = run.Options with
            {
                Node = run.Options.Node with { SlowMemberTimeout = Timeout.InfiniteTimeSpan },
            },
        });
        Assert.Equal(0ul, result.Marks.GetValueOrDefault(Shed));
    });

    private static RunResult Execute(RunSpec run)
    {
        RunResult result = RunExecution.Execute(run);
        Assert.True(result.Violation is null, $"{result.Violation}");
        return result;
    }
}
