using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Wire;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Simulation.Tests.Cluster;

/// <summary>Nodes that send to a group without being members.</summary>
public class PublisherTests
{
    private const string Group = "group";
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan Milli = TimeSpan.FromMilliseconds(1);

    [Fact]
    public void APublisherIsNoMemberAndReachesAll() => Seeds.ForEach(Seeds.Range(1, 10), seed =>
    {
        SimulatedCluster cluster = Make(seed, nodes: 4);
        cluster.Start(new SendPlan(0, Group, 100, Milli));
        cluster.RunFor(Second);
        cluster.Settle(30 * Second);
        ClusterView publisher = cluster.Nodes[0].Stack.Cluster;
        Must(cluster, publisher.Own is null, "the publisher has a region");
        Must(cluster, publisher.Layout.CountMembers(IdOf(cluster)) == 3, "the group has other than 3 members");
        foreach (SimulatedNode member in cluster.Nodes.Skip(1))
        {
            ClusterView view = member.Stack.Cluster;
            Must(cluster, member.FindGroup(Group)!.Received.Count == 100, $"{member} did not get 100 messages");
            GroupId id = IdOf(cluster);
            Must(cluster, view.Layout.CountMembers(id) == 3, $"{member} counts others");
            Must(cluster, view.GroupViewOf(id) == publisher.GroupViewOf(id), "views are numbered apart");
        }
        cluster.Shutdown();
    });

    // A publisher took the only member of the group in its own, merged region for itself, and sent to nobody.
    [Fact]
    public void APublisherReachesTheOnlyMemberInItsMergedRegion()
    {
        SimulatedCluster cluster = Make(seed: 510000077, nodes: 2, maxRegions: 1);
        cluster.Await(cluster.Nodes[0].Join("another"));
        Must(cluster, cluster.Nodes[0].Stack.Cluster.Own is { IsMerged: true }, "the region is not merged");
        cluster.Start(new SendPlan(0, Group, 10, Milli));
        cluster.RunFor(Second);
        cluster.Settle(30 * Second);
        Must(cluster, cluster.Nodes[1].FindGroup(Group)!.Received.Count == 10, "the member did not get 10 messages");
        cluster.Shutdown();
    }

    [Fact]
    public void MessagesToNobodyAreStableAtOnce()
    {
        SimulatedCluster cluster = Make(seed: 5, nodes: 2);
        cluster.Await(cluster.Nodes[0].OpenPublishers("unread"));
        cluster.Start(new SendPlan(0, "unread", 10, TimeSpan.Zero));
        cluster.RunFor(10 * Milli);
        cluster.Settle(Second);
        long pending = cluster.Nodes[0].Stack.Rooms.DisseminationCounters.PendingMessages;
        Must(cluster, pending == 0, "messages to nobody are pending");
        Must(cluster, cluster.Nodes[0].FindPublisher("unread")!.Local.SendMemberCount == 0, "nobody counts as member");
        cluster.Shutdown();
    }

    [Fact]
    public void AJoinerWaitsForAPublisher() => Seeds.ForEach(Seeds.Range(1, 10), seed =>
    {
        SimulatedCluster cluster = Make(seed, nodes: 4, absent: 3);
        cluster.Inject(new MembershipStall(cluster.Elapsed, 2 * Second, 0));
        SimulatedJoin join = cluster.Nodes[3].Join(Group);
        cluster.RunFor(Second);
        Must(cluster, !join.IsCompleted, "the join did not wait for the publisher");
        cluster.Await(join);
        cluster.Start(new SendPlan(0, Group, 10, Milli));
        cluster.RunFor(Second);
        cluster.Settle(30 * Second);
        Must(cluster, cluster.Nodes[0].IsMember, "the publisher was removed");
        Must(cluster, cluster.Nodes[3].FindGroup(Group)!.Received.Count == 10, "the joiner did not get 10 messages");
        cluster.Shutdown();
    });

    [Fact]
    public void AMemberMayPublishBesideAndLeave() => Seeds.ForEach(Seeds.Range(1, 10), seed =>
    {
        SimulatedCluster cluster = Make(seed, nodes: 3);
        SimulatedNode both = cluster.Nodes[0];
        cluster.Await(both.Join(Group));
        cluster.Start(new SendPlan(0, Group, 50, Milli));
        cluster.RunFor(20 * Milli);
        SimulatedLeave leave = both.Leave(Group);
        cluster.RunFor(Second);
        Must(cluster, leave.IsCompleted && both.FindGroup(Group) is null, "the member did not leave");
        Must(cluster, both.FindPublisher(Group)!.IsOpen, "the publisher did not stay");
        cluster.Settle(30 * Second);
        Must(cluster, cluster.Nodes[1].FindGroup(Group)!.Received.Count == 50, "not all messages came");
        cluster.Shutdown();
    });

    [Fact]
    public void AGroupWithoutMembersAndPublishersIsForgotten()
    {
        SimulatedCluster cluster = Make(seed: 9, nodes: 2);
        cluster.Await(cluster.Nodes[0].OpenPublishers("brief"));
        GroupId first = cluster.Nodes[0].FindPublisher("brief")!.Id;
        cluster.Nodes[0].ClosePublishers("brief");
        cluster.RunFor(2 * Second);
        cluster.Await(cluster.Nodes[0].OpenPublishers("brief"));
        Must(cluster, cluster.Nodes[0].FindPublisher("brief")!.Id != first, "the group was not forgotten");
        cluster.Shutdown();
    }

    [Fact]
    public void SurvivorsAgreeOnAPublisherThatCrashesWithItsServer() => Seeds.ForEach(Seeds.Range(1, 20), seed =>
    {
        SimulatedCluster cluster = Make(seed, nodes: 5, loss: 0.3);
        cluster.Start(new SendPlan(0, Group, 300, Milli));
        cluster.Inject(new ServerReplacement(cluster.Elapsed + (150 * Milli)));
        cluster.Inject(new NodeCrash(cluster.Elapsed + ((150 + (seed % 7)) * Milli), 0));
        cluster.RunFor(10 * Second);
        cluster.Settle(30 * Second);
        int[][] received = [.. cluster.Nodes.Skip(1)
            .Select(node => node.FindGroup(Group)!.Received.Select(message => (int)message.Number).ToArray())];
        foreach (int[] numbers in received)
            Must(cluster, numbers.SequenceEqual(received[0]), "survivors have other messages of the publisher");
        cluster.Shutdown();
    });

    [Fact]
    public void APublisherIsTakenOver() => Seeds.ForEach(Seeds.Range(1, 10), seed =>
    {
        SimulatedCluster cluster = Make(seed, nodes: 4);
        cluster.Start(new SendPlan(0, Group, 500, 10 * Milli));
        cluster.Inject(new ServerReplacement(cluster.Elapsed + Second));
        cluster.RunFor(8 * Second);
        cluster.Settle(30 * Second);
        Must(cluster, cluster.Nodes[0].FindPublisher(Group)!.IsOpen, "the publisher is gone");
        foreach (SimulatedNode member in cluster.Nodes.Skip(1))
            Must(cluster, member.FindGroup(Group)!.Received.Count == 500, $"{member} did not get 500 messages");
        cluster.Shutdown();
    });

    private static GroupId IdOf(SimulatedCluster cluster) => cluster.Nodes[0].FindPublisher(Group)!.Id;

    private static void Must(SimulatedCluster cluster, bool holds, string otherwise)
    {
        if (!holds) throw cluster.Violation("V4", otherwise);
    }

    // Node 0 publishes; the others are members, but for one that joins later.
    private static SimulatedCluster Make(
        ulong seed, int nodes, int absent = -1, double loss = 0.02, int maxRegions = int.MaxValue)
    {
        var cluster = new SimulatedCluster(new SimulationOptions
        {
            Nodes = nodes,
            Seed = seed,
            KeepsReceived = true,
            KeepsLog = true,
            Network = new NetworkModel { Link = new LinkModel { Loss = loss } },
            Membership = new MembershipServerSettings
            {
                FailureTimeout = 3 * Second,
                ReconnectGrace = Second / 2,
                InstallTimeout = 300 * Milli,
                MaxRegions = maxRegions,
            },
        });
        cluster.Await([
            cluster.Nodes[0].OpenPublishers(Group),
            .. cluster.Nodes.Skip(1).Where(node => node.Index != absent).Select(node => node.Join(Group))]);
        return cluster;
    }
}
