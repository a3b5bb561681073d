using System.Reflection;
using QuickSilver.Protocol.Probing;
using QuickSilver.Simulation.Tests.Planted;
using QuickSilver.Simulation.Tests.Planted.Targeted;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;
using QuickSilver.Testing.Probing;
using QuickSilver.Testing.Runs;

namespace QuickSilver.Simulation.Tests.Marks;

/// <summary>States worth reaching are reached: by a few runs of each kind already most of them.</summary>
public class MarkTests
{
    // Too rare for the few runs here; the sweep over fresh seeds demands them, unless MarkQuota excuses them.
    private const int MostMissed = 8;
    private const BindingFlags Any = BindingFlags.NonPublic | BindingFlags.Static;

    [Fact]
    public void AFewRunsOfEachKindReachAlmostAllMarks()
    {
        var marks = new MarkTable();
        foreach (string place in PlantedPlace.All)
        {
            if (place is PlantedPlace.Moves or PlantedPlace.Sites) continue;
            int runs = place == PlantedPlace.Ensemble ? 36 : 2;
            for (int index = 0; index < runs; index++)
                marks.Add(RunExecution.Execute(PlantedPlace.Spec(place, index)!).Marks);
        }
        Seeds.ForEach(Seeds.Range(5_001, 40), seed =>
        {
            SimulatedCluster cluster = RandomScenario.MakeWithMoves(
                seed, 8, nameof(AFewRunsOfEachKindReachAlmostAllMarks)).Run();
            marks.Add(cluster.Marks);
        });
        TestContext.Current.TestOutputHelper?.WriteLine(marks.ToString());
        string[] missed = [.. MarkQuota.FindMissing(marks)];
        Assert.True(
            missed.Length <= MostMissed, $"{missed.Length} marks were not reached: {string.Join("; ", missed)}");
    }

    [Fact]
    public void EveryExcusedMarkIsThere() =>
        Assert.Empty(MarkQuota.Excused.Keys.Except(MarkQuota.All, StringComparer.Ordinal));

    [Fact]
    public void TheReaderFindsMarksAtCalls()
    {
        Assert.Contains("a token comes that is older than one seen before", MarkQuota.All);
        Assert.Contains("the sender is asked since nobody is left in the packet's partition", MarkQuota.All);
        Assert.Contains("RecoveryCounters.Takeovers", MarkQuota.All);
        Assert.True(MarkQuota.All.Count > 150, $"only {MarkQuota.All.Count} marks were found");
    }

    [Fact]
    public void TheReaderSeesEachBranchOfAChoice() =>
        Assert.Equal(
            ["a", "b", "c", "d"],
            MarkReader.ReadFrom(typeof(MarkTests).GetMethod(nameof(Choices), Any)!).Order(StringComparer.Ordinal));

    [Fact]
    public void AMarkThatIsNoLiteralIsRefused() =>
        Assert.Throws<InvalidOperationException>(
            () => MarkReader.ReadFrom(typeof(MarkTests).GetMethod(nameof(Variable), Any)!).Count);

    [Theory]
    [InlineData(
        nameof(MembershipRuns.LeaveAndJoinAtOnce),
        "two changes of one node and group cannot share a step",
        "a message was sent before the receiver's stay began",
        "a node leaves a group with messages undelivered")]
    [InlineData(
        nameof(MembershipRuns.LateStep),
        "a packet comes of a step that is not installed",
        "a held packet is handled, since its step is installed",
        "a step is activated without some that have not installed it")]
    [InlineData(
        nameof(RecoveryRuns.SenderCrashesInSeveralViews),
        "a sender is removed and a member misses something of it",
        "a removed sender's stream is closed with a loss",
        "a receiver goes on past a gap in a removed sender's messages",
        "a view retires that waited for a removed sender's stream")]
    [InlineData(
        nameof(MembershipRuns.RemovedNodeReturnsToNewServer),
        "a server takes over a node of another server",
        "a node is taken over by another server",
        "the first step of a new server replaces the views of the one before",
        "a node is told that it is removed or refused")]
    [InlineData(nameof(RecoveryRuns.LatePackets), "a packet comes from a removed sender whose stream is closed")]
    [InlineData(
        nameof(SecurityRuns.StuckViewsWithOldKeys), "a region at its limit of views waits with its new keys")]
    [InlineData(nameof(TimedRuns.TimedMembersCome), "TimedCounters.BeforeJoin")]
    [InlineData(nameof(TimedRuns.TimedMerged), "TimedCounters.PacketsFiltered")]
    public void ATargetedRunReachesWhatItIsAimedAt(string place, params string[] marks)
    {
        var table = new MarkTable();
        for (int index = 0; index < 5; index++) table.Add(RunExecution.Execute(PlantedPlace.Spec(place, index)!).Marks);
        foreach (string mark in marks) Assert.True(table[mark] > 0, $"'{mark}' was not reached by {place}");
    }

    private static void Choices(Probes probes, int number)
    {
        if (number > 5) probes.Reached("d");
        else probes.Reached(number == 1 ? "a" : number == 2 ? "b" : "c");
    }

    private static void Variable(Probes probes, string mark) => probes.Reached(mark.Length > 3 ? "a" : mark);
}
