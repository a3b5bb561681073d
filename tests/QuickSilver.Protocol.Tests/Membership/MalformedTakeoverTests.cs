using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>Frames of a takeover that break the format, or lie.</summary>
public sealed class MalformedTakeoverTests
{
    private const long Evil = 1_000_000;
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Fact]
    public void ServerSurvivesMutatedReports()
    {
        (List<byte[]> greeting, _, _) = Record();
        Assert.Equal([(byte)FrameKind.Hello, (byte)FrameKind.Report], greeting.Select(frame => frame[0]).Take(2));
        int refused = 0;
        for (ulong seed = 1; seed <= 400; seed++)
        {
            var random = new SeededRandom(seed * 77);
            MembershipWorld world = Cluster(out WorldNode[] nodes);
            world.ReplaceServer();
            foreach (WorldNode node in nodes[1..]) world.Connect(node);
            world.Run(Second / 100);
            world.Server.OnConnected(Evil, world.Now);
            world.Server.OnFrame(Evil, random.NextBelow(4) == 0 ? Mutate(greeting[0], random) : greeting[0], world.Now);
            world.Server.OnFrame(Evil, Mutate(greeting[1], random), world.Now);
            if (world.Closed.Exists(reason => reason != MembershipRefusal.None)) refused++;
            world.Run(Second);
            world.Server.OnDisconnected(Evil, world.Now);
            world.Run(15 * Second);
            WorldNode[] late = [world.Add("late", port: 4000), world.Add("later", port: 4001)];
            foreach (WorldNode node in late) node.Join("after");
            world.Run(5 * Second);
            Assert.All(
                late, node => Assert.True(node.Groups.ContainsKey("after"), $"seed {seed}: {node.Name} is not in"));
        }
        Assert.InRange(refused, 100, 399);
    }

    [Fact]
    public void AgentSurvivesMutatedFrames()
    {
        (_, List<byte[]> before, List<byte[]> after) = Record();
        var settings = new AgentSettings(
            "default", "n0", 1, new NetEndpoint(0x0A000001, 1000), new NetEndpoint(0x0A000001, 21_000), 1 << 20, true,
            Second);
        int expelled = 0;
        for (ulong seed = 1; seed <= 1000; seed++)
        {
            var random = new SeededRandom(seed);
            var events = new InertNode();
            var agent = new MembershipAgent(settings, events, events, new AlarmQueue());
            agent.OnConnected();
            foreach (byte[] frame in before) agent.OnFrame(frame, new Instant(2));
            Assert.False(events.Expelled);
            agent.OnDisconnected(new Instant(3));
            agent.OnConnected();
            foreach (byte[] frame in after)
                agent.OnFrame(random.NextBelow(10) == 0 ? Mutate(frame, random) : frame, new Instant(5));
            if (events.Expelled) expelled++;
        }
        Assert.InRange(expelled, 100, 999);
    }

    private static MembershipWorld Cluster(out WorldNode[] nodes)
    {
        var world = new MembershipWorld();
        nodes = world.AddMany(4);
        foreach (WorldNode node in nodes)
        {
            node.HoldsDone = true;
            node.Join("g", "h");
        }
        world.Run(Second);
        nodes[3].Goodbye();
        nodes[1].Join("i");
        world.Run(Second);
        nodes = nodes[..3];
        return world;
    }

    /// <summary>What the first node says to a new server, what the old server said to it, and what the new one
    /// says.</summary>
    private static (List<byte[]> Greeting, List<byte[]> Before, List<byte[]> After) Record()
    {
        var greeting = new List<byte[]>();
        var before = new List<byte[]>();
        var after = new List<byte[]>();
        var world = new MembershipWorld
        {
            OnFrameToNode = (to, frame) =>
            {
                // A heartbeat confirms what an agent that is only fed never sent.
                if (to.Name == "n0" && frame[0] != (byte)FrameKind.Heartbeat)
                    (greeting.Count == 0 ? before : after).Add([.. frame]);
                return frame;
            },
        };
        WorldNode[] nodes = world.AddMany(3);
        foreach (WorldNode node in nodes) node.Join("g", "h");
        world.Run(Second);
        nodes[2].Goodbye();
        world.Run(Second);
        world.ReplaceServer();
        world.OnFrameToServer = (from, frame) =>
        {
            if (from == nodes[0]) greeting.Add([.. frame]);
            return frame;
        };
        foreach (WorldNode node in nodes[..2]) world.Connect(node);
        world.Run(5 * Second);
        Assert.True(nodes[0].IsLive);
        return (greeting, before, after);
    }

    private static byte[] Mutate(byte[] frame, SeededRandom random)
    {
        byte[] mutant = [.. frame];
        int at = (int)random.NextBelow((ulong)mutant.Length);
        switch (random.NextBelow(5))
        {
            case 0:
                mutant[at] ^= (byte)(1 << (int)random.NextBelow(8));
                return mutant;
            case 1:
                mutant[at] = (byte)random.NextUInt64();
                return mutant;
            case 2:
                mutant[at] = 0xFF;
                return mutant;
            case 3:
                return mutant[..at];
            default:
                return [.. mutant[..at], .. mutant[(at / 2)..]];
        }
    }
}
