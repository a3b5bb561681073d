using QuickSilver.Protocol.Timed;
using QuickSilver.Testing;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Simulation.Tests.Timed;

/// <summary>A cluster in one timed group.</summary>
internal static class TimedRun
{
    public const string Group = "timed-world";

    /// <summary>Makes a cluster whose nodes have all joined.</summary>
    public static SimulatedCluster Begin(
        int nodes,
        ulong seed,
        TimedSettings? settings = null,
        LinkModel? link = null,
        int keys = 0,
        Func<SimulationOptions, SimulationOptions>? with = null)
    {
        var options = new SimulationOptions
        {
            Nodes = nodes,
            Seed = seed,
            Timed = settings ?? new TimedSettings(),
            TimedKeys = keys,
            Network = new NetworkModel { Link = link ?? new LinkModel() },
        };
        var cluster = new SimulatedCluster(with?.Invoke(options) ?? options);
        cluster.JoinAll(Group);
        return cluster;
    }

    public static TimedCounters CountersOf(SimulatedCluster cluster, int node) =>
        cluster.Nodes[node].Stack.Rooms.TimedCounters;

    public static ulong Sum(SimulatedCluster cluster, Func<TimedCounters, ulong> counter)
    {
        ulong sum = 0;
        foreach (SimulatedNode node in cluster.Nodes) sum += counter(node.Stack.Rooms.TimedCounters);
        return sum;
    }

    /// <summary>How many messages of a sender a node has delivered.</summary>
    public static int Got(SimulatedCluster cluster, int node, int sender) =>
        cluster.Nodes[node].FindGroup(Group)!.Received.Count(message => message.Sender == sender);
}
