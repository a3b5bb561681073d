using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Nodes;
using QuickSilver.Testing.Runs;
using QuickSilver.Testing.Security;

namespace QuickSilver.Simulation.Tests.Cluster;

/// <summary>Clusters of which some nodes have one cipher only.</summary>
public sealed class MixedCipherTests
{
    [Theory]
    [InlineData(Sealing.StandIn, "room")]
    [InlineData(Sealing.Real, "room")]
    [InlineData(Sealing.StandIn, SimulatedModes.Lateral + "room")]
    [InlineData(Sealing.StandIn, SimulatedModes.Timed + "room")]
    public void Messages_arrive_while_a_lesser_node_comes_and_goes(Enum sealing, string group)
    {
        var cluster = new SimulatedCluster(new SimulationOptions
        {
            Nodes = 4,
            Seed = 5,
            Sealing = (Sealing)sealing,
            LesserCiphers = [3],
            Network = new NetworkModel { Link = new LinkModel { Loss = 0.02, Duplication = 0.02 } },
        });
        SimulatedNode[] able = [.. cluster.Nodes.Take(3)];
        cluster.Await([.. able.Select(node => node.Join(group))]);
        Assert.All(able, node => Assert.Equal(SealCipher.Aegis128L, CipherOf(node)));
        foreach (SimulatedNode node in able)
            cluster.Start(new SendPlan(node.Index, group, 300, TimeSpan.FromMilliseconds(10)));
        cluster.RunFor(TimeSpan.FromSeconds(1));
        cluster.Await(cluster.Nodes[3].Join(group));
        Assert.All(cluster.Nodes, node => Assert.Equal(SealCipher.Aes256Gcm, CipherOf(node)));
        cluster.RunFor(TimeSpan.FromSeconds(1));
        cluster.Nodes[3].Leave(group);
        cluster.RunFor(TimeSpan.FromSeconds(2));
        Assert.All(able, node => Assert.Equal(SealCipher.Aegis128L, CipherOf(node)));
        cluster.Settle(TimeSpan.FromSeconds(30));
        Assert.True(cluster.MessagesDelivered >= 3 * 3 * 300, $"{cluster.MessagesDelivered} messages");
        cluster.Shutdown();
    }

    private static SealCipher CipherOf(SimulatedNode node)
    {
        ViewNumber own = node.Stack.Cluster.Own!.Number;
        ViewKeys keys = node.Stack.Rooms.Keys!.Find(own.Tag, own.Counter)!;
        return keys.Cipher;
    }
}
