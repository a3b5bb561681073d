using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Runs;
using QuickSilver.Testing.Security;
using static QuickSilver.Simulation.Tests.Planted.Targeted.TargetedRun;

namespace QuickSilver.Simulation.Tests.Planted.Targeted;

/// <summary>Runs aimed at defects of sealed clusters.</summary>
internal static class SecurityRuns
{
    /// <summary>A secured cluster among strangers that forge, and copies that come late; members go and come.</summary>
    public static RunSpec SealedAmongStrangers(ulong seed) => Make(seed, nodes: 5) with
    {
        Options = Make(seed, nodes: 5).Options with
        {
            Sealing = Sealing.StandIn,
            Restarts = 2,
            Network = new NetworkModel
            {
                Link = new LinkModel { Loss = 0.03, Duplication = 0.05, ReorderDelay = Millis(5) },
            },
        },
        Plans =
        [
            new SendPlan(0, Main, 600, Millis(4)) { Start = Millis(1000) },
            new SendPlan(3, Main, 300, Millis(4)) { Start = Millis(1000) },
        ],
        Faults =
        [
            new ForgedSource(Millis(1000), Millis(6000), 0.3),
            new LateDuplicates(Millis(1000), Millis(6000), 0.2, Millis(4000)),
            new NodeCrash(Millis(2000), 3),
        ],
        Actions = [new GroupJoin(Millis(2500), 4, ["other"])],
    };

    /// <summary>As <see cref="SealedAmongStrangers"/>, in a lateral and a timed group that span two regions.</summary>
    public static RunSpec SealedModes(ulong seed)
    {
        RunSpec run = SealedAmongStrangers(seed);
        return run with
        {
            Groups = [.. Enumerable.Repeat<IReadOnlyList<string>>([MainLateral, MainTimed], 5)],
            Plans =
            [
                new SendPlan(0, MainLateral, 600, Millis(4)) { Start = Millis(1000), MaxBytes = 2_000 },
                new SendPlan(1, MainTimed, 600, Millis(4)) { Start = Millis(1000), MaxBytes = 2_000 },
                new SendPlan(3, MainTimed, 200, Millis(4)) { Start = Millis(1000) },
            ],
        };
    }

    /// <summary>
    /// As <see cref="SealedAmongStrangers"/>, with a node of another cipher, which comes to a region that has begun.
    /// </summary>
    public static RunSpec MixedCiphers(ulong seed)
    {
        RunSpec run = SealedAmongStrangers(seed);
        return run with
        {
            Options = run.Options with { LesserCiphers = [2, 4] },
            Groups = [[Main], [Main], [Main, "other"], [Main], []],
            Actions = [new GroupJoin(Millis(2500), 4, [Main])],
        };
    }

    /// <summary>As <see cref="SendingRuns.HybridGroup"/>, sealed, with late copies and a sender that crashes.</summary>
    public static RunSpec SealedHybrids(ulong seed)
    {
        RunSpec run = SendingRuns.HybridGroup(seed);
        return run with
        {
            Options = run.Options with { Sealing = Sealing.StandIn },
            Faults =
            [
                new ForgedSource(Millis(1000), Millis(3000), 0.3),
                new LateDuplicates(Millis(1000), Millis(3000), 0.2, Millis(4000)),
                new NodeCrash(Millis(1600), 3),
            ],
        };
    }

    /// <summary>A member stands still, so that views do not retire, while keys grow old again and again.</summary>
    public static RunSpec StuckViewsWithOldKeys(ulong seed)
    {
        var membership = new MembershipServerSettings
        {
            FailureTimeout = Millis(600_000),
            RotateAfter = Millis(400),
            InstallTimeout = Millis(200),
        };
        RunSpec run = Make(seed, nodes: 4, membership: membership);
        return run with
        {
            Options = run.Options with { Sealing = Sealing.StandIn },
            Plans = [new SendPlan(0, Main, 300, Millis(10)) { Start = Millis(1000) }],
            Faults = [new NodeFreeze(Millis(1100), Millis(4000), 2)],
        };
    }
}
