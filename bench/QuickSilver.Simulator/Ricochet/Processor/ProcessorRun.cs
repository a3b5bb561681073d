using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Lateral;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Testing;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Nodes;
using QuickSilver.Testing.Runs;

namespace QuickSilver.Simulator.Ricochet.Processor;

/// <summary>
/// Ricochet's workload in the simulator, with whole nodes: what the running engines need of this machine's processor
/// for each packet that arrives. Members, rates and loss are those of <see cref="RicochetCase"/>. Each node sends to
/// its groups in turn, and not to one drawn for each packet.
/// </summary>
internal static class ProcessorRun
{
    private const int Interval = 10;
    private const int Bytes = 1000;
    private const int MostJoined = 256;
    private const double WarmUp = 2;

    /// <summary>Runs it.</summary>
    /// <param name="members">The groups of each node.</param>
    /// <param name="settings">How repairs are built.</param>
    /// <param name="seconds">Measured virtual seconds.</param>
    /// <param name="seed">Decides everything but the time that is measured.</param>
    public static ProcessorFigures Run(int[][] members, LateralSettings settings, double seconds, ulong seed)
    {
        var meter = new EngineMeter();
        var cluster = new SimulatedCluster(new SimulationOptions
        {
            Nodes = members.Length,
            Seed = seed,
            KeepsReceived = false,
            Lateral = settings,
            Membership = new MembershipServerSettings { FailureTimeout = Timeout.InfiniteTimeSpan },
            Network = new NetworkModel { Link = new LinkModel { Loss = 0.01 } },
        });
        foreach (SimulatedNode node in cluster.Nodes)
        {
            node.Stack.Rooms.MakeEngineInTests = (mode, context) => mode == GroupModes.Lateral
                ? new MeteredEngine(context, node.Stack.Rooms.LateralCounters, meter) : null;
        }
        Join(cluster, members);
        Send(cluster, members, seconds, new SeededRandom(seed));
        cluster.RunFor(TimeSpan.FromSeconds(WarmUp));
        meter.Clear();
        Counts before = Count(cluster);
        cluster.RunFor(TimeSpan.FromSeconds(seconds));
        return Count(cluster).Since(before, meter);
    }

    private static string Name(int group) => $"{SimulatedModes.Lateral}{group}";

    private static void Join(SimulatedCluster cluster, int[][] members)
    {
        int most = members.Max(static groups => groups.Length);
        for (int from = 0; from < most; from += MostJoined)
        {
            cluster.Await(
            [
                .. cluster.Nodes.Select((node, index) => (Node: node, Names: Names(members[index], from)))
                    .Where(static one => one.Names.Length > 0).Select(static one => one.Node.Join(one.Names)),
            ]);
        }
    }

    private static string[] Names(int[] groups, int from) =>
        [.. groups.Skip(from).Take(MostJoined).Select(Name)];

    private static void Send(SimulatedCluster cluster, int[][] members, double seconds, SeededRandom random)
    {
        for (int node = 0; node < members.Length; node++)
        {
            int[] groups = members[node];
            double interval = Interval * groups.Length;
            double first = random.NextDouble() * Interval;
            for (int index = 0; index < groups.Length; index++)
            {
                double start = first + (index * Interval);
                int count = (int)(((WarmUp + seconds) * 1000 - start) / interval) + 1;
                if (count <= 0) continue;
                cluster.Start(
                    new SendPlan(node, Name(groups[index]), count, TimeSpan.FromMilliseconds(interval))
                    {
                        Start = TimeSpan.FromMilliseconds(start),
                        MinBytes = Bytes,
                        MaxBytes = Bytes,
                    });
            }
        }
    }

    private static Counts Count(SimulatedCluster cluster)
    {
        Counts counts = default;
        foreach (SimulatedNode node in cluster.Nodes)
        {
            LateralCounters own = node.Stack.Rooms.LateralCounters;
            counts = new Counts(
                counts.Packets + own.PacketsReceived, counts.Sums + own.Combinations, counts.Bins + (ulong)own.Bins);
        }
        return counts with { Bins = counts.Bins / (ulong)cluster.Nodes.Count };
    }

    private readonly record struct Counts(ulong Packets, ulong Sums, ulong Bins)
    {
        public ProcessorFigures Since(in Counts before, EngineMeter meter)
        {
            double packets = Math.Max(1, Packets - before.Packets);
            return new ProcessorFigures(
                meter.Micros(EngineWork.TakePacket) / packets, meter.Micros(EngineWork.TakeRepair) / packets,
                meter.Micros(EngineWork.BuildRepair) / packets, (Sums - before.Sums) / packets, Bins);
        }
    }
}
