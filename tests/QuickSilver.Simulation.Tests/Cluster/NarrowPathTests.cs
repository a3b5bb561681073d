using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Stack;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Simulation.Tests.Cluster;

/// <summary>Ways that drop datagrams by their length: found, measured, and packed for, in bounded time.</summary>
public class NarrowPathTests
{
    private const int Passes = 1_228;

    private static readonly TimeSpan Forever = Timeout.InfiniteTimeSpan;

    /// <summary>Directions of a cluster of four in which long datagrams vanish: node 0 sends.</summary>
    public static TheoryData<int?, int?, bool> Ways => new()
    {
        { null, 2, true }, { 0, null, true }, { 0, 2, true }, { null, null, true }, { 2, null, true },
        { null, 2, false }, { 0, null, false }, { 0, 2, false },
    };

    [Theory]
    [MemberData(nameof(Ways))]
    public void WhatIsTooLongForAWayArrivesInPartsAndLaterPacketsFit(int? from, int? to, bool multicast)
    {
        SimulatedCluster cluster = Make(1, multicast);
        cluster.Inject(new LengthLimit(TimeSpan.Zero, Forever, from, to, Passes));
        cluster.JoinAll("group");
        Send(cluster, TimeSpan.FromSeconds(2), messages: 4_000);
        cluster.RunFor(TimeSpan.FromSeconds(6));
        cluster.Settle(TimeSpan.FromSeconds(4));

        // What goes by a way that nobody else's packets take is not measured: nothing is missing.
        ulong dropped = cluster.NetworkCounters.Blocked;
        Send(cluster, TimeSpan.FromSeconds(1), messages: 2_000);
        cluster.RunFor(TimeSpan.FromSeconds(1.2));
        cluster.Settle(TimeSpan.FromSeconds(1));
        Assert.Equal(dropped, cluster.NetworkCounters.Blocked);
        bool isSendersWay = from is null or 0;
        Assert.Equal(isSendersWay ? 1_208 : 1_400, SlotOf(cluster, 0));
        cluster.Shutdown();
    }

    [Fact]
    public void AHugePacketThatWasSentBeforeArrivesInManyParts()
    {
        SimulatedCluster cluster = Make(2, multicast: true, slot: 60_000);
        cluster.Inject(new LengthLimit(TimeSpan.Zero, Forever, null, 1, 600));
        cluster.JoinAll("group");
        cluster.Start(new SendPlan(0, "group", 50, TimeSpan.FromMilliseconds(1)) { MinBytes = 50_000, MaxBytes = 50_000 });
        cluster.Settle(TimeSpan.FromSeconds(10));
        Assert.Equal(504, SlotOf(cluster, 0));
        cluster.Shutdown();
    }

    [Fact]
    public void AWayThatBecomesNarrowIsFoundAndOneThatBecomesWideIsTakenAgain()
    {
        SimulatedCluster cluster = Make(3, multicast: true);
        cluster.JoinAll("group");
        Send(cluster, TimeSpan.FromSeconds(1), messages: 2_000);
        cluster.RunFor(TimeSpan.FromSeconds(1));
        Assert.Equal(1_400, SlotOf(cluster, 0));
        cluster.Inject(new LengthLimit(cluster.Elapsed, TimeSpan.FromSeconds(30), null, 2, Passes));
        Send(cluster, TimeSpan.FromSeconds(200), messages: 20_000);
        cluster.RunFor(TimeSpan.FromSeconds(5));
        Assert.Equal(1_208, SlotOf(cluster, 0));
        cluster.RunFor(TimeSpan.FromSeconds(100));
        Assert.Equal(1_400, SlotOf(cluster, 0));
        cluster.Settle(TimeSpan.FromSeconds(110));
        cluster.Shutdown();
    }

    [Fact]
    public void ANarrowWayIsRememberedInTheNextView()
    {
        SimulatedCluster cluster = Make(4, multicast: true);
        cluster.Inject(new LengthLimit(TimeSpan.Zero, Forever, null, 2, Passes));
        SimulatedNode[] first = [.. cluster.Nodes.Take(3)];
        cluster.Await([.. first.Select(node => node.Join("group"))]);
        Send(cluster, TimeSpan.FromSeconds(1), messages: 1_000);
        cluster.Settle(TimeSpan.FromSeconds(10));
        cluster.Await(cluster.Nodes[3].Join("group"));
        ulong dropped = cluster.NetworkCounters.Blocked;
        Send(cluster, TimeSpan.FromSeconds(1), messages: 1_000);
        cluster.Settle(TimeSpan.FromSeconds(10));
        Assert.Equal(dropped, cluster.NetworkCounters.Blocked);
        cluster.Shutdown();
    }

    // The packets of a sender that dies before its receiver has found out come from peers, by the same narrow way.
    [Fact]
    public void WhatADeadSenderLeftComesFromPeersInParts()
    {
        SimulatedCluster cluster = Make(5, multicast: true);
        cluster.Inject(new LengthLimit(TimeSpan.Zero, Forever, null, 2, Passes));
        cluster.Inject(new NodeCrash(TimeSpan.FromMilliseconds(1_300), 0));
        cluster.JoinAll("group");
        cluster.RunFor(TimeSpan.FromSeconds(1) - cluster.Elapsed);
        Send(cluster, TimeSpan.FromSeconds(1), messages: 2_000);
        cluster.RunFor(TimeSpan.FromSeconds(1));
        cluster.Settle(TimeSpan.FromSeconds(20));
        cluster.Shutdown();
    }

    [Theory]
    [InlineData(11)]
    [InlineData(12)]
    [InlineData(13)]
    public void LossBesideTheLimitDoesNotKeepTheWayFromBeingFound(ulong seed)
    {
        SimulatedCluster cluster = Make(seed, multicast: true, loss: 0.1);
        cluster.Inject(new LengthLimit(TimeSpan.Zero, Forever, null, 2, Passes));
        cluster.JoinAll("group");
        Send(cluster, TimeSpan.FromSeconds(4), messages: 4_000);
        cluster.RunFor(TimeSpan.FromSeconds(4));
        cluster.Settle(TimeSpan.FromSeconds(10));
        Assert.InRange(SlotOf(cluster, 0), 504, 1_208);
        cluster.Shutdown();
    }

    // The members' interfaces differ from the start: nothing has to be lost for it.
    [Fact]
    public void PacketsFitTheMembersInterfacesFromTheBeginning()
    {
        SimulatedCluster cluster = Make(6, multicast: true, slot: 8_928, interfaces: [8_928, 8_928, 1_428, 8_928]);
        cluster.JoinAll("group");
        Send(cluster, TimeSpan.FromSeconds(1), messages: 2_000);
        cluster.Settle(TimeSpan.FromSeconds(5));
        Assert.Equal(1_428, SlotOf(cluster, 0));
        Assert.Equal(0UL, cluster.NetworkCounters.Blocked);
        cluster.Shutdown();
    }

    private static int SlotOf(SimulatedCluster cluster, int node) => cluster.Nodes[node].Stack.Rooms.Disseminator.ShortestSlot;

    private static void Send(SimulatedCluster cluster, TimeSpan time, int messages) =>
        cluster.Start(new SendPlan(0, "group", messages, time / messages) { MinBytes = 1_300, MaxBytes = 1_300 });

    private static SimulatedCluster Make(
        ulong seed, bool multicast, int slot = 1_400, double loss = 0, IReadOnlyList<int>? interfaces = null) => new(new SimulationOptions
        {
            Nodes = 4,
            Seed = seed,
            Network = new NetworkModel
            {
                SlotBytes = slot,
                Multicast = multicast,
                Interfaces = interfaces ?? [],
                Link = new LinkModel { Loss = loss },
            },
            Membership = new MembershipServerSettings { FailureTimeout = TimeSpan.FromSeconds(3) },
        });
}
