using QuickSilver.Simulation.Tests.Planted.Targeted;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;
using QuickSilver.Testing.Runs;
using QuickSilver.Testing.Runs.Generation;
using QuickSilver.Testing.Sites;

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

    /// <summary>Overlays of sites.</summary>
    public const string Sites = "sites";

    /// <summary>The generator's runs, with ordered groups.</summary>
    public const string Ordered = "ordered";

    /// <summary>Events after which a run is given up.</summary>
    public const ulong MostEvents = 20_000_000;

    private const ulong FirstOfEnsemble = 810_001;
    private const ulong FirstOfMoves = 5_001;
    private const ulong FirstOfOrdered = 301;

    private static readonly GeneratorOptions Bounds = new()
    {
        MinNodes = 3,
        MaxNodes = 12,
        MaxLength = TimeSpan.FromSeconds(30),
        Modes = false,
        Without = [FaultKind.Stutter, FaultKind.RestartStorm, FaultKind.FlappingWay, FaultKind.SlowHandler,
            FaultKind.MixedVersions],
    };

    private static readonly Dictionary<string, Func<ulong, RunSpec>> Targeted = new(StringComparer.Ordinal)
    {
        [nameof(SendingRuns.LastMessageLost)] = SendingRuns.LastMessageLost,
        [nameof(SendingRuns.MulticastComesBack)] = SendingRuns.MulticastComesBack,
        [nameof(RecoveryRuns.NoPacketsArrive)] = RecoveryRuns.NoPacketsArrive,
        [nameof(RecoveryRuns.StuckMember)] = RecoveryRuns.StuckMember,
        [nameof(MembershipRuns.LateStep)] = MembershipRuns.LateStep,
        [nameof(MembershipRuns.LateSender)] = MembershipRuns.LateSender,
        [nameof(MembershipRuns.LatePublisher)] = MembershipRuns.LatePublisher,
        [nameof(MembershipRuns.PublisherGoesWithServer)] = MembershipRuns.PublisherGoesWithServer,
        [nameof(RecoveryRuns.PartitionsMiss)] = RecoveryRuns.PartitionsMiss,
        [nameof(MembershipRuns.NewNodeAfterTakeover)] = MembershipRuns.NewNodeAfterTakeover,
        [nameof(MembershipRuns.RemovedNodeReturnsToNewServer)] = MembershipRuns.RemovedNodeReturnsToNewServer,
        [nameof(SendingRuns.GroupsOfTwoWays)] = SendingRuns.GroupsOfTwoWays,
        [nameof(SendingRuns.HybridGroup)] = SendingRuns.HybridGroup,
        [nameof(MembershipRuns.LeaveAndJoinAtOnce)] = MembershipRuns.LeaveAndJoinAtOnce,
        [nameof(RecoveryRuns.SenderCrashesInSeveralViews)] = RecoveryRuns.SenderCrashesInSeveralViews,
        [nameof(RecoveryRuns.LatePackets)] = RecoveryRuns.LatePackets,
        [nameof(RecoveryRuns.UnheardSenderCrashes)] = RecoveryRuns.UnheardSenderCrashes,
        [nameof(RecoveryRuns.NarrowWay)] = RecoveryRuns.NarrowWay,
        [nameof(RecoveryRuns.UnheardStream)] = RecoveryRuns.UnheardStream,
        [nameof(MembershipRuns.MinorityWithRestarts)] = MembershipRuns.MinorityWithRestarts,
        [nameof(MembershipRuns.MinorityOfTheDead)] = MembershipRuns.MinorityOfTheDead,
        [nameof(SendingRuns.LongMessagesCut)] = SendingRuns.LongMessagesCut,
        [nameof(SendingRuns.LongMessagesLeft)] = SendingRuns.LongMessagesLeft,
        [nameof(SecurityRuns.SealedAmongStrangers)] = SecurityRuns.SealedAmongStrangers,
        [nameof(SecurityRuns.MixedCiphers)] = SecurityRuns.MixedCiphers,
        [nameof(SecurityRuns.SealedModes)] = SecurityRuns.SealedModes,
        [nameof(SecurityRuns.SealedHybrids)] = SecurityRuns.SealedHybrids,
        [nameof(MembershipRuns.HostCutOff)] = MembershipRuns.HostCutOff,
        [nameof(MembershipRuns.ServerStandsStill)] = MembershipRuns.ServerStandsStill,
        [nameof(MembershipRuns.StrangersAccuse)] = MembershipRuns.StrangersAccuse,
        [nameof(MembershipRuns.OldNodeComesToSend)] = MembershipRuns.OldNodeComesToSend,
        [nameof(SlowRuns.SlowMember)] = SlowRuns.SlowMember,
        [nameof(SlowRuns.AllSlow)] = SlowRuns.AllSlow,
        [nameof(LateralRuns.LateralMoves)] = LateralRuns.LateralMoves,
        [nameof(LateralRuns.LateralLateStep)] = LateralRuns.LateralLateStep,
        [nameof(LateralRuns.LateralTurns)] = LateralRuns.LateralTurns,
        [nameof(LateralRuns.LateralStaggered)] = LateralRuns.LateralStaggered,
        [nameof(TimedRuns.TimedMembersCome)] = TimedRuns.TimedMembersCome,
        [nameof(TimedRuns.TimedLatest)] = TimedRuns.TimedLatest,
        [nameof(TimedRuns.TimedMerged)] = TimedRuns.TimedMerged,
        [nameof(ElectionRun)] = ElectionRun.Generate,
        [nameof(PeerRun)] = PeerRun.Generate,
        [nameof(PeerRun.Forgotten)] = PeerRun.Forgotten,
        [nameof(SecurityRuns.StuckViewsWithOldKeys)] = SecurityRuns.StuckViewsWithOldKeys,
    };

    /// <summary>Names of all places.</summary>
    public static IEnumerable<string> All => [Ensemble, Moves, Sites, Ordered, .. Targeted.Keys];

    /// <summary>A run at a place, as data; null where runs are not data.</summary>
    /// <param name="place">The place.</param>
    /// <param name="index">Which of its seeds, from 0.</param>
    public static RunSpec? Spec(string place, int index)
    {
        if (place is Moves or Sites) return null;
        RunSpec spec = place switch
        {
            Ensemble => RunGenerator.Generate(FirstOfEnsemble + (ulong)index, Bounds),
            Ordered => RunGenerator.Generate(
                FirstOfOrdered + (ulong)index, Bounds with { Modes = true, Ordered = true }),
            _ => Targeted[place](1 + (ulong)index),
        };
        return spec with { SettleLimit = TimeSpan.FromSeconds(60) };
    }

    /// <summary>Executes a run at a place.</summary>
    /// <param name="place">The place.</param>
    /// <param name="index">Which of its seeds, from 0.</param>
    /// <returns>The promise that was broken; null when none was.</returns>
    public static Violation? Run(string place, int index)
    {
        if (Spec(place, index) is { } spec) return RunExecution.Execute(spec, MostEvents).Violation;
        if (place == Sites) return SiteRun.Execute(1 + (ulong)index);
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
