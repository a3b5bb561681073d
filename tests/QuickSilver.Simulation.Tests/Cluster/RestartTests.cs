using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing.Probing;
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
        var marks = new MarkTable();
        Seeds.ForEach(seeds, seed =>
        {
            RunResult result = RunExecution.Execute(RestartRun.Generate(seed), mostEvents: 50_000_000);
            Assert.True(result.Violation is null, result.Violation?.Message);
            Assert.True(result.Delivered > 0, "nothing was delivered");
            marks.Add(result.Marks);
        });
        if (seeds.Length < Count) return;
        foreach (string mark in (string[])[
            "a server that takes over waits for a majority",
            "a process returns as a member that a takeover misses",
            "a server loses sight of more than half of its members at once",
            "a node registers on the address of one that still counts as alive"])
        {
            TestContext.Current.TestOutputHelper?.WriteLine($"{mark}: {marks[mark]}");
            Assert.True(marks[mark] > 0, $"no run has reached {mark}");
        }
    }
}
