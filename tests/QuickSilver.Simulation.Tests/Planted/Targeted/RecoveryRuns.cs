using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Runs;
using static QuickSilver.Simulation.Tests.Planted.Targeted.TargetedRun;

namespace QuickSilver.Simulation.Tests.Planted.Targeted;

/// <summary>Runs aimed at defects of recovery: repairs, rounds, and the streams of removed senders.</summary>
internal static class RecoveryRuns
{
    /// <summary>Control reaches a member, and packets do not, by any way.</summary>
    public static RunSpec NoPacketsArrive(ulong seed) => Make(seed, nodes: 4) with
    {
        Plans = [new SendPlan(0, Main, 200, Millis(20)) { Start = Millis(1000) }],
        Faults =
        [
            new KindLoss(Millis(1500), Millis(10_000), DatagramKind.Data, int.MaxValue, null, 2),
            new KindLoss(Millis(1500), Millis(10_000), DatagramKind.Repair, int.MaxValue, null, 2),
        ],
        HealAt = Millis(12_000),
    };

    /// <summary>A member stands still while others fill their caches with what it has not got.</summary>
    public static RunSpec StuckMember(ulong seed) =>
        Make(seed, nodes: 4, node: new NodeSettings { CacheBytes = 100_000 }) with
        {
            Plans =
            [
                new SendPlan(0, Main, 1_000, Millis(1)) { Start = Millis(1000), MinBytes = 1_000, MaxBytes = 1_000 },
            ],
            Faults = [new NodeFreeze(Millis(1100), Millis(1500), 2)],
        };

    /// <summary>Whole partitions miss packets, and nobody pulls before the token says so.</summary>
    public static RunSpec PartitionsMiss(ulong seed)
    {
        RunSpec run = Make(seed, nodes: 6, node: new NodeSettings { Recovery = new() { EagerPull = false } });
        return run with
        {
            Options = run.Options with
            {
                Network = new NetworkModel { Link = new LinkModel { Loss = 0.4 } },
                Membership = run.Options.Membership with { Replication = 2 },
            },
            Plans = [new SendPlan(0, Main, 200, Millis(5)) { Start = Millis(1000) }],
        };
    }

    /// <summary>A sender crashes with messages in several views that are not stable, behind links that lose
    /// much.</summary>
    public static RunSpec SenderCrashesInSeveralViews(ulong seed)
    {
        RunSpec run = Make(
            seed, nodes: 6,
            node: new NodeSettings { Recovery = new() { EagerPull = seed % 2 == 0, MinTokenInterval = Millis(100) } },
            membership: Hasty());
        return run with
        {
            Options = run.Options with
            {
                Network = new NetworkModel
                {
                    Link = new LinkModel { Loss = 0.35, Reordering = 0.1, ReorderDelay = Millis(3000) }
                },
                Membership = run.Options.Membership with { Replication = 2 },
            },
            Plans =
            [
                new SendPlan(0, Main, 400, Millis(2)) { Start = Millis(1000) },
                new SendPlan(1, Main, 100, Millis(20)) { Start = Millis(1000) },
            ],
            Actions =
            [
                .. Enumerable.Range(0, 6).Select(index => (RunAction)(index % 2 == 0
                    ? new GroupLeave(Millis(1200 + (index * 60)), 5, [Main])
                    : new GroupJoin(Millis(1200 + (index * 60)), 5, [Main]))),
            ],
            Faults = [new NodeCrash(Millis(1500 + (long)(seed % 50)), 0)],
        };
    }

    /// <summary>A sender crashes, and what it sent before comes by and by, long after.</summary>
    public static RunSpec LatePackets(ulong seed)
    {
        RunSpec run = SenderCrashesInSeveralViews(seed);
        var late = new LinkModel { Loss = 0.3, Reordering = 0.8, ReorderDelay = Millis(2500) };
        NetworkModel network = run.Options.Network with { Overrides = [new LinkOverride(0, null, late)] };
        return run with { Options = run.Options with { Network = network } };
    }

    /// <summary>A sender crashes when only one member, which nobody hears, has ever heard of its stream.</summary>
    public static RunSpec UnheardSenderCrashes(ulong seed) => Make(seed, nodes: 6, membership: Hasty()) with
    {
        Plans = [
            new SendPlan(0, Main, 3, TimeSpan.Zero) { Start = Millis(1500) },
            new SendPlan(1, Main, 100, Millis(20)) { Start = Millis(1000) }],
        Faults =
        [
            .. Enumerable.Range(1, 4).Select(node => new LinkCut(Millis(1400), Millis(400), 0, node)),
            new MuteNode(Millis(1400), Millis(1000), 5),
            new NodeCrash(Millis(1503), 0),
        ],
    };

    /// <summary>A stream that falls silent again and again is not heard by the member that rounds begin with, while
    /// another keeps them going.</summary>
    public static RunSpec UnheardStream(ulong seed) => Make(seed, nodes: 6) with
    {
        Plans =
        [
            new SendPlan(5, Main, 30, Millis(50)) { Start = Millis(1000) },
            new SendPlan(1, Main, 700, Millis(2)) { Start = Millis(1000) },
        ],
        Faults = [new KindLoss(Millis(1300), Millis(1000), DatagramKind.Data, 100, 5, 0)],
    };

    /// <summary>Datagrams longer than 1,000 bytes do not reach a member, and never will.</summary>
    public static RunSpec NarrowWay(ulong seed) => Make(seed, nodes: 4) with
    {
        Plans = [new SendPlan(0, Main, 400, Millis(5)) { Start = Millis(1000), MinBytes = 1_000, MaxBytes = 1_300 }],
        Faults = [new LengthLimit(TimeSpan.Zero, Timeout.InfiniteTimeSpan, null, 2, 1_000)],
    };
}
