using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Flow.Control;
using QuickSilver.Protocol.Lateral;
using QuickSilver.Protocol.Lateral.Regions;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Timed;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Runs;
using QuickSilver.Testing.Security;

namespace QuickSilver.Simulation.Tests.Planted;

/// <summary>
/// Runs aimed at one kind of defect each, where random runs would need too many seeds. The seed still decides the
/// network and all else.
/// </summary>
internal static class TargetedRuns
{
    private const string Group = "group";
    private const string Timed = SimulatedModes.Timed + "g";

    /// <summary>The last message of a sender that is no member of its receivers' region is lost everywhere, when the
    /// one before it is about to be acknowledged: only beacons can tell of it.</summary>
    public static RunSpec LastMessageLost(ulong seed) => Make(seed, nodes: 4) with
    {
        Groups = [[Group, "own"], [Group], [Group], [Group]],
        Plans = [new SendPlan(0, Group, 200, Millis(1)) { Start = Millis(1000) }],
        Faults = [
            new KindLoss(Millis(1198) + (Millis(0.1) * (seed % 20)), Millis(10), DatagramKind.Data, 100, 0, null)],
    };

    /// <summary>Control reaches a member, and packets do not, by any way.</summary>
    public static RunSpec NoPacketsArrive(ulong seed) => Make(seed, nodes: 4) with
    {
        Plans = [new SendPlan(0, Group, 200, Millis(20)) { Start = Millis(1000) }],
        Faults =
        [
            new KindLoss(Millis(1500), Millis(10_000), DatagramKind.Data, int.MaxValue, null, 2),
            new KindLoss(Millis(1500), Millis(10_000), DatagramKind.Repair, int.MaxValue, null, 2),
        ],
        HealAt = Millis(12_000),
    };

    /// <summary>Multicast is out for a few seconds, for all or for one member, and a sender goes on for long after
    /// that.</summary>
    public static RunSpec MulticastComesBack(ulong seed) => Make(seed, nodes: 4) with
    {
        Options = Make(seed, nodes: 4).Options with { Network = new NetworkModel() },
        Plans = [new SendPlan(0, Group, 2_500, Millis(20)) { Start = Millis(1000) }],
        Faults = [new MulticastOutage(Millis(1500), Millis(5000), seed % 2 == 0 ? null : 2)],
    };

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
            new SendPlan(0, Group, 600, Millis(4)) { Start = Millis(1000) },
            new SendPlan(3, Group, 300, Millis(4)) { Start = Millis(1000) },
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
            Groups = [.. Enumerable.Repeat<IReadOnlyList<string>>([Lateral, Timed], 5)],
            Plans =
            [
                new SendPlan(0, Lateral, 600, Millis(4)) { Start = Millis(1000), MaxBytes = 2_000 },
                new SendPlan(1, Timed, 600, Millis(4)) { Start = Millis(1000), MaxBytes = 2_000 },
                new SendPlan(3, Timed, 200, Millis(4)) { Start = Millis(1000) },
            ],
        };
    }

    /// <summary>A member stands still while others fill their caches with what it has not got.</summary>
    public static RunSpec StuckMember(ulong seed) =>
        Make(seed, nodes: 4, node: new NodeSettings { CacheBytes = 100_000 }) with
        {
            Plans =
            [
                new SendPlan(0, Group, 1_000, Millis(1)) { Start = Millis(1000), MinBytes = 1_000, MaxBytes = 1_000 },
            ],
            Faults = [new NodeFreeze(Millis(1100), Millis(1500), 2)],
        };

    /// <summary>A node sends to groups that go different ways, at the same time and in one order.</summary>
    public static RunSpec GroupsOfTwoWays(ulong seed) => Make(seed, nodes: 4) with
    {
        Groups = [[Group, "wide"], ["wide"], [Group, "wide"], [Group, "wide"]],
        Plans =
        [
            new SendPlan(2, Group, 300, Millis(1)) { Start = Millis(1000), Staged = true },
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
            Options = run.Options with { HybridGroups = [Group] },
            Groups = [[Group, "a"], [Group, "a"], [Group, "b"], [Group, "b"], [Group], [Group], [Group], []],
            Publishers = [[], [], [], [], [], [], [], [Group]],
            Plans =
            [
                new SendPlan(0, Group, 600, Millis(1)) { Start = Millis(1000), MinBytes = 800, MaxBytes = 1_200 },
                new SendPlan(3, Group, 200, Millis(4))
                {
                    Start = Millis(1000), MinBytes = 10, MaxBytes = 3_000, Long = true,
                },
                new SendPlan(7, Group, 200, Millis(4)) { Start = Millis(1000), MaxBytes = 2_000 },
                new SendPlan(0, "a", 200, Millis(3)) { Start = Millis(900) },
                new SendPlan(3, "b", 150, Millis(3)) { Start = Millis(900) },
            ],
            Actions = [new GroupJoin(Millis(1300), 6, ["b"]), new GroupLeave(Millis(1800), 6, ["b"])],
        };
    }

    /// <summary>A member does not hear of a step in time, and packets of that step reach it in a view that it
    /// has.</summary>
    public static RunSpec LateStep(ulong seed) => Make(
        seed,
        nodes: 4,
        membership: new MembershipServerSettings { InstallTimeout = Millis(300), FailureTimeout = Millis(60_000) }) with
    {
        Groups = [[Group], [Group], [Group], ["other"]],
        Plans = [new SendPlan(0, Group, 300, Millis(10)) { Start = Millis(1000) }],
        Actions = [new GroupJoin(Millis(1100), 3, [Group])],
        Faults = [new MembershipStall(Millis(1050), Millis(2000), 1)],
    };

    /// <summary>A sender is late to send in the step that brings a new member.</summary>
    public static RunSpec LateSender(ulong seed) =>
        LateStep(seed) with { Faults = [new MembershipStall(Millis(1050), Millis(2000), 0)] };

    /// <summary>As <see cref="LateSender"/>, of a sender that is no member.</summary>
    public static RunSpec LatePublisher(ulong seed)
    {
        RunSpec run = LateSender(seed);
        return run with { Groups = [[], .. run.Groups.Skip(1)], Publishers = [[Group]] };
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
            Publishers = [[Group]],
            Plans = [new SendPlan(0, Group, 600, Millis(2)) { Start = Millis(1000) }],
            Faults = [new ServerReplacement(Millis(2000)), new NodeCrash(Millis(2000) + Millis(seed % 7), 0)],
        };
    }

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
            Plans = [new SendPlan(0, Group, 200, Millis(5)) { Start = Millis(1000) }],
        };
    }

    /// <summary>A node crashes and is removed, the membership server is lost, and a new node registers with the next
    /// one.</summary>
    public static RunSpec NewNodeAfterTakeover(ulong seed) => Make(seed, nodes: 4, membership: Hasty()) with
    {
        Plans = [new SendPlan(0, Group, 100, Millis(100)) { Start = Millis(1000) }],
        Faults = [new NodeRestart(Millis(2000), Millis(8000), 3), new ServerReplacement(Millis(5000))],
    };

    /// <summary>A node that is cut off from the membership server is removed, and comes back when another server has
    /// taken over.</summary>
    public static RunSpec RemovedNodeReturnsToNewServer(ulong seed) => Make(seed, nodes: 5, membership: Hasty()) with
    {
        // A member that is frozen keeps the views that the removed node was in from retiring.
        Plans = [new SendPlan(0, Group, 400, Millis(10)) { Start = Millis(1000) }],
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
            Plans = [new SendPlan(0, Group, 400, Millis(5)) { Start = Millis(1000) }],
            Actions =
            [
                .. Enumerable.Range(0, 15)
                    .Select(
                        index => new LeaveThenJoin(
                            Millis(1200 + (index / 3 * 300) + (index % 3 * 0.3)), 2 + (index % 3), [Group])),
            ],
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
                new SendPlan(0, Group, 400, Millis(2)) { Start = Millis(1000) },
                new SendPlan(1, Group, 100, Millis(20)) { Start = Millis(1000) },
            ],
            Actions =
            [
                .. Enumerable.Range(0, 6).Select(index => (RunAction)(index % 2 == 0
                    ? new GroupLeave(Millis(1200 + (index * 60)), 5, [Group])
                    : new GroupJoin(Millis(1200 + (index * 60)), 5, [Group]))),
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
            new SendPlan(0, Group, 3, TimeSpan.Zero) { Start = Millis(1500) },
            new SendPlan(1, Group, 100, Millis(20)) { Start = Millis(1000) }],
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
            new SendPlan(5, Group, 30, Millis(50)) { Start = Millis(1000) },
            new SendPlan(1, Group, 700, Millis(2)) { Start = Millis(1000) },
        ],
        Faults = [new KindLoss(Millis(1300), Millis(1000), DatagramKind.Data, 100, 5, 0)],
    };

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

    /// <summary>The host's network is down for longer than a detector period; the others see each other.</summary>
    public static RunSpec HostCutOff(ulong seed) => MakeHosted(seed, nodes: 5) with
    {
        Plans = [new SendPlan(1, Group, 300, Millis(10)) { Start = Millis(1000) }],
        Faults =
        [
            new Islands(Millis(2000), Millis(6000), [[0]], FromServer: false),
            .. Enumerable.Range(1, 4)
            .Select(node => new MembershipStall(Millis(2000), Millis(6000) + Millis(seed % 7), node)),
        ],
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

    /// <summary>Datagrams longer than 1,000 bytes do not reach a member, and never will.</summary>
    public static RunSpec NarrowWay(ulong seed) => Make(seed, nodes: 4) with
    {
        Plans = [new SendPlan(0, Group, 400, Millis(5)) { Start = Millis(1000), MinBytes = 1_000, MaxBytes = 1_300 }],
        Faults = [new LengthLimit(TimeSpan.Zero, Timeout.InfiniteTimeSpan, null, 2, 1_000)],
    };

    /// <summary>Within long messages, one sender crashes, and another leaves the group but not the cluster.</summary>
    public static RunSpec LongMessagesCut(ulong seed) => Make(seed, nodes: 4, membership: Hasty()) with
    {
        Groups = [[Group], [Group, "other"], [Group], [Group]],
        Plans =
        [
            new SendPlan(0, Group, 400, Millis(5)) { Start = Millis(1000), Long = true, MaxBytes = 3_000 },
            new SendPlan(1, Group, 400, Millis(5)) { Start = Millis(1000), Long = true, MaxBytes = 3_000 },
        ],
        Actions = [new GroupLeave(Millis(2000) + Millis(seed % 50), 1, [Group])],
        Faults = [new NodeCrash(Millis(2200) + Millis(seed % 50), 0)],
    };

    /// <summary>As <see cref="LongMessagesCut"/>, but who leaves says nothing of the messages that it breaks
    /// off.</summary>
    public static RunSpec LongMessagesLeft(ulong seed)
    {
        RunSpec spec = LongMessagesCut(seed);
        return spec with { Options = spec.Options with { GivesUpLongMessages = false } };
    }

    /// <summary>Members of a lateral group leave and join at once, while much of what is sent to them is
    /// lost.</summary>
    public static RunSpec LateralMoves(ulong seed)
    {
        RunSpec run = LeaveAndJoinAtOnce(seed);
        return InLateral(run) with
        {
            Plans =
            [
                new SendPlan(0, Lateral, 400, Millis(5)) { Start = Millis(1000), MaxBytes = 3_000 },
                new SendPlan(1, Lateral, 200, Millis(10)) { Start = Millis(1000), MaxBytes = 300 },
            ],
        };
    }

    /// <summary>As <see cref="LeaveAndJoinAtOnce"/>, with lateral repair and several senders.</summary>
    public static RunSpec LateralRepairMoves(ulong seed)
    {
        RunSpec run = LeaveAndJoinAtOnce(seed);
        return run with
        {
            Options = run.Options with { LateralRepair = new RegionRepairSettings { RepairsPerPacket = 6 } },
            Plans =
            [
                new SendPlan(0, Group, 600, Millis(3)) { Start = Millis(1000) },
                new SendPlan(1, Group, 600, Millis(3)) { Start = Millis(1000) },
            ],
        };
    }

    /// <summary>As <see cref="LateStep"/>, in a lateral group.</summary>
    public static RunSpec LateralLateStep(ulong seed) => InLateral(LateStep(seed));

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
                new SendPlan(0, Lateral, 30, Millis(160)) { Start = Millis(1000), MaxBytes = 900 },
                new SendPlan(1, Lateral, 30, Millis(160)) { Start = Millis(1080), MaxBytes = 900 },
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

    private const string Lateral = SimulatedModes.Lateral + Group;

    private static RunSpec InLateral(RunSpec run)
    {
        IReadOnlyList<string> Names(IReadOnlyList<string> groups) =>
            [.. groups.Select(static name => name == Group ? Lateral : name)];
        return run with
        {
            Groups = [.. run.Groups.Select(Names)],
            Plans = [.. run.Plans.Select(static plan => plan with { Group = Lateral })],
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

    /// <summary>Members come to a timed group in mid-stream, one more every half second, and lose much.</summary>
    public static RunSpec TimedMembersCome(ulong seed) => Make(seed, nodes: 5) with
    {
        Options = Make(seed, nodes: 5).Options with
        {
            Network = new NetworkModel { Link = new LinkModel { Loss = 0.25 } },
        },
        Groups = [[Timed], [Timed], [], [], []],
        Plans = [new SendPlan(0, Timed, 400, Millis(10)) { Start = Millis(1000), MinBytes = 100, MaxBytes = 2_500 }],
        Actions =
        [
            new GroupJoin(Millis(1500), 2, [Timed]), new GroupJoin(Millis(2000), 3, [Timed]),
            new GroupJoin(Millis(2500), 4, [Timed]), new GroupLeave(Millis(3500), 2, [Timed]),
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
            Groups = [[Timed, other], [Timed, other], [Timed], [other]],
            Plans =
            [
                new SendPlan(0, Timed, 200, Millis(10)) { Start = Millis(1000) },
                new SendPlan(1, other, 200, Millis(10)) { Start = Millis(1000) },
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
            Plans = [new SendPlan(0, Group, 300, Millis(10)) { Start = Millis(1000) }],
            Faults = [new NodeFreeze(Millis(1100), Millis(4000), 2)],
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
        Groups = [[Timed], [Timed], [Timed], [Timed]],
        Plans = [new SendPlan(0, Timed, 400, Millis(5)) { Start = Millis(1000) }],
    };

    private static MembershipServerSettings Hasty() =>
        new() { FailureTimeout = Millis(3000), ReconnectGrace = Millis(500) };

    private static RunSpec Make(
        ulong seed, int nodes, NodeSettings? node = null, MembershipServerSettings? membership = null) => new()
        {
            Options = new SimulationOptions
            {
                Nodes = nodes,
                Seed = seed,
                Restarts = nodes,
                Network = new NetworkModel { Link = new LinkModel { Loss = 0.02 } },
                Membership = membership ?? new MembershipServerSettings { FailureTimeout = Millis(600_000) },
                Node = node ?? new NodeSettings(),
            },
            Groups = [.. Enumerable.Repeat<IReadOnlyList<string>>([Group], nodes)],
            HealAt = Millis(6000),
            SettleLimit = Millis(30_000),
        };

    private static TimeSpan Millis(double milliseconds) => TimeSpan.FromMilliseconds(milliseconds);
}
