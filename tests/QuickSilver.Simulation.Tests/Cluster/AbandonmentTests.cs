using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Stack;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Simulation.Tests.Cluster;

/// <summary>What becomes of the messages of a sender that is removed before it is done.</summary>
public class AbandonmentTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan Milli = TimeSpan.FromMilliseconds(1);

    [Fact]
    public void WhatNobodyHoldsIsLostAtAllSurvivorsAlike() => Seeds.ForEach(Seeds.Range(1, 20), seed =>
    {
        // Nobody hears the sender for a while in the middle, and it dies before anybody can ask it.
        SimulatedCluster cluster = MakeGroup(seed, nodes: 6);
        cluster.Start(new SendPlan(0, "group", 30, Milli));
        cluster.Inject(new MuteNode(Second + (10 * Milli), 8 * Milli, 0));
        cluster.Inject(new LossBurst(Second + (10 * Milli), 60 * Milli, null, 0, 1));
        cluster.Inject(new LossBurst(Second + (18 * Milli), 60 * Milli, 0, null, 0.4));
        cluster.Inject(new NodeCrash(Second + (29 * Milli), 0));
        Finish(cluster, "group", 0);
        foreach (SimulatedNode node in cluster.Nodes.Skip(1))
        {
            if (node.FindGroup("group")!.Losses == 0) throw cluster.Violation("D5", $"{node} was told of no loss");
        }
    });

    [Fact]
    public void ACopyThatOneSurvivorHoldsReachesAll() => Seeds.ForEach(Seeds.Range(1, 20), seed =>
    {
        // Of the last messages only one node hears; it is in the packets' partition or not, as the packets fall.
        SimulatedCluster cluster = MakeGroup(seed, nodes: 7, replication: 2);
        DieHeardByOne(cluster, holder: 1 + (int)(seed % 6));
        Finish(cluster, "group", 0);
        foreach (SimulatedNode node in cluster.Nodes.Skip(1))
        {
            SimulatedGroup group = node.FindGroup("group")!;
            if (Numbers(group, 0).Length != 40 || group.Losses != 0)
            {
                throw cluster.Violation("D7", $"{node} got {Numbers(group, 0).Length} of 40 messages");
            }
        }
    });

    [Fact]
    public void WhenTheOnlyHolderDiesTooTheRestAgrees() => Seeds.ForEach(Seeds.Range(1, 60), seed =>
    {
        SimulatedCluster cluster = MakeGroup(seed, nodes: 7, replication: 3);
        int holder = 1 + (int)(seed % 6);
        DieHeardByOne(cluster, holder);
        // About when the survivors hear of the first death, or ask the holder, or have asked it.
        cluster.Inject(new NodeCrash(Second + (541 * Milli) + TimeSpan.FromMicroseconds(300 * seed), holder));
        Finish(cluster, "group", 0);
    });

    [Fact]
    public void TheLeadMayChangeAtAnyMomentOfTheVerdict() => Seeds.ForEach(Seeds.Range(1, 60), seed =>
    {
        // The lowest member leads; a sender of a higher number dies, and the leader dies, or is slow, while its stream
        // is settled.
        SimulatedCluster cluster = MakeGroup(seed, nodes: 6, replication: 2);
        cluster.Start(new SendPlan(5, "group", 60, Milli));
        cluster.Inject(new LossBurst(Second + (20 * Milli), Second, 5, null, 0.5));
        cluster.Inject(new LossBurst(Second + (20 * Milli), Second, null, 5, 1));
        cluster.Inject(new NodeCrash(Second + (50 * Milli), 5));
        TimeSpan moment = Second + (548 * Milli) + TimeSpan.FromMicroseconds(400 * seed);
        if (seed % 3 == 0) cluster.Inject(new NodeFreeze(moment, Second, 0));
        else if (seed % 3 == 1) cluster.Inject(new NodeCrash(moment, 0));
        else cluster.Inject(new LossBurst(moment, Second, 0, null, 1));
        Finish(cluster, "group", 5);
    });

    [Fact]
    public void LatePacketsOfARemovedSenderChangeNothing() => Seeds.ForEach(Seeds.Range(1, 20), seed =>
    {
        // Node 1 loses its connection to the server, is removed, and goes on sending to those that listen: it does not
        // know yet.
        SimulatedCluster cluster = MakeGroup(seed, nodes: 5);
        cluster.Start(new SendPlan(1, "group", 4_000, Milli));
        cluster.Inject(new LossBurst(Second, 3 * Second, 1, null, 0.2));
        cluster.Inject(new MembershipOutage(Second + (100 * Milli), 3 * Second, 1));
        cluster.Inject(new NodeFreeze(Second + (300 * Milli), Second, 1));
        cluster.RunFor(5 * Second);
        if (cluster.Nodes[1].IsAlive) throw cluster.Violation("D7", "node 1 was not removed");
        Finish(cluster, "group", 1);
    });

    [Fact]
    public void AGapWaitsForTheOlderView() => Seeds.ForEach(Seeds.Range(1, 40), seed =>
    {
        // The view changes while the sender sends, so that its last messages are in two views or three, with losses in
        // each; then it dies.
        SimulatedCluster cluster = Make(seed, nodes: 8, replication: 3);
        cluster.Await([.. cluster.Nodes.Take(6).Select(node => node.Join("group"))]);
        cluster.RunFor(Second - cluster.Elapsed);
        cluster.Start(new SendPlan(0, "group", 60, Milli));
        cluster.Inject(new LossBurst(Second, 2 * Second, 0, null, 0.5));
        cluster.Inject(new LossBurst(Second, 2 * Second, null, 0, 1));
        cluster.After(15 * Milli, () => cluster.Nodes[6].Join("group"));
        cluster.After(30 * Milli, () => cluster.Nodes[7].Join("group"));
        cluster.After(40 * Milli, () => cluster.Nodes[5].Leave("group"));
        cluster.Inject(new NodeCrash(Second + (45 * Milli) + TimeSpan.FromMicroseconds(seed * 300), 0));
        cluster.RunFor(2 * Second);
        Finish(cluster, "group", 0, members: [1, 2, 3, 4]);
    });

    [Theory]
    [InlineData(1, 1)]
    [InlineData(2, 1)]
    [InlineData(5, 1)]
    [InlineData(5, 4)]
    [InlineData(2, 3)]
    public void AllButAFewMayDieAtOnce(int replication, int survivors) => Seeds.ForEach(Seeds.Range(1, 15), seed =>
    {
        SimulatedCluster cluster = MakeGroup(seed, nodes: 8, replication, loss: 0.1);
        for (int node = 0; node < 8; node++) cluster.Start(new SendPlan(node, "group", 100, Milli));
        int first = (int)(seed % 8);
        for (int dead = 0; dead < 8 - survivors; dead++)
            cluster.Inject(new NodeCrash(Second + (60 * Milli), (first + dead) % 8));
        // A whole partition may have died with the senders: then survivors need not agree.
        Finish(cluster, "group", null, members: replication == 2 ? [(first + 8 - survivors) % 8] : null);
    });

    [Fact]
    public void ManySendersAndTheirLeadersDieOneAfterAnother() => Seeds.ForEach(Seeds.Range(1, 30), seed =>
    {
        SimulatedCluster cluster = MakeGroup(
            seed, nodes: 10, replication: 2 + (int)(seed % 4), loss: 0.05 * (seed % 4));
        for (int node = 0; node < 10; node++) cluster.Start(new SendPlan(node, "group", 300, 2 * Milli));
        for (int dead = 0; dead < 6; dead++)
        {
            cluster.Inject(
                new NodeCrash(Second + (100 * (dead + 1) * Milli) + TimeSpan.FromMicroseconds(seed * 900), dead));
        }
        Finish(cluster, "group", null);
    });

    [Fact]
    public void ASenderThatIsNoMemberLeavesNoTrace() => Seeds.ForEach(Seeds.Range(1, 20), seed =>
    {
        // Nodes 0 to 2 share one group with nodes 3 to 6, which form a region of their own: to them node 0 is a sender
        // from outside.
        SimulatedCluster cluster = Make(seed, nodes: 7, replication: 2, loss: 0.1);
        cluster.Await(
            [.. cluster.Nodes.Select(node => node.Index < 3 ? node.Join("all", "left") : node.Join("all", "right"))]);
        cluster.RunFor(Second - cluster.Elapsed);
        cluster.Start(new SendPlan(0, "all", 100, Milli));
        cluster.Start(new SendPlan(4, "all", 100, Milli));
        cluster.Inject(new NodeCrash(Second + (50 * Milli), 0));
        cluster.Inject(new NodeCrash(Second + (70 * Milli), 4));
        Finish(cluster, "all", null, members: [1, 2]);
        CheckAlike(cluster, "all", null, [3, 5, 6]);
    });

    [Fact]
    public void SurvivorsAgreeWhoeverDies() => Seeds.ForEach(Seeds.Range(50_001, 300), seed =>
    {
        Scenario scenario = RandomScenario.MakeWithDeaths(
            seed, 3 + (int)(seed % 10), nameof(SurvivorsAgreeWhoeverDies), moves: false);
        SimulatedCluster cluster = scenario.Run();
        int dead = scenario.Faults.Count(fault => fault is NodeCrash);
        if (dead >= scenario.Options.Membership.Replication) return;
        // Who has the same groups is in the same region, from first to last.
        foreach (IGrouping<string, int> region in Survivors(scenario)
            .GroupBy(node => string.Join(' ', scenario.Groups[node])))
        {
            foreach (string group in scenario.Groups[region.First()]) CheckAlike(cluster, group, null, [.. region]);
        }
    });

    [Fact]
    public void PromisesHoldWhoeverDiesWhileNodesMove() => Seeds.ForEach(
        Seeds.Range(60_001, 300),
        seed => RandomScenario.MakeWithDeaths(
            seed, 3 + (int)(seed % 10), nameof(PromisesHoldWhoeverDiesWhileNodesMove), moves: true).Run());

    private static IEnumerable<int> Survivors(Scenario scenario) =>
        Enumerable.Range(0, scenario.Options.Nodes)
            .Where(node => scenario.Faults.All(fault => fault is not NodeCrash crash || crash.Node != node));

    // All in one group, and a second has passed.
    private static SimulatedCluster MakeGroup(ulong seed, int nodes, int replication = 5, double loss = 0)
    {
        SimulatedCluster cluster = Make(seed, nodes, replication, loss);
        cluster.JoinAll("group");
        cluster.RunFor(Second - cluster.Elapsed);
        return cluster;
    }

    // The last messages of node 0 reach only one other, and nothing comes back; then it dies.
    private static void DieHeardByOne(SimulatedCluster cluster, int holder)
    {
        cluster.Start(new SendPlan(0, "group", 40, Milli));
        for (int node = 1; node < cluster.Nodes.Count; node++)
        {
            if (node != holder) cluster.Inject(new LinkCut(Second + (20 * Milli), Second, 0, node));
        }
        cluster.Inject(new LossBurst(Second + (20 * Milli), Second, null, 0, 1));
        cluster.Inject(new NodeCrash(Second + (41 * Milli), 0));
    }

    private static SimulatedCluster Make(ulong seed, int nodes, int replication = 5, double loss = 0) =>
        new(new SimulationOptions
        {
            Nodes = nodes,
            Seed = seed,
            Network = new NetworkModel { Link = new LinkModel { Loss = loss } },
            Membership = new MembershipServerSettings
            {
                Replication = replication,
                FailureTimeout = TimeSpan.FromSeconds(3),
                ReconnectGrace = TimeSpan.FromMilliseconds(500),
            },
            Node = new NodeSettings(),
        });

    /// <summary>Lets everything come to rest, and checks that survivors have the same of each dead sender, and that the
    /// old views retire.</summary>
    private static void Finish(SimulatedCluster cluster, string group, int? sender, int[]? members = null)
    {
        cluster.RunFor(5 * Second);
        cluster.Settle(30 * Second);
        bool IsClosed(SimulatedNode node) => !node.IsAlive || node.Stack.Rooms.Recoverer.Regions.Count <= 1;
        if (!cluster.RunUntil(() => cluster.Nodes.All(IsClosed), 30 * Second))
            throw cluster.Violation("V5", "views have not retired");
        CheckAlike(
            cluster, group, sender,
            members ?? [.. cluster.Nodes.Where(node => node.IsAlive).Select(node => node.Index)]);
        cluster.RunFor(5 * Second);
        ulong before = cluster.DatagramsSent;
        cluster.RunFor(5 * Second);
        if (cluster.DatagramsSent != before)
        {
            throw cluster.Violation(
                "Q1", $"{cluster.DatagramsSent - before} datagrams were sent after all was settled");
        }
        cluster.Shutdown();
    }

    private static void CheckAlike(SimulatedCluster cluster, string group, int? sender, int[] members)
    {
        SimulatedGroup first = cluster.Nodes[members[0]].FindGroup(group)!;
        foreach (int member in members)
        {
            SimulatedGroup other = cluster.Nodes[member].FindGroup(group)!;
            for (int from = 0; from < cluster.Nodes.Count; from++)
            {
                if (from != (sender ?? from) || members.Contains(from)
                    || Numbers(first, from).SequenceEqual(Numbers(other, from))) continue;
                throw cluster.Violation(
                    "D6",
                    $"of node {from}, {first.Node} has [{string.Join(',', Numbers(first, from))}] "
                    + $"and {other.Node} [{string.Join(',', Numbers(other, from))}]");
            }
        }
    }

    private static ulong[] Numbers(SimulatedGroup group, int sender) =>
        [.. group.Received.Where(message => message.Sender == sender).Select(message => message.Number)];
}
