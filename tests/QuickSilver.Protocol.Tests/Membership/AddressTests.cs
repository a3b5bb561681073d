using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Membership;

public sealed class AddressTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);
    private static readonly Instant Start = new(TimeSpan.TicksPerMinute);

    [Fact]
    public void AnAddressIsUsedAgainOnlyAfterItHasLingered()
    {
        AddressPool pool = Pool(2, 100);
        (NetEndpoint first, int index) = pool.Take(Start);
        pool.Release(index, Start);
        (NetEndpoint second, int other) = pool.Take(Start + Second);
        Assert.NotEqual(first.Address, second.Address);
        pool.Release(other, Start + Second);
        (NetEndpoint third, _) = pool.Take(Start + (3 * Second));
        Assert.Equal(first.Address, third.Address);
        Assert.NotEqual(first.Port, third.Port);
    }

    [Fact]
    public void ADryPoolSharesEvenlyWithPortsOfTheirOwnWhileThereAreAny()
    {
        AddressPool pool = Pool(3, 4);
        NetEndpoint[] taken = [.. Enumerable.Range(0, 12).Select(_ => pool.Take(Start).Endpoint)];
        Assert.Equal(12, taken.Distinct().Count());
        Assert.All(taken.GroupBy(endpoint => endpoint.Address), address => Assert.Equal(4, address.Count()));
        Assert.Equal(3, taken.Take(3).Select(endpoint => endpoint.Address).Distinct().Count());
        Assert.All(taken, endpoint => Assert.InRange(endpoint.Port, 7000, 7003));
        Assert.Contains(pool.Take(Start).Endpoint, taken);
    }

    [Fact]
    public void ANewServerGivesAddressesOfOldViewsOnlyWhenTheyHaveRetiredAndLingered()
    {
        var settings = new MembershipServerSettings
        {
            MulticastFirst = 0xEF000001,
            MulticastCount = 16,
            AddressLinger = 3 * Second
        };
        var world = new MembershipWorld(1, settings);
        WorldNode[] nodes = world.AddMany(2);
        foreach (WorldNode node in nodes)
        {
            node.HoldsDone = true;
            node.Join("g");
        }
        world.Run(Second);
        NetAddress old = nodes[0].Agent.Cluster.Own!.Multicast.Address;
        world.ReplaceServer();
        foreach (WorldNode node in nodes) world.Connect(node);
        world.Run(3 * Second);
        Assert.True(nodes[0].Agent.Cluster.Own!.Number.Epoch.Term > 1);
        var used = new List<NetAddress> { nodes[0].Agent.Cluster.Own!.Multicast.Address };
        WorldNode late = world.Add("late");
        late.Join("g");
        world.Run(Second);
        late.Join("h");
        world.Run(Second);
        used.AddRange(late.Agent.Cluster.ViewsOf(late.Groups["g"].Id).Select(view => view.Multicast.Address));
        Assert.DoesNotContain(old, used);
        Assert.True(used.Count > 2);
        foreach (WorldNode node in nodes) node.SendHeldReports();
        world.Run(10 * Second);
        late.Join("i");
        world.Run(Second);
        Assert.Equal(world.Server.Statistics.Regions, world.Server.Statistics.UnretiredViews);
    }

    [Fact]
    public void EveryRegionViewHasAnAddressOfItsOwnWhileThePoolLasts()
    {
        MembershipWorld world = World(16);
        WorldNode[] nodes = world.AddMany(6);
        for (int index = 0; index < 6; index += 3)
        {
            nodes[index].Join("a", "b");
            nodes[index + 1].Join("a");
            nodes[index + 2].Join("b");
        }
        world.Run(Second);
        NetEndpoint[] addresses = [.. nodes.Select(node => node.Agent.Cluster.Own!.Multicast)];
        Assert.Equal(3, addresses.Select(endpoint => endpoint.Address).Distinct().Count());
        Assert.All(addresses, endpoint => Assert.InRange(endpoint.Address.IPv4, 0xEF010000u, 0xEF01000Fu));
    }

    [Fact]
    public void ARegionOfOneNodeNeedsNoAddress()
    {
        MembershipWorld world = World(16);
        WorldNode[] nodes = world.AddMany(3);
        nodes[0].Join("a");
        nodes[1].Join("a", "b");
        world.Run(Second);
        Assert.All(nodes[..2], node => Assert.True(node.Agent.Cluster.Own!.Multicast.IsNone));
        nodes[2].Join("a", "b");
        world.Run(Second);
        Assert.True(nodes[0].Agent.Cluster.Own!.Multicast.IsNone);
        Assert.False(nodes[1].Agent.Cluster.Own!.Multicast.IsNone);
    }

    [Fact]
    public void EmptyPoolMeansUnicast()
    {
        var world = new MembershipWorld();
        WorldNode node = world.Add("a");
        node.Join("g");
        world.Run(Second);
        Assert.True(node.Agent.Cluster.Own!.Multicast.IsNone);
    }

    [Fact]
    public void ASenderWithoutMulticastMakesAViewUnicastAndANewOneIfNeedBe()
    {
        MembershipWorld world = World(16);
        WorldNode[] nodes = world.AddMany(6);
        WorldNode poor = world.Add("poor", multicast: false, port: 900);
        for (int index = 0; index < 6; index += 3)
        {
            nodes[index].Join("a");
            nodes[index + 1].Join("b");
            nodes[index + 2].Join("c");
        }
        world.Run(Second);
        RegionView before = nodes[0].Agent.Cluster.Own!;
        RegionView untouched = nodes[2].Agent.Cluster.Own!;
        Assert.False(before.Multicast.IsNone);

        // A member of both groups, but of neither region: only a permitted sender there.
        poor.Join("a", "b");
        world.Run(Second);
        world.CheckQuiet();
        RegionView after = nodes[0].Agent.Cluster.Own!;
        Assert.NotEqual(before.Number, after.Number);
        Assert.Equal(before.Members, after.Members);
        Assert.True(after.Multicast.IsNone);
        Assert.True(nodes[1].Agent.Cluster.Own!.Multicast.IsNone);
        Assert.Same(untouched, nodes[2].Agent.Cluster.Own);
        Assert.Contains(before.Number, nodes[0].Retired.Select(view => view.Number));
    }

    private static AddressPool Pool(int addresses, int ports) =>
        new(new MembershipServerSettings
        {
            MulticastFirst = 0xEF010000,
            MulticastCount = addresses,
            PortFirst = 7000,
            PortCount = ports,
            AddressLinger = 3 * Second,
        });

    private static MembershipWorld World(int addresses) =>
        new(1, new MembershipServerSettings { MulticastFirst = 0xEF010000, MulticastCount = addresses });
}
