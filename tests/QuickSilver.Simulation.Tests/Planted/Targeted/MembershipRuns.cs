using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Membership;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Runs;
using static QuickSilver.Simulation.Tests.Planted.Targeted.TargetedRun;

namespace QuickSilver.Simulation.Tests.Planted.Targeted;

/// <summary>Runs aimed at defects of membership: steps, removals, and servers that follow each other.</summary>
internal static class MembershipRuns
{
    /// <summary>A member does not hear of a step in time, and packets of that step reach it in a view that it
    /// has.</summary>
    public static RunSpec LateStep(ulong seed) => Make(
        seed,
        nodes: 4,
        membership: new MembershipServerSettings { InstallTimeout = Millis(300), FailureTimeout = Millis(60_000) }) with
    {
        Groups = [[Main], [Main], [Main], ["other"]],
        Plans = [new SendPlan(0, Main, 300, Millis(10)) { Start = Millis(1000) }],
        Actions = [new GroupJoin(Millis(1100), 3, [Main])],
        Faults = [new MembershipStall(Millis(1050), Millis(2000), 1)],
    };

    /// <summary>A sender is late to send in the step that brings a new member.</summary>
    public static RunSpec LateSender(ulong seed) =>
        LateStep(seed) with { Faults = [new MembershipStall(Millis(1050), Millis(2000), 0)] };

    /// <summary>As <see cref="LateSender"/>, of a sender that is no member.</summary>
    public static RunSpec LatePublisher(ulong seed)
    {
        RunSpec run = LateSender(seed);
        return run with { Groups = [[], .. run.Groups.Skip(1)], Publishers = [[Main]] };
    }

    /// <summary>A node that only publishes crashes together with the membership server, while members miss much of what
    /// it sent.</summary>
    public static RunSpec PublisherGoesWithServer(ulong seed)
    {
        RunSpec run = Make(seed, nodes: 5, membership: Hasty());
        return run with
        {
            Options = run.Options with { Network = new NetworkModel { Link = new LinkModel { Loss = 0.3 } } },
            Groups = [[], .. run.Groups.Skip(1)],
            Publishers = [[Main]],
            Plans = [new SendPlan(0, Main, 600, Millis(2)) { Start = Millis(1000) }],
            Faults = [new ServerReplacement(Millis(2000)), new NodeCrash(Millis(2000) + Millis(seed % 7), 0)],
        };
    }

    /// <summary>A node crashes and is removed, the membership server is lost, and a new node registers with the next
    /// one.</summary>
    public static RunSpec NewNodeAfterTakeover(ulong seed) => Make(seed, nodes: 4, membership: Hasty()) with
    {
        Plans = [new SendPlan(0, Main, 100, Millis(100)) { Start = Millis(1000) }],
        Faults = [new NodeRestart(Millis(2000), Millis(8000), 3), new ServerReplacement(Millis(5000))],
    };

    /// <summary>A node that is cut off from the membership server is removed, and comes back when another server has
    /// taken over.</summary>
    public static RunSpec RemovedNodeReturnsToNewServer(ulong seed) => Make(seed, nodes: 5, membership: Hasty()) with
    {
        // A member that is frozen keeps the views that the removed node was in from retiring.
        Plans = [new SendPlan(0, Main, 400, Millis(10)) { Start = Millis(1000) }],
        Faults =
        [
            new MembershipOutage(Millis(2000), Millis(1500) + Millis(seed % 7), 3),
            new NodeFreeze(Millis(1900), Millis(2500), 4),
            new ServerReplacement(Millis(3450)),
        ],
    };

    /// <summary>A member leaves and asks to be let in again at the same instant, while much of what was sent to it is
    /// missing.</summary>
    public static RunSpec LeaveAndJoinAtOnce(ulong seed)
    {
        RunSpec run = Make(
            seed, nodes: 5,
            node: new NodeSettings { Recovery = new() { EagerPull = false, MinTokenInterval = Millis(200) } });
        return run with
        {
            Options = run.Options with { Network = new NetworkModel { Link = new LinkModel { Loss = 0.3 } } },
            Plans = [new SendPlan(0, Main, 400, Millis(5)) { Start = Millis(1000) }],
            Actions =
            [
                .. Enumerable.Range(0, 15)
                    .Select(
                        index => new LeaveThenJoin(
                            Millis(1200 + (index / 3 * 300) + (index % 3 * 0.3)), 2 + (index % 3), [Main])),
            ],
        };
    }

    /// <summary>The host and another process are restarted; one survivor reaches the host, and the other four, who
    /// live, do not for a while.</summary>
    public static RunSpec MinorityWithRestarts(ulong seed) => MakeHosted(seed, nodes: 7) with
    {
        Faults =
        [
            new ServerOutage(Millis(2000), Millis(300)), new NodeRestart(Millis(2000), Millis(300), 0),
            new NodeRestart(Millis(2000), Millis(400) + Millis(seed % 7), 1),
            .. Enumerable.Range(3, 4).Select(node => new MembershipOutage(Millis(1990), Millis(7000), node)),
        ],
    };

    /// <summary>The host is restarted; three survivors reach it, two of which die then, and the other four, who live,
    /// do not for a while.</summary>
    public static RunSpec MinorityOfTheDead(ulong seed) => MakeHosted(seed, nodes: 8) with
    {
        Faults =
        [
            new ServerOutage(Millis(2000), Millis(300)), new NodeRestart(Millis(2000), Millis(300), 0),
            new NodeCrash(Millis(3500) + Millis(seed % 7), 2), new NodeCrash(Millis(3500), 3),
            .. Enumerable.Range(4, 4).Select(node => new MembershipOutage(Millis(1990), Millis(7000), node)),
        ],
    };

    /// <summary>A node of an older build publishes to a group whose members are of a newer one, and ceases. Then a
    /// member is replaced by one of the older build, and that by one of the newer.</summary>
    public static RunSpec OldNodeComesToSend(ulong seed)
    {
        RunSpec run = Make(seed, nodes: 4);
        return run with
        {
            Options = run.Options with { NewestVersions = [3, 3, 3, 2], ServerVersion = 3, Restarts = 2 },
            Groups = [[Main], [Main], [Main], ["other"]],
            Plans =
            [
                new SendPlan(0, Main, 400, Millis(10)) { Start = Millis(1000) },
                new SendPlan(3, Main, 40, Millis(10)) { Start = Millis(2200) },
            ],
            Actions =
            [
                new PublisherOpen(Millis(2000) + Millis(seed % 7), 3, [Main]),
                new PublisherClose(Millis(3000), 3, [Main]),
            ],
            Faults =
            [
                new NodeUpgrade(Millis(4000), Millis(300), 1, 2), new NodeUpgrade(Millis(8000), Millis(300), 1, 3),
            ],
        };
    }

    /// <summary>The host's network is down for longer than a detector period; the others see each other.</summary>
    public static RunSpec HostCutOff(ulong seed) => MakeHosted(seed, nodes: 5) with
    {
        Plans = [new SendPlan(1, Main, 300, Millis(10)) { Start = Millis(1000) }],
        Faults =
        [
            new Islands(Millis(2000), Millis(6000), [[0]], FromServer: false),
            .. Enumerable.Range(1, 4)
            .Select(node => new MembershipStall(Millis(2000), Millis(6000) + Millis(seed % 7), node)),
        ],
    };

    /// <summary>The membership server stands still for two detector periods, while nodes ask to be let in. Late alarms
    /// fire before what came meanwhile is read. It has just made a step, and the way to it is long: the first
    /// heartbeats that it reads were sent before that step came.</summary>
    public static RunSpec ServerStandsStill(ulong seed)
    {
        RunSpec run = Make(
            seed, nodes: 6,
            node: new NodeSettings { HeartbeatInterval = Millis(300) },
            membership: Hasty() with { BatchWindow = Millis(10) });
        return run with
        {
            Options = run.Options with { MembershipLink = new MembershipLinkModel { Delay = Millis(200) } },
            Groups = [[Main], [Main], [Main], [Main], ["other"], ["other"]],
            Plans = [new SendPlan(0, Main, 300, Millis(20)) { Start = Millis(1000) }],
            Actions = [new GroupJoin(Millis(1750), 4, [Main]), new GroupJoin(Millis(10_050), 5, [Main])],
            Faults =
            [
                new ServerFreeze(Millis(2000), Millis(6000), Millis(1 + (20 * (seed % 7)))),
                new ServerFreeze(Millis(10_000), Millis(4000) + Millis(seed % 11), Millis(300)),
            ],
            HealAt = Millis(16_000),
        };
    }

    /// <summary>Two nodes that are in no group accuse all others.</summary>
    public static RunSpec StrangersAccuse(ulong seed) => Make(seed, nodes: 5, membership: Hasty()) with
    {
        Groups = [[Main], [Main], [Main], [], []],
        Plans = [new SendPlan(0, Main, 300, Millis(20)) { Start = Millis(1000) }],
        Faults = [new FalseWitness(Millis(1500), Millis(14_000), 3), new FalseWitness(Millis(1500), Millis(14_000), 4)],
        HealAt = Millis(16_000),
    };

    private static RunSpec MakeHosted(ulong seed, int nodes)
    {
        RunSpec run = Make(seed, nodes, membership: Hasty() with { AwaitMajority = true });
        return run with
        {
            Options = run.Options with { RejoinDelay = Millis(500), Restarts = 8 * nodes },
            HealAt = Millis(9000),
            JoinLimit = Millis(8000),
        };
    }
}
