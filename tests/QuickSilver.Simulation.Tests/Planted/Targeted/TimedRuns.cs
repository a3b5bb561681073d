using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Timed;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Runs;
using static QuickSilver.Simulation.Tests.Planted.Targeted.TargetedRun;

namespace QuickSilver.Simulation.Tests.Planted.Targeted;

/// <summary>Runs aimed at defects of timed groups.</summary>
internal static class TimedRuns
{
    /// <summary>Members come to a timed group in mid-stream, one more every half second, and lose much.</summary>
    public static RunSpec TimedMembersCome(ulong seed) => Make(seed, nodes: 5) with
    {
        Options = Make(seed, nodes: 5).Options with
        {
            Network = new NetworkModel { Link = new LinkModel { Loss = 0.25 } },
        },
        Groups = [[MainTimed], [MainTimed], [], [], []],
        Plans =
        [
            new SendPlan(0, MainTimed, 400, Millis(10)) { Start = Millis(1000), MinBytes = 100, MaxBytes = 2_500 },
        ],
        Actions =
        [
            new GroupJoin(Millis(1500), 2, [MainTimed]), new GroupJoin(Millis(2000), 3, [MainTimed]),
            new GroupJoin(Millis(2500), 4, [MainTimed]), new GroupLeave(Millis(3500), 2, [MainTimed]),
        ],
    };

    /// <summary>Regions are merged whose members differ in their timed groups.</summary>
    public static RunSpec TimedMerged(ulong seed)
    {
        const string other = SimulatedModes.Timed + "h";
        RunSpec run = Make(
            seed, nodes: 4,
            membership: new MembershipServerSettings { FailureTimeout = Millis(600_000), MaxRegions = 1 });
        return run with
        {
            Groups = [[MainTimed, other], [MainTimed, other], [MainTimed], [other]],
            Plans =
            [
                new SendPlan(0, MainTimed, 200, Millis(10)) { Start = Millis(1000) },
                new SendPlan(1, other, 200, Millis(10)) { Start = Millis(1000) },
            ],
        };
    }

    /// <summary>Objects move in a timed group with latest-only delivery, and much is lost and overtaken.</summary>
    public static RunSpec TimedLatest(ulong seed) => Make(seed, nodes: 4) with
    {
        Options = Make(seed, nodes: 4).Options with
        {
            Network = new NetworkModel { Link = new LinkModel { Loss = 0.2, Reordering = 0.2 } },
            Timed = new TimedSettings { LatestOnly = true, ReplacementWait = TimeSpan.Zero },
            TimedKeys = 3,
        },
        Groups = [[MainTimed], [MainTimed], [MainTimed], [MainTimed]],
        Plans = [new SendPlan(0, MainTimed, 400, Millis(5)) { Start = Millis(1000) }],
    };
}
