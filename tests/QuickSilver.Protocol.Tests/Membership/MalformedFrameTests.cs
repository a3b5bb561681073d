using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Membership;

public sealed class MalformedFrameTests
{
    private const long Evil = 1_000_000;
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Fact]
    public void ServerSurvivesMutatedFramesAndOthersAreUndisturbed()
    {
        List<byte[]> session = Record().ToServer;
        int expelled = 0;
        for (ulong seed = 1; seed <= 250; seed++)
        {
            var world = new MembershipWorld(seed);
            WorldNode[] nodes = world.AddMany(2);
            foreach (WorldNode node in nodes) node.Join("g", "h");
            world.Run(Second / 10);
            var random = new SeededRandom(seed * 77);
            world.Server.OnConnected(Evil, world.Now);
            foreach (byte[] frame in session)
            {
                bool mutate = random.NextBelow(4) == 0;
                world.Server.OnFrame(Evil, mutate ? Mutate(frame, session, random) : frame, world.Now);
                world.Run(Second / 1000);
            }
            world.Server.OnDisconnected(Evil, world.Now);
            nodes[0].Join("after");
            world.Run(5 * Second);
            world.CheckQuiet();
            Assert.All(nodes, node => Assert.True(node.IsLive, $"seed {seed}"));
            Assert.Equal(2, world.Server.Statistics.Nodes);
            if (world.Closed.Contains(MembershipRefusal.BadFrame)) expelled++;
        }
        Assert.InRange(expelled, 125, 250);
    }

    [Fact]
    public void ReportsOfMoreViewsThanThereCanBeAreRefusedAndLongOnesCostNoMoreThanTheirLength()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.AddMany(2);
        foreach (WorldNode node in nodes) node.Join("g");
        world.Run(Second);
        List<byte[]> session = Record().ToServer;
        world.Server.OnConnected(Evil, world.Now);
        world.Server.OnFrame(Evil, session[0], world.Now);
        // Two lists that have nothing in common: each entry of the second is looked for in the first.
        world.Server.OnFrame(Evil, Draining(first: 1, count: 1 << 16), world.Now);
        world.Server.OnFrame(Evil, Draining(first: 100_000, count: 1 << 16), world.Now);
        Assert.Empty(world.Closed);
        world.Server.OnFrame(Evil, Draining(first: 1, count: (1 << 16) + 1), world.Now);
        Assert.Equal([MembershipRefusal.BadFrame], world.Closed);

        static byte[] Draining(int first, int count)
        {
            var observed = new NodeObservations();
            for (int view = first; view < first + count; view++)
                observed.Draining.Add(new DrainingView(new ViewNumber(new Epoch(1, 1), (uint)view), 0, false));
            var frame = new FrameBuilder();
            ObservedFrame.Write(frame, observed);
            return frame.Span.ToArray();
        }
    }

    [Fact]
    public void AgentSurvivesMutatedFrames()
    {
        (AgentSettings settings, List<byte[]> session) = (Settings(), Record().ToNode);
        int expelled = 0;
        for (ulong seed = 1; seed <= 2000; seed++)
        {
            var random = new SeededRandom(seed);
            var events = new InertNode();
            var agent = new MembershipAgent(settings, events, events, new AlarmQueue());
            agent.OnConnected();
            foreach (byte[] frame in session)
            {
                bool mutate = random.NextBelow(20) == 0;
                agent.OnFrame(mutate ? Mutate(frame, session, random) : frame, new Instant(2));
            }
            if (events.Expelled) expelled++;
        }
        Assert.InRange(expelled, 500, 2000);
    }

    [Theory]
    [InlineData("")]
    [InlineData("00")]
    [InlineData("FF")]
    [InlineData("01")]
    [InlineData("0151534D42")]
    [InlineData("0151534D421201630000")]
    [InlineData("474554202F20485454502F312E310D0A")]
    public void ConnectionThatDoesNotBeginWithAHelloIsClosedWithoutAnAnswer(string hex)
    {
        var world = new MembershipWorld();
        var answers = new List<byte[]>();
        world.Server.OnConnected(Evil, world.Now);
        world.Server.OnFrame(Evil, Convert.FromHexString(hex), world.Now);
        Assert.Equal([MembershipRefusal.BadFrame], world.Closed);
        Assert.Equal(1UL, world.Server.CountOf(MembershipRefusal.BadFrame));

        // What still comes by the closed connection is ignored.
        world.Server.OnFrame(Evil, Convert.FromHexString(hex), world.Now);
        world.Server.OnDisconnected(Evil, world.Now);
        Assert.Single(world.Closed);
    }

    [Theory]
    [InlineData("0A0201", "a step that was not made")]
    [InlineData("0A00", "half a frame")]
    [InlineData("0B05", "a switch to a step not installed")]
    [InlineData("0C0005", "view 0")]
    [InlineData("09FFFFFFFF0F", "more groups than bytes")]
    [InlineData("0902", "groups that are missing")]
    [InlineData("0801", "no names")]
    [InlineData("080001058101", "a name cut short")]
    [InlineData("08000102C328", "a name that is not UTF-8")]
    [InlineData("0263", "confirms what was never sent")]
    [InlineData("028000", "a varint that is not canonical")]
    [InlineData("0300", "bytes too many")]
    [InlineData("01", "another hello")]
    [InlineData("20", "a frame of the server's")]
    [InlineData("7F", "an unknown kind")]
    public void RegisteredNodeThatBreaksTheFormatIsRemoved(string hex, string because)
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(2);
        world.SendToServer(nodes[1], Convert.FromHexString(hex));
        world.Run(Second);
        Assert.True(nodes[1].Expelled == MembershipRefusal.BadFrame, because);
        Assert.Equal([MembershipRefusal.BadFrame], world.Closed);
        Assert.True(nodes[0].IsLive);
        world.CheckQuiet();
    }

    [Fact]
    public void WrongClusterAndWrongVersionAreRefusedWithTheirReason()
    {
        var world = new MembershipWorld();
        WorldNode stranger = world.Add(Settings() with { ClusterName = "another" });
        world.OnFrameToServer = (_, frame) =>
        {
            frame[5] = frame[6] = ProtocolVersions.NewestSpoken + 1;
            return frame;
        };
        WorldNode newer = world.Add(Settings());
        world.Run(Second);
        Assert.Equal(MembershipRefusal.WrongCluster, stranger.Expelled);
        Assert.Equal(MembershipRefusal.WrongVersion, newer.Expelled);
        Assert.Equal(ProtocolVersions.Spoken, newer.Agent.ServerVersions);
        Assert.Equal(1UL, world.Server.CountOf(MembershipRefusal.WrongVersion));
        Assert.Equal(0, world.Server.Statistics.Nodes);
    }

    [Fact]
    public void ConnectionThatSaysNothingIsClosed()
    {
        var world = new MembershipWorld();
        WorldNode node = world.Add("a");
        world.Server.OnConnected(Evil, world.Now);
        world.Run(5 * Second);
        world.Server.OnConnected(Evil + 1, world.Now);
        world.Run(6 * Second);
        Assert.Single(world.Closed);
        world.Run(6 * Second);
        Assert.Equal(2, world.Closed.Count);
        Assert.True(node.IsLive);
    }

    private static AgentSettings Settings() => new(
        "default", "x", 1, new NetEndpoint(0xC0A8F7F3, 0xF0F1), new NetEndpoint(0xC0A8F7F3, 0xF1F0), 1 << 20, true,
        TimeSpan.FromMilliseconds(50));

    /// <summary>A life with all kinds of frames in it, both ways.</summary>
    private static (List<byte[]> ToServer, List<byte[]> ToNode) Record()
    {
        var toServer = new List<byte[]>();
        var toNode = new List<byte[]>();
        var world = new MembershipWorld();
        WorldNode[] others = world.AddMany(3);
        foreach (WorldNode other in others) other.Join("g", "h", $"own of {other.Name}");
        world.Run(Second);
        WorldNode node = world.Add(Settings());
        world.OnFrameToServer = (from, frame) =>
        {
            if (from == node) toServer.Add([.. frame]);
            return frame;
        };
        world.OnFrameToNode = (to, frame) =>
        {
            if (to == node) toNode.Add([.. frame]);
            return frame;
        };
        world.Break(node);
        world.Connect(node);
        node.Join("g", "$bad");
        world.Run(Second / 10);
        node.Join("h", "i");
        world.Run(Second / 10);
        others[0].Leave("g");
        world.Run(Second / 10);
        node.Leave("i");
        others[1].Goodbye();
        world.Run(Second / 10);
        others[2].Join("i");
        world.Run(Second / 10);
        Assert.True(node.IsLive);
        byte[][] kinds = [[1, 2, 8, 9, 10, 11, 12], [32, 33, 40, 41, 42, 43, 44, 45, 46, 47, 48]];
        Assert.Empty(kinds[0].Except(toServer.Select(frame => frame[0])));
        Assert.Empty(kinds[1].Except(toNode.Select(frame => frame[0])).Except([(byte)33]));
        return (toServer, toNode);
    }

    private static byte[] Mutate(byte[] frame, List<byte[]> session, SeededRandom random)
    {
        byte[] mutant = [.. frame];
        int at = (int)random.NextBelow((ulong)mutant.Length);
        switch (random.NextBelow(7))
        {
            case 0:
                mutant[at] ^= (byte)(1 << (int)random.NextBelow(8));
                break;
            case 1:
                mutant[at] = (byte)random.NextUInt64();
                break;
            case 2:
                mutant[at] = 0xFF;
                break;
            case 3:
                return mutant[..at];
            case 4:
                return [.. mutant, (byte)random.NextUInt64()];
            case 5:
                byte[] other = session[(int)random.NextBelow((ulong)session.Count)];
                return [.. mutant[..at], .. other[(int)random.NextBelow((ulong)other.Length)..]];
            default:
                return session[(int)random.NextBelow((ulong)session.Count)];
        }
        return mutant;
    }
}
