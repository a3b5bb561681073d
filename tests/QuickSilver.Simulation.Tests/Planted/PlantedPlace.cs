using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;
using QuickSilver.Testing.Runs;
using QuickSilver.Testing.Runs.Generation;

namespace QuickSilver.Simulation.Tests.Planted;

/// <summary>
/// Places at which planted defects are looked for: each is a row of runs. Most defects show in random runs within a few
/// seeds; the others have runs that are aimed at them.
/// </summary>
internal static class PlantedPlace
{
    /// <summary>The ensemble of long runs: the generator's, with few nodes.</summary>
    public const string Ensemble = "ensemble";

    /// <summary>The ensemble of short, dense runs in which nodes join and leave.</summary>
    public const string Moves = "moves";

    /// <summary>Events after which a run is given up.</summary>
    public const ulong MostEvents = 20_000_000;

    private const ulong FirstOfEnsemble = 810_001;
    private const ulong FirstOfMoves = 5_001;

    private static readonly GeneratorOptions Bounds = new()
    {
        MinNodes = 3,
        MaxNodes = 12,
        MaxLength = TimeSpan.FromSeconds(30),
        Modes = false,
        Without = [FaultKind.Stutter, FaultKind.RestartStorm, FaultKind.FlappingWay],
    };

    private static readonly Dictionary<string, Func<ulong, RunSpec>> Targeted = new(StringComparer.Ordinal)
    {
        [nameof(TargetedRuns.LastMessageLost)] = TargetedRuns.LastMessageLost,
        [nameof(TargetedRuns.MulticastComesBack)] = TargetedRuns.MulticastComesBack,
        [nameof(TargetedRuns.NoPacketsArrive)] = TargetedRuns.NoPacketsArrive,
        [nameof(TargetedRuns.StuckMember)] = TargetedRuns.StuckMember,
        [nameof(TargetedRuns.LateralRepairMoves)] = TargetedRuns.LateralRepairMoves,
        [nameof(TargetedRuns.LateStep)] = TargetedRuns.LateStep,
        [nameof(TargetedRuns.LateSender)] = TargetedRuns.LateSender,
        [nameof(TargetedRuns.LatePublisher)] = TargetedRuns.LatePublisher,
        [nameof(TargetedRuns.PublisherGoesWithServer)] = TargetedRuns.PublisherGoesWithServer,
        [nameof(TargetedRuns.PartitionsMiss)] = TargetedRuns.PartitionsMiss,
        [nameof(TargetedRuns.NewNodeAfterTakeover)] = TargetedRuns.NewNodeAfterTakeover,
        [nameof(TargetedRuns.RemovedNodeReturnsToNewServer)] = TargetedRuns.RemovedNodeReturnsToNewServer,
        [nameof(TargetedRuns.GroupsOfTwoWays)] = TargetedRuns.GroupsOfTwoWays,
        [nameof(TargetedRuns.HybridGroup)] = TargetedRuns.HybridGroup,
        [nameof(TargetedRuns.LeaveAndJoinAtOnce)] = TargetedRuns.LeaveAndJoinAtOnce,
        [nameof(TargetedRuns.SenderCrashesInSeveralViews)] = TargetedRuns.SenderCrashesInSeveralViews,
        [nameof(TargetedRuns.LatePackets)] = TargetedRuns.LatePackets,
        [nameof(TargetedRuns.UnheardSenderCrashes)] = TargetedRuns.UnheardSenderCrashes,
        [nameof(TargetedRuns.NarrowWay)] = TargetedRuns.NarrowWay,
        [nameof(TargetedRuns.UnheardStream)] = TargetedRuns.UnheardStream,
        [nameof(TargetedRuns.MinorityWithRestarts)] = TargetedRuns.MinorityWithRestarts,
        [nameof(TargetedRuns.MinorityOfTheDead)] = TargetedRuns.MinorityOfTheDead,
        [nameof(TargetedRuns.LongMessagesCut)] = TargetedRuns.LongMessagesCut,
        [nameof(TargetedRuns.LongMessagesLeft)] = TargetedRuns.LongMessagesLeft,
        [nameof(TargetedRuns.SealedAmongStrangers)] = TargetedRuns.SealedAmongStrangers,
        [nameof(TargetedRuns.SealedModes)] = TargetedRuns.SealedModes,
        [nameof(TargetedRuns.HostCutOff)] = TargetedRuns.HostCutOff,
        [nameof(TargetedRuns.LateralMoves)] = TargetedRuns.LateralMoves,
        [nameof(TargetedRuns.LateralLateStep)] = TargetedRuns.LateralLateStep,
        [nameof(TargetedRuns.LateralTurns)] = TargetedRuns.LateralTurns,
        [nameof(TargetedRuns.LateralStaggered)] = TargetedRuns.LateralStaggered,
        [nameof(TargetedRuns.TimedMembersCome)] = TargetedRuns.TimedMembersCome,
        [nameof(TargetedRuns.TimedLatest)] = TargetedRuns.TimedLatest,
        [nameof(TargetedRuns.TimedMerged)] = TargetedRuns.TimedMerged,
        [nameof(TargetedRuns.StuckViewsWithOldKeys)] = TargetedRuns.StuckViewsWithOldKeys,
    };

    /// <summary>Names of all places.</summary>
    public static IEnumerable<string> All => [Ensemble, Moves, .. Targeted.Keys];

    /// <summary>A run at a place, as data; null where runs are not data.</summary>
    /// <param name="place">The place.</param>
    /// <param name="index">Which of its seeds, from 0.</param>
    public static RunSpec? Spec(string place, int index)
    {
        if (place == Moves) return null;
        RunSpec spec = place == Ensemble
            ? RunGenerator.Generate(FirstOfEnsemble + (ulong)index, Bounds)
            : Targeted[place](1 + (ulong)index);
        return spec with { SettleLimit = TimeSpan.FromSeconds(60) };
    }

    /// <summary>Executes a run at a place.</summary>
    /// <param name="place">The place.</param>
    /// <param name="index">Which of its seeds, from 0.</param>
    /// <returns>The promise that was broken; null when none was.</returns>
    public static Violation? Run(string place, int index)
    {
        if (Spec(place, index) is { } spec) return RunExecution.Execute(spec, MostEvents).Violation;
        Scenario scenario = RandomScenario.MakeWithMoves(FirstOfMoves + (ulong)index, 8, nameof(PlantedDefect));
        try
        {
            (scenario with { SettleLimit = TimeSpan.FromSeconds(60) }).Run();
            return null;
        }
        catch (InvariantViolationException broken)
        {
            return new Violation(broken.Invariant, broken.Message);
        }
    }
}
