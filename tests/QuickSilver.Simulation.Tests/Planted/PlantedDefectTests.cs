using QuickSilver.Protocol.Core;
using QuickSilver.Testing.Runs;
using QuickSilver.Testing.Runs.Shrinking;

namespace QuickSilver.Simulation.Tests.Planted;

/// <summary>
/// Breaks the protocol on purpose, one defect at a time: an invariant must find it within a stated number of seeds, on which the unbroken protocol is
/// clean. Where random runs meet a defect in a few dozen seeds they are used; where they would need hundreds, a run aimed at that kind of defect is,
/// and its name says so. This is the measure of the simulator itself: invariants that never fail prove nothing.
/// </summary>
public class PlantedDefectTests
{
    private const int CleanSeeds = 3;

    /// <summary>Real time for the cutting down of one failure: generous, most take a second or two.</summary>
    private static readonly TimeSpan Longest = TimeSpan.FromMinutes(2);

    private static readonly PlantedDefect[] All =
    [
        new(Sabotage.AckBeforeStore, PlantedDefect.Ensemble, 10, "D5", "D7", "D8"),
        new(Sabotage.IntervalMerge, PlantedDefect.Ensemble, 20, "D7", "D8"),
        new(Sabotage.PartitionMap, PlantedDefect.Ensemble, 5, "V3"),
        new(Sabotage.NumberSkipped, PlantedDefect.Ensemble, 5, "D5", "D6", "D7"),
        new(Sabotage.DuplicateDelivered, PlantedDefect.Ensemble, 20, "D2"),
        new(Sabotage.EarlyCleanup, PlantedDefect.Ensemble, 10, "D8"),
        new(Sabotage.LentMemoryReused, PlantedDefect.Ensemble, 30, "D1"),
        new(Sabotage.CacheCapIgnored, nameof(TargetedRuns.StuckMember), 2, "R1"),
        new(Sabotage.OwnPartitionDropped, PlantedDefect.Ensemble, 30, "D8"),
        new(Sabotage.UnheardCountsAsHeld, nameof(TargetedRuns.UnheardStream), 2, "D8"),
        new(Sabotage.SkippedCountsAsVisited, PlantedDefect.Ensemble, 20, "D8"),
        new(Sabotage.TokenRoundUnchecked, PlantedDefect.Ensemble, 40, "R3"),
        new(Sabotage.TokenHopsMixed, PlantedDefect.Ensemble, 60, "E2"),
        new(Sabotage.TakeoverKeepsEpoch, PlantedDefect.Ensemble, 40, "R3"),
        new(Sabotage.NakToWrongPartition, nameof(TargetedRuns.PartitionsMiss), 2, "D7"),
        new(Sabotage.NakCutShort, PlantedDefect.Ensemble, 20, "D7", "D9", "V8"),
        new(Sabotage.BeaconsStopAtAck, nameof(TargetedRuns.LastMessageLost), 10, "D7"),
        new(Sabotage.FinalTooLow, PlantedDefect.Moves, 20, "D7"),
        new(Sabotage.PendingReleasedTwice, PlantedDefect.Ensemble, 5, "R1"),
        new(Sabotage.GateStaysShut, PlantedDefect.Ensemble, 40, "D7"),
        new(Sabotage.CarrierNeverGoesBack, nameof(TargetedRuns.MulticastComesBack), 2, "R6"),
        new(Sabotage.RepairNeverBacksOff, nameof(TargetedRuns.NoPacketsArrive), 2, "R7"),
        new(Sabotage.RegionLeftOut, PlantedDefect.Ensemble, 40, "V4", "D7"),
        new(Sabotage.OwnMessageForgotten, PlantedDefect.Ensemble, 40, "D6"),
        new(Sabotage.SelfDeliveryAhead, PlantedDefect.Moves, 20, "D5"),
        new(Sabotage.PreviousStepLost, nameof(TargetedRuns.LeaveAndJoinAtOnce), 5, "D5", "D9"),
        new(Sabotage.PlaceStartsAnywhere, PlantedDefect.Ensemble, 30, "D5", "D9"),
        new(Sabotage.PlaceKeptAcrossLeave, nameof(TargetedRuns.LeaveAndJoinAtOnce), 5, "D7", "D8"),
        new(Sabotage.StayIgnored, nameof(TargetedRuns.LeaveAndJoinAtOnce), 5, "D9", "R4"),
        new(Sabotage.StepNotAwaited, nameof(TargetedRuns.LateStep), 2, "D3"),
        new(Sabotage.HeldPacketsDropped, nameof(TargetedRuns.LateStep), 2, "D7", "D8"),
        new(Sabotage.HeldKeptAtLeave, nameof(TargetedRuns.LeaveAndJoinAtOnce), 5, "R4"),
        new(Sabotage.FragmentShifted, PlantedDefect.Ensemble, 20, "E2"),
        new(Sabotage.StepSkipped, PlantedDefect.Ensemble, 20, "V1", "V7"),
        new(Sabotage.LeaveAndJoinInOneStep, nameof(TargetedRuns.LeaveAndJoinAtOnce), 5, "V7", "D9"),
        new(Sabotage.JoinSettledEarly, nameof(TargetedRuns.LateSender), 2, "D9"),
        new(Sabotage.ViewRetiredAtFirstDone, PlantedDefect.Ensemble, 30, "D7", "D8", "V4"),
        new(Sabotage.GraceIgnored, PlantedDefect.Ensemble, 40, "V7"),
        new(Sabotage.DetectorHasty, PlantedDefect.Ensemble, 30, "V7"),
        new(Sabotage.NodeNumberReused, nameof(TargetedRuns.NewNodeAfterTakeover), 2, "V5"),
        new(Sabotage.RemovedListLost, nameof(TargetedRuns.RemovedNodeReturnsToNewServer), 2, "V5"),
        new(Sabotage.GapPassedTooEarly, nameof(TargetedRuns.SenderCrashesInSeveralViews), 3, "D2", "D4", "D5"),
        new(Sabotage.LatePacketTaken, nameof(TargetedRuns.LatePackets), 3, "D5", "R4"),
        new(Sabotage.NewRangeAbandoned, nameof(TargetedRuns.SenderCrashesInSeveralViews), 10, "D5"),
        new(Sabotage.UnheardStreamClosed, nameof(TargetedRuns.UnheardSenderCrashes), 2, "D5"),
        new(Sabotage.SourceUnchecked, PlantedDefect.Ensemble, 30, "E3"),
        new(Sabotage.ViewRetiredBeforeClosed, nameof(TargetedRuns.SenderCrashesInSeveralViews), 5, "D5"),
        new(Sabotage.GroupForgottenTooEarly, PlantedDefect.Ensemble, 40, "V5"),
        new(Sabotage.NumbersForgottenAtLeave, PlantedDefect.Ensemble, 40, "D1", "D4", "D5", "D7", "D9"),
        new(Sabotage.RestartCountedTwice, nameof(TargetedRuns.MinorityWithRestarts), 2, "V10"),
        new(Sabotage.MajorityCountsDead, nameof(TargetedRuns.MinorityOfTheDead), 2, "V10"),
        new(Sabotage.SightLossIgnored, nameof(TargetedRuns.HostCutOff), 2, "V10"),
        new(Sabotage.PathNeverNarrows, nameof(TargetedRuns.NarrowWay), 2, "D7"),
        new(Sabotage.PartsMisplaced, nameof(TargetedRuns.NarrowWay), 2, "D7", "D8", "E2"),
    ];

    // Those whose failing runs are cut down: found in few seeds, by different invariants, in runs that are data.
    private static readonly Sabotage[] Shrunk =
    [
        Sabotage.AckBeforeStore, Sabotage.PartitionMap, Sabotage.NumberSkipped, Sabotage.EarlyCleanup, Sabotage.PendingReleasedTwice,
        Sabotage.GapPassedTooEarly,
    ];

    public static TheoryData<string> Defects => [.. All.Select(defect => defect.Sabotage.ToString())];

    public static TheoryData<string> Places => [.. PlantedDefect.Places];

    [Fact]
    public void EveryDefectIsLookedFor() =>
        Assert.Equal(Enum.GetValues<Sabotage>().Where(sabotage => sabotage != Sabotage.None), All.Select(defect => defect.Sabotage).Order());

    [Theory]
    [MemberData(nameof(Defects))]
    public void ADefectIsFound(string defect)
    {
        PlantedDefect planted = Find(defect);
        for (int index = 0; index < planted.Within; index++)
        {
            if (PlantedDefect.Run(planted.Place, index, planted.Sabotage) is not { } violation) continue;
            Assert.True(
                planted.Invariants.Contains(violation.Invariant) || IsAnAssertionOfTheCode(violation.Message),
                $"{defect} was found by another invariant than expected: {violation.Message}");
            TestContext.Current.TestOutputHelper?.WriteLine(
                $"| {defect} | {planted.Place} | {index + 1} | {violation.Invariant} | {violation.Message}");
            return;
        }
        Assert.Fail($"{defect} was not found within {planted.Within} seeds of {planted.Place}");
    }

    // In a debug build the code's own assertions may come before the invariants; in others there are none.
    private static bool IsAnAssertionOfTheCode(string message) => message.Contains("Debug.Assert()", StringComparison.Ordinal);

    [Theory]
    [MemberData(nameof(Places))]
    public void TheUnbrokenProtocolIsCleanThere(string place)
    {
        for (int index = 0; index < CleanSeeds; index++)
        {
            (string Invariant, string Message)? violation = PlantedDefect.Run(place, index, Sabotage.None);
            Assert.True(violation is null, $"seed {index + 1} of {place}: {violation?.Message}");
        }
    }

    [Fact]
    public void FailuresAreCutDownToAFewFaultsAndNodes()
    {
        foreach (Sabotage sabotage in Shrunk)
        {
            PlantedDefect planted = Find(sabotage.ToString());
            int index = 0;
            while (PlantedDefect.Run(planted.Place, index, sabotage) is null) Assert.True(++index < planted.Within, $"{sabotage} was not found");
            ShrinkResult result = Shrinker.Shrink(
                PlantedDefect.Spec(planted.Place, index, sabotage)!, spec => RunExecution.Execute(spec, 20_000_000).Violation, Longest);
            int nodes = result.Spec.Options.Nodes - result.Spec.Options.Absent.Count;
            TestContext.Current.TestOutputHelper?.WriteLine(
                $"| {sabotage} | {result.Spec.Faults.Count} faults | {nodes} nodes | {result.Violation.Invariant} |");
            Assert.True(
                result.Spec.Faults.Count <= 5 && nodes <= 7,
                $"{sabotage} was cut down to {result.Spec.Faults.Count} faults and {nodes} nodes only");
        }
    }

    private static PlantedDefect Find(string defect) => Array.Find(All, planted => planted.Sabotage.ToString() == defect)!;
}
