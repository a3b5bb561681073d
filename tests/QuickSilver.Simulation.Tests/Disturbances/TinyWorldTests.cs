using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Network;

namespace QuickSilver.Simulation.Tests.Disturbances;

/// <summary>
/// Worlds of three nodes and six messages, all of a kind, one after the other: every copy of a datagram lost once,
/// every copy overtaken once, every node crashed at every event, and the same while one node leaves and another joins.
/// Nothing is drawn by chance: what is enumerated is covered. The undisturbed run tells how many copies and events
/// there are; up to the disturbance all runs are the same.
/// </summary>
public class TinyWorldTests(ITestOutputHelper output)
{
    private const int Messages = 3;
    private static readonly TimeSpan SettleLimit = TimeSpan.FromSeconds(30);

    public enum Story
    {
        OneSender,
        TwoSenders,
        LeaveAndJoin,
    }

    [Theory]
    [InlineData(Story.OneSender)]
    [InlineData(Story.TwoSenders)]
    [InlineData(Story.LeaveAndJoin)]
    public void EverySingleLossIsRepaired(Story story)
    {
        long copies = (long)Tell(story, null).NetworkCounters.Copies;
        for (long copy = 0; copy < copies; copy++)
            Tell(story, new CopyFault(TimeSpan.Zero, Timeout.InfiniteTimeSpan, copy, TimeSpan.Zero));
        output.WriteLine($"{story}: {copies} worlds, one for each copy that is lost");
    }

    [Theory]
    [InlineData(Story.OneSender, 0.1)]
    [InlineData(Story.TwoSenders, 0.1)]
    [InlineData(Story.LeaveAndJoin, 0.1)]
    [InlineData(Story.TwoSenders, 40)]
    [InlineData(Story.LeaveAndJoin, 40)]
    public void EveryCopyMayBeOvertaken(Story story, double milliseconds)
    {
        long copies = (long)Tell(story, null).NetworkCounters.Copies;
        for (long copy = 0; copy < copies; copy++)
        {
            Tell(
                story,
                new CopyFault(TimeSpan.Zero, Timeout.InfiniteTimeSpan, copy, TimeSpan.FromMilliseconds(milliseconds)));
        }
        output.WriteLine($"{story}: {copies} worlds, one for each copy that comes {milliseconds} ms late");
    }

    [Theory]
    [InlineData(Story.OneSender)]
    [InlineData(Story.TwoSenders)]
    [InlineData(Story.LeaveAndJoin)]
    public void EveryNodeMayCrashAtEveryEvent(Story story)
    {
        ulong worlds = 0;
        for (int node = 0; node < 3; node++)
        {
            ulong events = Tell(story, null).EventsExecuted;
            // The long tail of heartbeats after the story brings nothing new.
            for (ulong at = 0; at < Math.Min(events, 400); at += 1, worlds++) Crash(story, node, at);
        }
        output.WriteLine($"{story}: {worlds} worlds, one for each node and event");
    }

    private static void Crash(Story story, int node, ulong at)
    {
        SimulatedCluster cluster = Begin(story);
        cluster.RunEvents(at);
        cluster.Nodes[node].Crash();
        End(cluster, $"{story}, node {node} crashes at event {at}");
    }

    private static SimulatedCluster Tell(Story story, Fault? fault)
    {
        SimulatedCluster cluster = Begin(story, fault);
        End(cluster, $"{story}, {fault}");
        return cluster;
    }

    private static SimulatedCluster Begin(Story story, Fault? fault = null)
    {
        var cluster = new SimulatedCluster(new SimulationOptions
        {
            Nodes = 3,
            Network = new NetworkModel { Link = new LinkModel { Jitter = TimeSpan.Zero } },
            Membership = new MembershipServerSettings
            {
                FailureTimeout = TimeSpan.FromSeconds(2),
                ReconnectGrace = TimeSpan.FromMilliseconds(500),
                Replication = 2,
            },
        });
        if (story == Story.LeaveAndJoin)
        {
            cluster.Await(cluster.Nodes[0].Join("group"), cluster.Nodes[1].Join("group"));
        }
        else
        {
            cluster.JoinAll("group");
        }
        if (fault is not null) cluster.Inject(fault with { At = cluster.Elapsed });
        cluster.Start(new SendPlan(0, "group", Messages, TimeSpan.FromMilliseconds(2)));
        if (story != Story.OneSender) cluster.Start(new SendPlan(1, "group", Messages, TimeSpan.FromMilliseconds(1)));
        if (story != Story.LeaveAndJoin) return cluster;
        cluster.After(TimeSpan.FromMilliseconds(1), () =>
        {
            if (cluster.Nodes[2].IsAlive) cluster.Nodes[2].Join("group");
        });
        cluster.After(TimeSpan.FromMilliseconds(4), () =>
        {
            if (cluster.Nodes[1].IsAlive && cluster.Nodes[1].FindGroup("group") is not null)
                cluster.Nodes[1].Leave("group");
        });
        return cluster;
    }

    private static void End(SimulatedCluster cluster, string world)
    {
        try
        {
            cluster.RunFor(TimeSpan.FromMilliseconds(20));
            cluster.Settle(SettleLimit);
        }
        catch (InvariantViolationException violation)
        {
            throw new InvariantViolationException(violation.Invariant, $"{world}: {violation.Message}", violation);
        }
    }
}
