using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>Clusters of IPv6 nodes, and nodes of a family that the cluster does not have.</summary>
public sealed class AddressFamilyTests
{
    private const ulong Site = 0xFD00_0000_0000_0000;
    private static readonly NetAddress Pool = new(0xFF15_0000_0000_0000, 0x5153_4200);
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    public static TheoryData<ulong, ulong> Nobody => new()
    {
        { 0, 0 }, { 0, 2 }, { 0, 0x0A00_0001 }, { 0xFF02_0000_0000_0000, 1 }, { 0xFFFF_0000_0000_0000, 1 },
    };

    [Theory]
    [MemberData(nameof(Nobody))]
    public void AnIPv6EndpointOfNoHostIsRefused(ulong high, ulong low)
    {
        var world = new MembershipWorld();
        WorldNode node = Register(world, new NetAddress(high, low), 5_000, new NetAddress(Site, 1));
        Assert.Equal(MembershipRefusal.ForeignAddress, node.Expelled);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void ANodeThatTheOthersCannotReachIsRefused(bool isFirstIPv6)
    {
        var world = new MembershipWorld();
        NetAddress[] both = [0x0A000001, new NetAddress(Site, 1)];
        WorldNode first = Register(world, both[isFirstIPv6 ? 1 : 0], 5_000);
        WorldNode other = Register(world, both[isFirstIPv6 ? 0 : 1], 6_000);
        Assert.Null(first.Expelled);
        Assert.Equal(MembershipRefusal.OtherFamily, other.Expelled);
        Assert.Equal(1, world.Server.Statistics.Nodes);
    }

    [Fact]
    public void ANodeOfTwoFamiliesIsRefused()
    {
        var world = new MembershipWorld();
        WorldNode node = Register(world, 0x0A000001, 5_000, new NetAddress(Site, 1));
        Assert.Equal(MembershipRefusal.OtherFamily, node.Expelled);
    }

    [Fact]
    public void RegionsOfIPv6NodesHaveGroupsOfThePool()
    {
        WorldNode node = JoinBesideAnother(
            new MembershipServerSettings { MulticastFirst = Pool, MulticastCount = 16 });
        NetEndpoint group = node.Agent.Cluster.Own!.Multicast;
        Assert.InRange(group.Address.DistanceFrom(Pool), 0, 15);
        Assert.True(group.IsMulticast);
    }

    [Fact]
    public void NobodyIsGivenAGroupOfTheOtherFamily()
    {
        WorldNode node = JoinBesideAnother(
            new MembershipServerSettings { MulticastFirst = 0xEF010000, MulticastCount = 16 });
        Assert.True(node.Agent.Cluster.Own!.Multicast.IsNone);
    }

    private static WorldNode JoinBesideAnother(MembershipServerSettings settings)
    {
        var world = new MembershipWorld(1, settings);
        WorldNode[] nodes =
        [
            Register(world, new NetAddress(Site, 1), 5_000), Register(world, new NetAddress(Site, 2), 5_000),
        ];
        foreach (WorldNode node in nodes) node.Join("g");
        world.Run(5 * Second);
        Assert.Equal(2, nodes[0].Agent.Cluster.Own!.Members.Length);
        return nodes[0];
    }

    private static WorldNode Register(MembershipWorld world, NetAddress control, ushort port, NetAddress data = default)
    {
        var at = new NetEndpoint(data == default ? control : data, (ushort)(port + 1));
        WorldNode node = world.Add(new AgentSettings(
            "default", $"n{world.Nodes.Count}", 1, new NetEndpoint(control, port), at, 1 << 20, true, Second));
        world.Run(Second);
        return node;
    }
}
