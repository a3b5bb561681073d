using QuickSilver.Protocol.Core;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;
using QuickSilver.Testing.Runs;
using QuickSilver.Testing.Runs.Generation;

namespace QuickSilver.Simulation.Tests.Planted;

/// <summary>A defect planted in the protocol, where it is looked for, and which invariants may find it.</summary>
/// <param name="Sabotage">The defect.</param>
/// <param name="Place">Where it is looked for.</param>
/// <param name="Within">Seeds in which it must be found.</param>
/// <param name="Invariants">Who may find it.</param>
internal sealed record PlantedDefect(Sabotage Sabotage, string Place, int Within, params string[] Invariants)
{
    /// <summary>The ensemble of long runs: the generator's, with few nodes.</summary>
    public const string Ensemble = "ensemble";

    /// <summary>The ensemble of short, dense runs in which nodes join and leave.</summary>
    public const string Moves = "moves";

    private const ulong FirstOfEnsemble = 810_001;
    private const ulong FirstOfMoves = 5_001;

    private static readonly GeneratorOptions Bounds = new() { MinNodes = 3, MaxNodes = 12, MaxLength = TimeSpan.FromSeconds(30) };

    private static readonly Dictionary<string, Func<ulong, RunSpec>> Targeted = new(StringComparer.Ordinal)
    {
        [nameof(TargetedRuns.LastMessageLost)] = TargetedRuns.LastMessageLost,
        [nameof(TargetedRuns.MulticastComesBack)] = TargetedRuns.MulticastComesBack,
        [nameof(TargetedRuns.NoPacketsArrive)] = TargetedRuns.NoPacketsArrive,
        [nameof(TargetedRuns.StuckMember)] = TargetedRuns.StuckMember,
        [nameof(TargetedRuns.LateStep)] = TargetedRuns.LateStep,
        [nameof(TargetedRuns.LateSender)] = TargetedRuns.LateSender,
        [nameof(TargetedRuns.PartitionsMiss)] = TargetedRuns.PartitionsMiss,
        [nameof(TargetedRuns.NewNodeAfterTakeover)] = TargetedRuns.NewNodeAfterTakeover,
        [nameof(TargetedRuns.RemovedNodeReturnsToNewServer)] = TargetedRuns.RemovedNodeReturnsToNewServer,
        [nameof(TargetedRuns.LeaveAndJoinAtOnce)] = TargetedRuns.LeaveAndJoinAtOnce,
        [nameof(TargetedRuns.SenderCrashesInSeveralViews)] = TargetedRuns.SenderCrashesInSeveralViews,
        [nameof(TargetedRuns.LatePackets)] = TargetedRuns.LatePackets,
        [nameof(TargetedRuns.UnheardSenderCrashes)] = TargetedRuns.UnheardSenderCrashes,
        [nameof(TargetedRuns.NarrowWay)] = TargetedRuns.NarrowWay,
        [nameof(TargetedRuns.UnheardStream)] = TargetedRuns.UnheardStream,
        [nameof(TargetedRuns.MinorityWithRestarts)] = TargetedRuns.MinorityWithRestarts,
        [nameof(TargetedRuns.MinorityOfTheDead)] = TargetedRuns.MinorityOfTheDead,
        [nameof(TargetedRuns.HostCutOff)] = TargetedRuns.HostCutOff,
    };

    /// <summary>Places at which defects are looked for.</summary>
    public static IEnumerable<string> Places => [Ensemble, Moves, .. Targeted.Keys];

    /// <summary>A run at a place, as data; null where runs are not data.</summary>
    public static RunSpec? Spec(string place, int index, Sabotage sabotage)
    {
        if (place == Moves) return null;
        RunSpec spec = place == Ensemble ? RunGenerator.Generate(FirstOfEnsemble + (ulong)index, Bounds) : Targeted[place](1 + (ulong)index);
        return spec with { SettleLimit = TimeSpan.FromSeconds(60), Options = spec.Options with { Sabotage = sabotage } };
    }

    /// <summary>Executes a run at a place.</summary>
    /// <param name="place">The place.</param>
    /// <param name="index">Which of its seeds, from 0.</param>
    /// <param name="sabotage">The defect.</param>
    /// <returns>What was broken; null when nothing was.</returns>
    public static (string Invariant, string Message)? Run(string place, int index, Sabotage sabotage)
    {
        if (Spec(place, index, sabotage) is { } spec)
            return RunExecution.Execute(spec, mostEvents: 20_000_000).Violation is { } violation ? (violation.Invariant, violation.Message) : null;
        Scenario scenario = RandomScenario.MakeWithMoves(FirstOfMoves + (ulong)index, 8, nameof(PlantedDefect));
        try
        {
            (scenario with { SettleLimit = TimeSpan.FromSeconds(60), Options = scenario.Options with { Sabotage = sabotage } }).Run();
            return null;
        }
        catch (InvariantViolationException broken)
        {
            return (broken.Invariant, broken.Message);
        }
    }
}
