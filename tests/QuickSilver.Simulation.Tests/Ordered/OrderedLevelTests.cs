using QuickSilver.Protocol.Ordering;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;
using QuickSilver.Testing.Membership;
using QuickSilver.Testing.Network;

namespace QuickSilver.Simulation.Tests.Ordered;

/// <summary>A message has the level of the session that sent it, or a stronger one, whatever becomes of the sessions
/// until the token comes. Invariant O3 looks at each delivery.</summary>
public sealed class OrderedLevelTests
{
    private const string Group = "ordered-state";
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan Millisecond = TimeSpan.FromMilliseconds(1);

    /// <summary>The session ends with the step that is installed. Messages are taken in the step before until the new
    /// one comes into use.</summary>
    [Fact]
    public void AMessageOfAPublisherThatCeasesStaysSafe()
    {
        int sent = 0;
        for (int wait = 0; wait < 40; wait++)
        {
            SimulatedCluster cluster = Make(seed: 1, nodes: 4);
            cluster.On(3).OpenPublishers(Group);
            cluster.RunFor(2 * Second);
            cluster.On(3).ClosePublishers(Group);
            cluster.RunFor(wait * Millisecond);
            if (cluster.On(3).FindPublisher(Group) is not null)
            {
                cluster.On(3).Send(Group, 100);
                sent++;
            }
            cluster.RunFor(Second);
            cluster.Settle(10 * Second);
            cluster.Shutdown();
        }
        Assert.InRange(sent, 10, 39);
    }

    /// <summary>A member and a publisher of one node share a sequence: one that promises it is enough.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void TheStrongerOfTwoSessionsHolds(bool isSafeMember) => Seeds.ForEach(Seeds.Range(1, 4), seed =>
    {
        SimulatedCluster cluster = Make(seed, nodes: 3);
        var agreed = new OrderedSettings { IsSafe = false };
        var safe = new OrderedSettings { IsSafe = true };
        cluster.On(2).OrderedSettings = isSafeMember ? safe : agreed;
        cluster.On(2).Join(Group);
        cluster.RunFor(2 * Second);
        cluster.On(2).OrderedSettings = isSafeMember ? agreed : safe;
        cluster.On(2).OpenPublishers(Group);
        cluster.RunFor(2 * Second);
        // A second session that is opened last, or one that has ended, takes nothing back.
        cluster.Start(new SendPlan(2, Group, 20, Millisecond));
        cluster.Settle(10 * Second);
        if (isSafeMember)
        {
            cluster.On(2).ClosePublishers(Group);
            cluster.RunFor(2 * Second);
            cluster.Start(new SendPlan(2, Group, 20, Millisecond));
            cluster.Settle(10 * Second);
        }
        cluster.Shutdown();
    });

    private static SimulatedCluster Make(ulong seed, int nodes)
    {
        var cluster = new SimulatedCluster(new SimulationOptions
        {
            Nodes = nodes,
            Seed = seed,
            Ordered = new OrderedSettings { IsSafe = true },
            Network = new NetworkModel { Link = new LinkModel { Delay = 4 * Millisecond, Jitter = Millisecond } },
            MembershipLink = new MembershipLinkModel { Delay = 8 * Millisecond },
            ReplayHint = Seeds.Replay(seed, nameof(OrderedLevelTests)),
        });
        for (int index = 0; index < 2; index++) cluster.On(index).Join(Group);
        cluster.RunFor(5 * Second);
        return cluster;
    }
}
