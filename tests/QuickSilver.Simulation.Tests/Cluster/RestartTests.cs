using QuickSilver.Protocol.Core;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing.Runs;
using QuickSilver.Testing.Runs.Generation;

namespace QuickSilver.Simulation.Tests.Cluster;

/// <summary>Whatever set of processes dies and comes back, the host among them: all who live are in one view soon after
/// (V9). The simulator's verb
/// <c>restarts</c> runs thousands.</summary>
public sealed class RestartTests
{
    private const int Count = 60;

    [Fact]
    public void AllWhoLiveAreInOneViewSoonAfterTheLastRestart()
    {
        ulong[] seeds = Seeds.Range(1, Count);
        long[] marks = new long[Enum.GetValues<Mark>().Length];
        Seeds.ForEach(seeds, seed =>
        {
            RunResult result = RunExecution.Execute(RestartRun.Generate(seed), mostEvents: 50_000_000);
            Assert.True(result.Violation is null, result.Violation?.Message);
            Assert.True(result.Delivered > 0, "nothing was delivered");
            for (int mark = 0; mark < marks.Length; mark++) Interlocked.Add(ref marks[mark], (long)result.Marks[mark]);
        });
        if (seeds.Length < Count) return;
        foreach (Mark mark in (Mark[])[
            Mark.MajorityAwaited, Mark.SurvivorSucceeded, Mark.SightLost, Mark.NodeReplacedByRestart])
        {
            TestContext.Current.TestOutputHelper?.WriteLine($"{mark}: {marks[(int)mark]}");
            Assert.True(marks[(int)mark] > 0, $"no run has reached {mark}");
        }
    }
}
