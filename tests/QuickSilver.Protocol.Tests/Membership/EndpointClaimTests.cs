using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>Which endpoints a node may register with: members send there whatever a node asks for.</summary>
public sealed class EndpointClaimTests
{
    private const uint Own = 0x0A000001;
    private static readonly NetEndpoint Good = new(Own, 5_000);

    public static TheoryData<uint, ushort> NobodysEndpoints => new()
    {
        { 0, 5_000 },
        { 0x00000001, 5_000 },
        { 0xE0000001, 5_000 },
        { 0xEFC04201, 15_000 },
        { 0xF0000001, 5_000 },
        { 0xFFFFFFFF, 5_000 },
        { Own, 0 },
    };

    [Theory]
    [MemberData(nameof(NobodysEndpoints))]
    public void AnEndpointOfNoHostIsRefused(uint address, ushort port)
    {
        var bad = new NetEndpoint(address, port);
        var world = new MembershipWorld();
        ExpectRefused(world, Good, bad);
        if (!bad.IsNone) ExpectRefused(world, bad, Good);
        Assert.Equal(0, world.Server.Statistics.Nodes);
    }

    [Fact]
    public void AnAddressThatTheConnectionDoesNotSpeakForIsRefused()
    {
        var world = new MembershipWorld { SpeaksFor = static (_, endpoint) => endpoint.Address == Own };
        var foreign = new NetEndpoint(0x0A000002, 5_001);
        ExpectRefused(world, Good, foreign);
        ExpectRefused(world, foreign, Good);
        Assert.Equal(2UL, world.Server.CountOf(MembershipRefusal.ForeignAddress));
        WorldNode node = Register(world, Good, Good with { Port = 5_001 });
        Assert.Null(node.Expelled);
        Assert.Equal(1, world.Server.Statistics.Nodes);
    }

    [Fact]
    public void AnotherNodesEndpointIsRefusedWhileThatNodeIsConnected()
    {
        var world = new MembershipWorld();
        NetEndpoint control = Good;
        NetEndpoint data = Good with { Port = 5_001 };
        WorldNode victim = Register(world, control, data);
        ExpectRefused(world, new NetEndpoint(Own, 6_000), data);
        ExpectRefused(world, new NetEndpoint(Own, 6_000), control);
        ExpectRefused(world, data, new NetEndpoint(Own, 6_000));
        Assert.Null(victim.Expelled);
        Assert.NotNull(victim.Connection);

        world.Break(victim);
        WorldNode heir = Register(world, new NetEndpoint(Own, 6_000), data);
        Assert.Null(heir.Expelled);
    }

    [Fact]
    public void ANodeThatComesBackKeepsItsOwnEndpoints()
    {
        var world = new MembershipWorld();
        WorldNode node = Register(world, Good, Good with { Port = 5_001 });
        world.Break(node);
        world.Connect(node);
        world.Run(TimeSpan.FromSeconds(1));
        Assert.Null(node.Expelled);
        Assert.Equal(1, world.Server.Statistics.Nodes);
    }

    [Fact]
    public void HostsClaimsComeBackAsTheyWereSentAndOneOfTwoGoesFirst()
    {
        var early = new HostClaimFrame { ClusterName = "c", Stamp = 5, Id = 9, Serves = true, Nodes = 300 };
        var late = new HostClaimFrame { ClusterName = "c", Stamp = 5, Id = 10 };
        var builder = new FrameBuilder();
        early.WriteTo(builder, FrameKind.HostQuery);
        byte[] bytes = builder.ToArray();
        Assert.Equal(early, HostClaimFrame.TryRead(bytes, FrameKind.HostQuery));
        Assert.Null(HostClaimFrame.TryRead(bytes, FrameKind.HostAnswer));
        for (int length = 0; length < bytes.Length; length++)
            Assert.Null(HostClaimFrame.TryRead(bytes.AsSpan(0, length), FrameKind.HostQuery));
        Assert.Null(HostClaimFrame.TryRead([.. bytes, 0], FrameKind.HostQuery));
        Assert.True(early.GoesBefore(late));
        Assert.False(late.GoesBefore(early));
    }

    private static void ExpectRefused(MembershipWorld world, NetEndpoint control, NetEndpoint data) =>
        Assert.Equal(MembershipRefusal.ForeignAddress, Register(world, control, data).Expelled);

    private static WorldNode Register(MembershipWorld world, NetEndpoint control, NetEndpoint data)
    {
        WorldNode node = world.Add(
            new AgentSettings(
                "default", $"n{world.Nodes.Count}", 1, control, data, 1 << 20, true, TimeSpan.FromSeconds(1)));
        world.Run(TimeSpan.FromMilliseconds(100));
        return node;
    }
}
