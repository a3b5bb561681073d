using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Wire;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Membership;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Runs;

namespace QuickSilver.Simulation.Tests.Cluster;

/// <summary>A fault that lasts for no time ends after it begins, whatever the order of what happens at one
/// instant.</summary>
public sealed class MomentaryFaultTests
{
    private static readonly TimeSpan At = TimeSpan.FromSeconds(3);

    private static readonly Fault[] All =
    [
        new BurstLoss(At, default, LossScope.Link, At, At, 1), new CopyFault(At, default, 0, default),
        new CorruptionBurst(At, default, null, null, 1), new DeafNode(At, default, 1),
        new ForgedSource(At, default, 1), new Islands(At, default, [[0], [1, 2]], FromServer: true),
        new KindDelay(At, default, DatagramKind.Data, At, null, null),
        new KindLoss(At, default, DatagramKind.Data, int.MaxValue, null, null), new LateDuplicates(At, default, 1, At),
        new LengthLimit(At, default, null, null, 600), new LinkCut(At, default, 0, 1),
        new LossBurst(At, default, null, null, 1), new MembershipOutage(At, default, 1),
        new MembershipStall(At, default, 1), new MulticastOutage(At, default, null, null), new MuteNode(At, default, 1),
        new NodeFreeze(At, default, 1), new NodeRestart(At, default, 1),
        new NodeUpgrade(At, default, 1, 2), new PartialPartition(At, default, [0], [1]),
        new Partition(At, default, [0]), new ServerOutage(At, default), new ServerReplacement(At),
        new SlowNode(At, default, 1, 100), new UnicastOutage(At, default), new ServerFreeze(At, default, default),
        new SlowHandler(At, default, 1, At), new FalseWitness(At, default, 1),
    ];

    private static readonly Fault[] OfElections =
    [
        new HostFreeze(At, default, 0, default), new HostOutage(At, default, 0, IsOrderly: true),
        new PeerCut(At, default, 1, false), new StoreCut(At, default, 0), new StoreOutage(At, default, default),
    ];

    [Fact]
    public void EachKindEnds()
    {
        Type[] kinds = [.. typeof(Fault).Assembly.GetTypes().Where(type => type.IsSubclassOf(typeof(Fault)))];
        // A machine that is destroyed stays so.
        Assert.Equal([typeof(NodeCrash)], kinds.Except(All.Concat(OfElections).Select(fault => fault.GetType())));
        Seeds.ForEach(Seeds.Range(1, 8), seed =>
        {
            foreach (Fault fault in All)
            {
                RunResult result = RunExecution.Execute(Spec(seed, fault));
                Assert.True(result.Violation is null, $"seed {seed}, {fault}: {result.Violation?.Message}");
            }
            foreach (Fault fault in OfElections)
            {
                RunSpec spec = Spec(seed, fault);
                spec = spec with
                {
                    Options = spec.Options with
                    {
                        Election = new ElectionModel(),
                        Membership = new MembershipServerSettings { IsElected = true },
                    },
                };
                RunResult result = RunExecution.Execute(spec);
                Assert.True(result.Violation is null, $"seed {seed}, {fault}: {result.Violation?.Message}");
            }
        });
    }

    private static RunSpec Spec(ulong seed, Fault fault) => new()
    {
        Options = new SimulationOptions { Nodes = 3, Seed = seed, Restarts = 1 },
        Groups = [["all"], ["all"], ["all"]],
        Plans = [new SendPlan(0, "all", 60, TimeSpan.FromMilliseconds(100))],
        Faults = [fault],
        HealAt = At,
        ConvergenceLimit = TimeSpan.FromSeconds(30),
    };
}
