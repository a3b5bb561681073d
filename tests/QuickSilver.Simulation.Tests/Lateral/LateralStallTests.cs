using QuickSilver.Protocol.Lateral;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Simulation.Tests.Lateral;

/// <summary>Lateral groups on nodes that have too little of their processors.</summary>
public sealed class LateralStallTests
{
    private const int Nodes = 8;
    private const int Groups = 24;
    private const int Messages = 200;

    [Theory]
    [InlineData(2, 0.0, 800)]
    [InlineData(3, 0.01, 950)]
    public void NodesThatAreLateAskForWhatWasLostAndForLittleElse(ulong seed, double loss, double microsADatagram)
    {
        var cluster = new SimulatedCluster(new SimulationOptions
        {
            Nodes = Nodes,
            Seed = seed,
            KeepsReceived = false,
            Network = new NetworkModel { Link = new LinkModel { Loss = loss } },
            Processor = new ProcessorModel
            {
                DatagramReadNanoseconds = microsADatagram * 1000,
                DatagramSentNanoseconds = 50_000,
            },
        });
        string[] names = [.. Enumerable.Range(0, Groups).Select(static group => $"lateral-{group}")];
        cluster.JoinAll(names);
        for (int group = 0; group < Groups; group++)
        {
            cluster.Start(new SendPlan(group % Nodes, names[group], Messages, TimeSpan.FromMilliseconds(30))
            {
                Start = TimeSpan.FromMilliseconds(group),
            });
        }
        StandStill(cluster);
        cluster.RunFor(TimeSpan.FromSeconds(20));
        cluster.Settle(TimeSpan.FromSeconds(60));

        ulong asked = 0;
        ulong lost = 0;
        long delivered = 0;
        foreach (SimulatedNode node in cluster.Nodes)
        {
            asked += node.Stack.Rooms.LateralCounters.PacketsAsked;
            lost += node.Stack.Rooms.LateralCounters.MessagesLost;
            delivered += names.Sum(name => node.FindGroup(name)!.Delivered);
        }
        const int All = Nodes * Groups * Messages;
        Assert.True(delivered == All && lost == 0, $"{delivered} of {All} delivered, {lost} lost, {asked} asked for");
        Assert.True(asked < All / 50, $"{asked} asked for");
        cluster.Shutdown();
    }

    // Each node does nothing for 150 ms twice a second, as on a machine that has too much to do.
    private static void StandStill(SimulatedCluster cluster)
    {
        for (int node = 0; node < Nodes; node++)
        {
            for (int turn = 0; turn < 10; turn++)
            {
                cluster.Inject(new NodeFreeze(
                    cluster.Elapsed + TimeSpan.FromMilliseconds(300 + (turn * 500) + (node * 37)),
                    TimeSpan.FromMilliseconds(150), node));
            }
        }
    }
}
