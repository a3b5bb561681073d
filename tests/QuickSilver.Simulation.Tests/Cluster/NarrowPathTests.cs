using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Sending;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Wire;
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
        cluster.Start(
            new SendPlan(0, "group", 50, TimeSpan.FromMilliseconds(1)) { MinBytes = 50_000, MaxBytes = 50_000 });
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

    // Fillers are lost, too: one full filler that arrives says more than those that did not.
    [Fact]
    public void LossAloneMakesNoWayNarrow() => Seeds.ForEach(Seeds.Range(23, 4), static seed =>
    {
        SimulatedCluster cluster = Make(seed, multicast: true, loss: 0.3);
        cluster.JoinAll("group");
        Send(cluster, TimeSpan.FromSeconds(20), messages: 4_000);
        cluster.RunFor(TimeSpan.FromSeconds(20));
        cluster.Settle(TimeSpan.FromSeconds(30));
        Assert.All(cluster.Nodes, static node => Assert.Equal(0, node.Counters.NarrowPaths));
        cluster.Shutdown();
    });

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

    // Several ways are measured at one time, each by both of its ends alone.
    [Fact]
    public void WaysFromManySendersAreMeasuredAtOnce()
    {
        SimulatedCluster cluster = Make(7, multicast: true, nodes: 8);
        cluster.Inject(new LengthLimit(TimeSpan.Zero, Forever, null, null, Passes));
        cluster.JoinAll("group");
        for (int sender = 0; sender < 8; sender++) Send(cluster, TimeSpan.FromSeconds(2), messages: 400, sender);
        cluster.RunFor(TimeSpan.FromSeconds(4));
        cluster.Settle(TimeSpan.FromSeconds(4));
        Assert.All(cluster.Nodes, node => Assert.Equal(1_208, node.Stack.Rooms.Disseminator.ShortestSlot));
        cluster.Shutdown();
    }

    /// <summary>Nodes, and the direction that is narrow, where the token alone repairs: node 0 sends.</summary>
    public static TheoryData<int, int?, int?> TokenWays => new()
    {
        { 4, null, null }, { 2, null, null }, { 4, 0, null }, { 4, 0, 3 }, { 4, null, 1 },
    };

    [Theory]
    [MemberData(nameof(TokenWays))]
    public void WhereTheTokenAloneRepairsNarrowWaysAreFoundToo(int nodes, int? from, int? to)
    {
        SimulatedCluster cluster = Make(8, multicast: true, nodes: nodes, eagerPull: false);
        cluster.Inject(new LengthLimit(TimeSpan.Zero, Forever, from, to, Passes));
        cluster.JoinAll("group");
        Send(cluster, TimeSpan.FromSeconds(2), messages: 1_000);
        cluster.RunFor(TimeSpan.FromSeconds(4));
        cluster.Settle(TimeSpan.FromSeconds(4));
        Assert.Equal(1_208, SlotOf(cluster, 0));
        cluster.Shutdown();
    }

    // The way from the sender is wide: what was lost comes from peers, and theirs are not.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void ANarrowWayFromAPeerThatRepairsIsFound(bool eagerPull)
    {
        SimulatedCluster cluster = Make(9, multicast: true, loss: 0.05, eagerPull: eagerPull);
        for (int peer = 1; peer < 4; peer++) cluster.Inject(new LengthLimit(TimeSpan.Zero, Forever, peer, 2, Passes));
        // The sender is in another region: it is nobody's neighbour in the ring.
        cluster.Await(cluster.Nodes[0].Join("group", "other"));
        cluster.Await([.. cluster.Nodes.Skip(1).Select(static node => node.Join("group"))]);
        Send(cluster, TimeSpan.FromSeconds(2), messages: 1_000);
        cluster.RunFor(TimeSpan.FromSeconds(4));
        cluster.Settle(TimeSpan.FromSeconds(10));
        Assert.Equal(1_400, SlotOf(cluster, 0));
        cluster.Shutdown();
    }

    // Packets are short and no packet is missing for its length; with so many streams the token is long.
    [Theory]
    [InlineData(1_400)]
    [InlineData(60_000)]
    public void ALongTokenPassesWhereLongDatagramsDoNot(int slot)
    {
        SimulatedCluster cluster = Make(10, multicast: true, slot: slot, nodes: 24);
        cluster.Inject(new LengthLimit(TimeSpan.Zero, Forever, null, 23, 560));
        cluster.JoinAll("group");
        for (int sender = 0; sender < 23; sender++)
        {
            cluster.Start(
                new SendPlan(sender, "group", 50, TimeSpan.FromMilliseconds(40)) { MinBytes = 60, MaxBytes = 60 });
        }
        cluster.RunFor(TimeSpan.FromSeconds(3));
        cluster.Settle(TimeSpan.FromSeconds(4));
        ulong skips = 0;
        foreach (SimulatedNode node in cluster.Nodes) skips += node.Stack.Rooms.RecoveryCounters.TokenSkips;
        Assert.InRange(skips, 0UL, slot > 9_000 ? 12UL : 0UL);
        cluster.Shutdown();
    }

    // All that the protocol sends besides packets fits the narrowest way, or is cut to it, however much is missing.
    [Fact]
    public void NoDatagramIsTooLongOnceTheWaysAreKnown()
    {
        SimulatedCluster cluster = Make(11, multicast: true, loss: 0.2, nodes: 12, slot: 8_000);
        cluster.Inject(new LengthLimit(TimeSpan.Zero, Forever, null, null, 560));
        cluster.JoinAll("group");
        for (int sender = 0; sender < 12; sender++) Send(cluster, TimeSpan.FromSeconds(2), messages: 300, sender);
        cluster.RunFor(TimeSpan.FromSeconds(8));
        var longest = new LongestByKind();
        cluster.Tap = longest;
        for (int sender = 0; sender < 12; sender++) Send(cluster, TimeSpan.FromSeconds(2), messages: 300, sender);
        cluster.RunFor(TimeSpan.FromSeconds(4));
        cluster.Settle(TimeSpan.FromSeconds(30));
        Assert.Contains(longest.Lengths, static entry => entry.Key == DatagramKind.Data);
        Assert.All(longest.Lengths, static entry => Assert.InRange(entry.Value, 0, 560));
        cluster.Shutdown();
    }

    private static int SlotOf(SimulatedCluster cluster, int node) =>
        cluster.Nodes[node].Stack.Rooms.Disseminator.ShortestSlot;

    private static void Send(SimulatedCluster cluster, TimeSpan time, int messages, int sender = 0) =>
        cluster.Start(new SendPlan(sender, "group", messages, time / messages) { MinBytes = 1_300, MaxBytes = 1_300 });

    private static SimulatedCluster Make(
        ulong seed, bool multicast, int slot = 1_400, double loss = 0, IReadOnlyList<int>? interfaces = null,
        int nodes = 4, bool eagerPull = true) => new(new SimulationOptions
        {
            Nodes = nodes,
            Seed = seed,
            Node = new NodeSettings { Recovery = new() { EagerPull = eagerPull } },
            Network = new NetworkModel
            {
                SlotBytes = slot,
                Multicast = multicast,
                Interfaces = interfaces ?? [],
                Link = new LinkModel { Loss = loss },
            },
            Membership = new MembershipServerSettings { FailureTimeout = TimeSpan.FromSeconds(3) },
        });

    private sealed class LongestByKind : ITrafficTap
    {
        public Dictionary<DatagramKind, int> Lengths { get; } = [];

        public void OnDatagram(ReadOnlySpan<byte> datagram)
        {
            var kind = (DatagramKind)(datagram[DatagramHeader.KindOffset] & ~DatagramKinds.IgnorableBit);
            // Fillers are long on purpose.
            if (kind == DatagramKind.PathFiller) return;
            Lengths[kind] = Math.Max(Lengths.GetValueOrDefault(kind), datagram.Length);
        }

        public void OnFrame(bool fromServer, ReadOnlySpan<byte> frame)
        {
        }

        public ReadOnlySpan<byte> Forge(ReadOnlySpan<byte> datagram) => [];
    }
}
