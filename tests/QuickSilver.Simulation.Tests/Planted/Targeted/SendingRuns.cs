using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Flow.Control;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Runs;
using static QuickSilver.Simulation.Tests.Planted.Targeted.TargetedRun;

namespace QuickSilver.Simulation.Tests.Planted.Targeted;

/// <summary>Runs aimed at defects of sending: streams, ways, hybrid packets and long messages.</summary>
internal static class SendingRuns
{
    /// <summary>The last message of a sender that is no member of its receivers' region is lost everywhere, when the
    /// one before it is about to be acknowledged: only beacons can tell of it.</summary>
    public static RunSpec LastMessageLost(ulong seed) => Make(seed, nodes: 4) with
    {
        Groups = [[Main, "own"], [Main], [Main], [Main]],
        Plans = [new SendPlan(0, Main, 200, Millis(1)) { Start = Millis(1000) }],
        Faults = [
            new KindLoss(Millis(1198) + (Millis(0.1) * (seed % 20)), Millis(10), DatagramKind.Data, 100, 0, null)],
    };

    /// <summary>Multicast is out for a few seconds, for all or for one member, and a sender goes on for long after
    /// that.</summary>
    public static RunSpec MulticastComesBack(ulong seed) => Make(seed, nodes: 4) with
    {
        Options = Make(seed, nodes: 4).Options with { Network = new NetworkModel() },
        Plans = [new SendPlan(0, Main, 2_500, Millis(20)) { Start = Millis(1000) }],
        Faults = [new MulticastOutage(Millis(1500), Millis(5000), seed % 2 == 0 ? null : 2)],
    };

    /// <summary>A node sends to groups that go different ways, at the same time and in one order.</summary>
    public static RunSpec GroupsOfTwoWays(ulong seed) => Make(seed, nodes: 4) with
    {
        Groups = [[Main, "wide"], ["wide"], [Main, "wide"], [Main, "wide"]],
        Plans =
        [
            new SendPlan(2, Main, 300, Millis(1)) { Start = Millis(1000), Staged = true },
            new SendPlan(2, "wide", 300, Millis(1)) { Start = Millis(1000), Staged = true },
        ],
    };

    /// <summary>A hybrid group spans three regions, of which one has other traffic as well; more is sent than the rate
    /// lets pass, by a node that is no member as well, and while a node moves between the regions.</summary>
    public static RunSpec HybridGroup(ulong seed)
    {
        var slow = new DisseminationSettings { Rate = new RateSettings { Initial = 400, Fixed = true } };
        RunSpec run = Make(seed, nodes: 8, node: new NodeSettings { Dissemination = slow });
        return run with
        {
            Options = run.Options with { HybridGroups = [Main] },
            Groups = [[Main, "a"], [Main, "a"], [Main, "b"], [Main, "b"], [Main], [Main], [Main], []],
            Publishers = [[], [], [], [], [], [], [], [Main]],
            Plans =
            [
                new SendPlan(0, Main, 600, Millis(1)) { Start = Millis(1000), MinBytes = 800, MaxBytes = 1_200 },
                new SendPlan(3, Main, 200, Millis(4))
                {
                    Start = Millis(1000), MinBytes = 10, MaxBytes = 3_000, Long = true,
                },
                new SendPlan(7, Main, 200, Millis(4)) { Start = Millis(1000), MaxBytes = 2_000 },
                new SendPlan(0, "a", 200, Millis(3)) { Start = Millis(900) },
                new SendPlan(3, "b", 150, Millis(3)) { Start = Millis(900) },
            ],
            Actions = [new GroupJoin(Millis(1300), 6, ["b"]), new GroupLeave(Millis(1800), 6, ["b"])],
        };
    }

    /// <summary>Within long messages, one sender crashes, and another leaves the group but not the cluster.</summary>
    public static RunSpec LongMessagesCut(ulong seed) => Make(seed, nodes: 4, membership: Hasty()) with
    {
        Groups = [[Main], [Main, "other"], [Main], [Main]],
        Plans =
        [
            new SendPlan(0, Main, 400, Millis(5)) { Start = Millis(1000), Long = true, MaxBytes = 3_000 },
            new SendPlan(1, Main, 400, Millis(5)) { Start = Millis(1000), Long = true, MaxBytes = 3_000 },
        ],
        Actions = [new GroupLeave(Millis(2000) + Millis(seed % 50), 1, [Main])],
        Faults = [new NodeCrash(Millis(2200) + Millis(seed % 50), 0)],
    };

    /// <summary>As <see cref="LongMessagesCut"/>, but who leaves says nothing of the messages that it breaks
    /// off.</summary>
    public static RunSpec LongMessagesLeft(ulong seed)
    {
        RunSpec spec = LongMessagesCut(seed);
        return spec with { Options = spec.Options with { GivesUpLongMessages = false } };
    }
}
