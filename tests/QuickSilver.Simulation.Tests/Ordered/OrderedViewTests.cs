using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Ordering;
using QuickSilver.Protocol.Wire;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Simulation.Tests.Ordered;

/// <summary>A view of an ordered group has its place in the order, also at a member that installs its step
/// late.</summary>
public sealed class OrderedViewTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    /// <summary>The token tells of a step that a member has not installed. Nothing is sent afterwards that would show
    /// the member that the order has come to it.</summary>
    [Fact]
    public void AViewBeginsAtAMemberThatInstallsItLate() => Seeds.ForEach(Seeds.Range(1, 6), seed =>
    {
        var cluster = new SimulatedCluster(new SimulationOptions
        {
            Nodes = 4,
            Seed = seed,
            Membership = new MembershipServerSettings { InstallTimeout = Second, FailureTimeout = 20 * Second },
            ReplayHint = Seeds.Replay(seed, nameof(OrderedViewTests)),
        });
        for (int index = 0; index < 4; index++) cluster.On(index).Join("ordered-all");
        cluster.RunFor(2 * Second);
        int late = (int)(seed % 4);
        for (int index = 1; index < 4; index++) cluster.On((late + index) % 4).Join("ordered-few");
        cluster.On(late).Join("ordered-few");
        cluster.RunFor(2 * Second);
        cluster.On((late + 1) % 4).Leave("ordered-few");
        cluster.RunFor(2 * Second);
        cluster.Inject(new MembershipStall(cluster.Elapsed, 4 * Second, late));
        cluster.On((late + 1) % 4).Join("ordered-few");
        cluster.RunFor(8 * Second);
        foreach (SimulatedNode node in cluster.Nodes)
        {
            var engine = (OrderedEngine)node.Stack.Rooms.Modes.Find(GroupModes.Ordered)!;
            Assert.False(
                engine.Parts.Views.Awaits(RingId.Of(engine.Parts.Active)), $"node {node.Index} awaits a view's place");
        }
        ulong visits = cluster.Nodes[late].Stack.Rooms.OrderedCounters.TokenVisits;
        cluster.RunFor(2 * Second);
        Assert.InRange(cluster.Nodes[late].Stack.Rooms.OrderedCounters.TokenVisits - visits, 0UL, 20UL);
        cluster.Settle(10 * Second);
        cluster.Shutdown();
    });
}
