using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing;
using QuickSilver.Testing.Nodes;
using QuickSilver.Testing.Security;

namespace QuickSilver.Simulation.Tests.Cluster;

/// <summary>Keys of datagrams are renewed by their age.</summary>
public sealed class KeyRotationTests
{
    private static readonly TimeSpan Millisecond = TimeSpan.FromMilliseconds(1);

    // The shortest pause between the token rounds of a region.
    private static readonly TimeSpan Round = new Protocol.Recovery.RecoverySettings().MinTokenInterval;

    [Fact]
    public void Views_are_replaced_by_others_of_the_same_members_and_no_message_waits_for_it()
    {
        TimeSpan before = LongestGap(Timeout.InfiniteTimeSpan, Sealing.StandIn, out int none);
        TimeSpan gap = LongestGap(TimeSpan.FromSeconds(2), Sealing.StandIn, out int renewed);
        Assert.Equal(0, none);
        Assert.InRange(renewed, 7, 10);
        Assert.True(gap <= before + Round, $"gaps of {gap} with new keys, {before} without, a round is {Round}");
    }

    [Fact]
    public void Without_keys_there_is_nothing_to_renew()
    {
        LongestGap(TimeSpan.FromSeconds(2), Sealing.None, out int renewed);
        Assert.Equal(0, renewed);
    }

    private static TimeSpan LongestGap(TimeSpan rotateAfter, Sealing sealing, out int renewed)
    {
        var cluster = new SimulatedCluster(new SimulationOptions
        {
            Nodes = 4,
            Seed = 7,
            Sealing = sealing,
            Membership = new MembershipServerSettings { RotateAfter = rotateAfter },
        });
        cluster.JoinAll("room", "hall");
        SimulatedNode reader = cluster.Nodes[1];
        uint first = reader.Stack.Cluster.Own!.Number.Counter;
        StepNumber view = reader.Stack.Cluster.GroupViewOf(reader.FindGroup("room")!.Id);
        cluster.Start(new SendPlan(0, "room", 20_000, Millisecond));
        cluster.RunFor(TimeSpan.FromMilliseconds(100));
        TimeSpan longest = default;
        long last = 0;
        TimeSpan since = cluster.Elapsed;
        for (int step = 0; step < 18_000; step++)
        {
            cluster.RunFor(Millisecond);
            long delivered = reader.FindGroup("room")!.Delivered;
            if (delivered > last)
            {
                if (cluster.Elapsed - since > longest) longest = cluster.Elapsed - since;
                since = cluster.Elapsed;
            }
            last = delivered;
        }
        renewed = (int)(reader.Stack.Cluster.Own!.Number.Counter - first);
        Assert.Equal(4, reader.Stack.Cluster.Own.Members.Length);
        // Applications see no change: the views of groups are the same.
        Assert.Equal(view, reader.Stack.Cluster.GroupViewOf(reader.FindGroup("room")!.Id));
        cluster.RunFor(TimeSpan.FromSeconds(2));
        cluster.Settle(TimeSpan.FromSeconds(30));
        cluster.Shutdown();
        return longest;
    }
}
