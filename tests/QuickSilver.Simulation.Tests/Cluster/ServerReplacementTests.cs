using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Simulation.Tests.Cluster;

/// <summary>The membership server dies and another replaces it, while nodes send. The checks of the cluster see to
/// order, losses and views.</summary>
public sealed class ServerReplacementTests
{
    [Fact]
    public void SendersGoOnAndNothingIsLost()
    {
        for (ulong seed = 1; seed <= 8; seed++)
        {
            var cluster = new SimulatedCluster(new SimulationOptions
            {
                Nodes = 6,
                Seed = seed,
                Network = new NetworkModel { Link = new LinkModel { Loss = 0.02 } },
                Membership = new MembershipServerSettings
                {
                    Replication = 2,
                    FailureTimeout = TimeSpan.FromSeconds(60)
                },
                ReplayHint = Seeds.Replay(seed, nameof(SendersGoOnAndNothingIsLost)),
            });
            cluster.JoinAll("all");
            cluster.Await([.. cluster.Nodes.Take(3).Select(node => node.Join("some"))]);
            SimulatedGroup[] sessions = [.. cluster.Nodes.SelectMany(node => node.Groups)];
            for (int node = 0; node < 3; node++)
            {
                cluster.Start(new SendPlan(node, "all", 600, TimeSpan.FromMilliseconds(10)));
                cluster.Start(new SendPlan(node, "some", 300, TimeSpan.FromMilliseconds(20)) { MaxBytes = 5000 });
            }

            // The first dies with a step on its way, the second in the middle of taking over or soon after, the third
            // when all is quiet.
            TimeSpan first = TimeSpan.FromMilliseconds(500);
            SimulatedJoin[] joins = [];
            cluster.After(first, () => joins = [cluster.Nodes[4].Join("some", "new"), cluster.Nodes[5].Join("new")]);
            cluster.Inject(new ServerReplacement(cluster.Elapsed + first + TimeSpan.FromMicroseconds(seed * 300)));
            cluster.Inject(new ServerReplacement(cluster.Elapsed + TimeSpan.FromMilliseconds(2400 + (seed * 50))));
            cluster.Inject(new ServerReplacement(cluster.Elapsed + TimeSpan.FromMilliseconds(5500)));
            cluster.RunFor(TimeSpan.FromSeconds(10));
            cluster.Await(joins);
            cluster.Settle(TimeSpan.FromSeconds(20));

            Assert.All(cluster.Nodes, node => Assert.True(node.IsAlive, $"seed {seed}: {node} {node.Expulsion}"));
            Assert.All(
                sessions,
                session => Assert.True(
                    session.IsOpen && session.Losses == 0, $"seed {seed}: {session.Name} at {session.Node}"));
            Assert.All(sessions, session => Assert.Equal(session.Name == "all" ? 1800 : 900, session.Received.Count));
            cluster.Shutdown();
        }
    }

    [Fact]
    public void MembersThatDieWithTheServerAreRemovedAndTheOthersMissNothing()
    {
        var cluster = new SimulatedCluster(new SimulationOptions
        {
            Nodes = 5,
            Membership = new MembershipServerSettings { Replication = 2 },
            ReplayHint = Seeds.Replay(1, nameof(MembersThatDieWithTheServerAreRemovedAndTheOthersMissNothing)),
        });
        cluster.JoinAll("all");
        SimulatedGroup[] sessions = [.. cluster.Nodes.Skip(1).SelectMany(node => node.Groups)];
        for (int node = 0; node < 3; node++)
            cluster.Start(new SendPlan(node, "all", 1000, TimeSpan.FromMilliseconds(20)));
        cluster.Inject(new ServerReplacement(cluster.Elapsed + TimeSpan.FromSeconds(1)));
        cluster.After(TimeSpan.FromSeconds(1), cluster.Nodes[0].Crash);
        cluster.RunFor(TimeSpan.FromSeconds(30));
        cluster.Settle(TimeSpan.FromSeconds(20));
        Assert.All(cluster.Nodes.Skip(1), node => Assert.True(node.IsAlive, $"{node} {node.Expulsion}"));
        Assert.All(sessions, session => Assert.True(session.IsOpen && session.Losses == 0, $"{session.Node}"));
        cluster.Shutdown();
    }
}
