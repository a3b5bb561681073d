using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing.Probing;
using QuickSilver.Testing.Runs;
using QuickSilver.Testing.Runs.Generation;

namespace QuickSilver.Simulation.Tests.Cluster;

/// <summary>Hosts elect each other by their own votes, die, stand still, are restarted and cut apart, and merge: none
/// says anything once another of its cluster is elected (V6), and all who live are in one view soon after (V9). The
/// simulator's verb <c>peers</c> runs thousands.</summary>
public sealed class PeerTests
{
    private const int Count = 200;

    [Fact]
    public void NoServerSpeaksOnceAnotherOfItsClusterIsElected()
    {
        ulong[] seeds = Seeds.Range(1, Count);
        var marks = new MarkTable();
        Seeds.ForEach(seeds, seed =>
        {
            RunResult result = RunExecution.Execute(PeerRun.Generate(seed), mostEvents: 50_000_000);
            Assert.True(result.Violation is null, result.Violation?.Message);
            marks.Add(result.Marks);
        });
        if (seeds.Length < Count) return;
        foreach (string mark in (string[])[
            "a host is elected after another",
            "a host that serves stands still",
            "an electorate changes",
            "a host leaves the others a majority of their own",
            "a restarted process has voted in its seat",
            "a process votes in the seat of its life before",
            "a process joins another cluster of its name",
            "a cluster is founded after another",
            "a cluster goes into another of its name",
            "a server takes over a node of another server",
            "a server ends with its lease"])
        {
            TestContext.Current.TestOutputHelper?.WriteLine($"{mark}: {marks[mark]}");
            Assert.True(marks[mark] > 0, $"no run has reached {mark}");
        }
    }
}
