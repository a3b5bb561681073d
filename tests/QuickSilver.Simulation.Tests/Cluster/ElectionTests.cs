using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing.Probing;
using QuickSilver.Testing.Runs;
using QuickSilver.Testing.Runs.Generation;

namespace QuickSilver.Simulation.Tests.Cluster;

/// <summary>Hosts are elected, die, stand still beyond their leases and are cut off from the store: none says anything
/// once another is elected (V6), and all who live are in one view soon after (V9). The simulator's verb
/// <c>elections</c> runs thousands.</summary>
public sealed class ElectionTests
{
    private const int Count = 200;

    [Fact]
    public void NoServerSpeaksOnceAnotherIsElected()
    {
        ulong[] seeds = Seeds.Range(1, Count);
        var marks = new MarkTable();
        Seeds.ForEach(seeds, seed =>
        {
            RunResult result = RunExecution.Execute(ElectionRun.Generate(seed), mostEvents: 50_000_000);
            Assert.True(result.Violation is null, result.Violation?.Message);
            marks.Add(result.Marks);
        });
        if (seeds.Length < Count) return;
        foreach (string mark in (string[])[
            "a host is elected after another",
            "a host that serves stands still",
            "a host hears that it was elected after another was",
            "a server takes over a node of another server",
            "a server ends with its lease",
            "a frame is held back since the lease has ended"])
        {
            TestContext.Current.TestOutputHelper?.WriteLine($"{mark}: {marks[mark]}");
            Assert.True(marks[mark] > 0, $"no run has reached {mark}");
        }
    }
}
