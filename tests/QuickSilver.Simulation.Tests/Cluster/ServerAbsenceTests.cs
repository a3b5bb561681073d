using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Simulation.Tests.Cluster;

/// <summary>There is no membership server for a minute.</summary>
public sealed class ServerAbsenceTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void DataAndRecoveryGoOnNobodyIsRemovedAndJoinsWait(bool awaitsMajority)
    {
        for (ulong seed = 1; seed <= 3; seed++)
        {
            var cluster = new SimulatedCluster(new SimulationOptions
            {
                Nodes = 6,
                Seed = seed,
                Network = new NetworkModel { Link = new LinkModel { Loss = 0.02 } },
                Membership = new MembershipServerSettings { Replication = 2, AwaitMajority = awaitsMajority },
                ReplayHint = Seeds.Replay(seed, nameof(DataAndRecoveryGoOnNobodyIsRemovedAndJoinsWait)),
            });
            cluster.JoinAll("all");
            SimulatedGroup[] sessions = [.. cluster.Nodes.SelectMany(node => node.Groups)];
            for (int node = 0; node < 3; node++)
                cluster.Start(new SendPlan(node, "all", 600, TimeSpan.FromMilliseconds(100)));
            cluster.Inject(new ServerOutage(cluster.Elapsed + Second, 60 * Second));
            cluster.Inject(new NodeFreeze(cluster.Elapsed + (20 * Second), 12 * Second, 4));
            cluster.RunFor(5 * Second);
            SimulatedJoin join = cluster.Nodes[5].Join("late");
            cluster.RunFor(50 * Second);
            Assert.False(join.IsCompleted);
            Assert.All(cluster.Nodes, node => Assert.True(node.IsAlive, $"seed {seed}: {node}"));
            Assert.All(
                sessions,
                session => Assert.True(
                    session.Received.Count > 3 * 500, $"seed {seed}: {session.Node} has {session.Received.Count}"));
            cluster.RunFor(15 * Second);
            Assert.True(join.IsCompleted, $"seed {seed}");
            cluster.Settle(30 * Second);
            Assert.All(cluster.Nodes, node => Assert.True(node.IsAlive, $"seed {seed}: {node} {node.Expulsion}"));
            Assert.All(
                sessions,
                session => Assert.True(
                    session.IsOpen && session.Losses == 0 && session.Received.Count == 1800,
                    $"seed {seed}: {session.Node}"));
            cluster.Shutdown();
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void GroupsThatWereSilentCanSendThoughTheServerWentBeforeItActivatedAStep(bool leaves)
    {
        for (ulong seed = 1; seed <= 3; seed++)
        {
            var cluster = new SimulatedCluster(new SimulationOptions
            {
                Nodes = 5,
                Seed = seed,
                ReplayHint = Seeds.Replay(
                    seed, nameof(GroupsThatWereSilentCanSendThoughTheServerWentBeforeItActivatedAStep)),
            });
            SimulatedNode[] members = [.. cluster.Nodes.Take(4)];
            cluster.JoinAll("other");
            foreach (SimulatedNode member in members) member.Join("silent");
            cluster.RunFor(5 * Second);

            // The step comes to all, but nobody's acknowledgement comes to the server.
            if (leaves) cluster.Nodes[3].Leave("silent");
            else cluster.Nodes[4].Join("silent");
            TimeSpan latest = cluster.Elapsed + (5 * Second);
            while (!members.All(node => node.Stack.Cluster.Installed > node.Stack.SendStep))
            {
                Assert.True(cluster.Elapsed < latest, $"seed {seed}: not all have installed the step");
                cluster.RunFor(TimeSpan.FromMicroseconds(20));
            }
            cluster.Inject(new ServerOutage(cluster.Elapsed, 20 * Second));
            cluster.RunFor(Second);
            Assert.All(
                members,
                node => Assert.True(
                    node.Stack.Cluster.Installed > node.Stack.SendStep, $"seed {seed}: the step was activated"));
            SimulatedGroup[] sessions = [.. members.Take(3).Select(node => node.FindGroup("silent")!)];
            members[0].Send("silent", 100);
            members[1].Send("silent", 100);
            cluster.RunFor(2 * Second);
            Assert.All(
                sessions,
                session => Assert.True(
                    session.Received.Count == 2, $"seed {seed}: {session.Node} has {session.Received.Count}"));
            cluster.RunFor(30 * Second);
            members[2].Send("silent", 100);
            cluster.RunFor(Second);
            cluster.Settle(30 * Second);
            Assert.All(sessions, session =>
                Assert.True(
                    session.Received.Count == 3 && session.Losses == 0,
                    $"seed {seed}: {session.Node} has {session.Received.Count}"));
            Assert.Equal(leaves ? 0 : 1, cluster.Nodes[4].FindGroup("silent")?.Received.Count ?? 0);
            cluster.Shutdown();
        }
    }
}
