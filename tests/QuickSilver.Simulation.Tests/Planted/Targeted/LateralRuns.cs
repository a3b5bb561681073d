using QuickSilver.Protocol.Lateral;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Timed;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Runs;
using static QuickSilver.Simulation.Tests.Planted.Targeted.TargetedRun;

namespace QuickSilver.Simulation.Tests.Planted.Targeted;

/// <summary>Runs aimed at defects of lateral groups.</summary>
internal static class LateralRuns
{
    /// <summary>Members of a lateral group leave and join at once, while much of what is sent to them is
    /// lost.</summary>
    public static RunSpec LateralMoves(ulong seed)
    {
        RunSpec run = MembershipRuns.LeaveAndJoinAtOnce(seed);
        return InLateral(run) with
        {
            Plans =
            [
                new SendPlan(0, MainLateral, 400, Millis(5)) { Start = Millis(1000), MaxBytes = 3_000 },
                new SendPlan(1, MainLateral, 200, Millis(10)) { Start = Millis(1000), MaxBytes = 300 },
            ],
        };
    }

    /// <summary>As <see cref="MembershipRuns.LateStep"/>, in a lateral group.</summary>
    public static RunSpec LateralLateStep(ulong seed) => InLateral(MembershipRuns.LateStep(seed));

    /// <summary>One member of a lateral group gets no packets for a while, only repairs. Packets are so rare that none
    /// pays for a repair: each comes in its turn, before its loss is known.</summary>
    public static RunSpec LateralTurns(ulong seed)
    {
        RunSpec run = Make(seed, nodes: 5);
        return InLateral(run) with
        {
            Options = run.Options with { Network = new NetworkModel(), LateralWithin = Millis(85) },
            Plans =
            [
                // Never two within the time that a packet waits: a repair of both would give neither.
                new SendPlan(0, MainLateral, 30, Millis(160)) { Start = Millis(1000), MaxBytes = 900 },
                new SendPlan(1, MainLateral, 30, Millis(160)) { Start = Millis(1080), MaxBytes = 900 },
            ],
            Faults =
            [
                new KindLoss(
                    Millis(1500), Millis(4000), DatagramKind.LateralData, int.MaxValue, null, (int)(seed % 3) + 2),
            ],
        };
    }

    /// <summary>As <see cref="LateralTurns"/>, with two repairs that are filled in turn for each member.</summary>
    public static RunSpec LateralStaggered(ulong seed)
    {
        RunSpec run = LateralTurns(seed);
        return run with { Options = run.Options with { Lateral = new LateralSettings { Stagger = 2 } } };
    }

    private static RunSpec InLateral(RunSpec run)
    {
        IReadOnlyList<string> Names(IReadOnlyList<string> groups) =>
            [.. groups.Select(static name => name == Main ? MainLateral : name)];
        return run with
        {
            Groups = [.. run.Groups.Select(Names)],
            Plans = [.. run.Plans.Select(static plan => plan with { Group = MainLateral })],
            Actions =
            [
                .. run.Actions.Select(action => action switch
                {
                    GroupJoin join => join with { Groups = Names(join.Groups) },
                    LeaveThenJoin both => both with { Groups = Names(both.Groups) },
                    _ => action,
                }),
            ],
        };
    }
}
