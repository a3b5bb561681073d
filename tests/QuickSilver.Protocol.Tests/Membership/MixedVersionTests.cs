using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>
/// Nodes of several builds in one cluster: a view runs the newest version that all who send in it speak, and changes by
/// itself when the last older one has gone.
/// </summary>
public sealed class MixedVersionTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);
    private static readonly ProtocolVersions Old = new(2, 2);
    private static readonly ProtocolVersions New = new(2, 3);

    private readonly MembershipWorld _world = World(New);

    [Fact]
    public void AViewRunsTheNewestVersionThatItsMembersSpeak()
    {
        WorldNode[] nodes = [Add("a", New), Add("b", New)];
        Join(nodes, "g");
        Assert.All(nodes, node => Assert.Equal(3, VersionOf(node)));
        WorldNode old = Add("c", Old);
        _world.Run(Second);
        Assert.Equal(3, VersionOf(nodes[0]));
        Join([old], "g");
        Assert.All([.. nodes, old], node => Assert.Equal(2, VersionOf(node)));
        _world.CheckQuiet();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void TheViewAfterTheLastOldMemberHasGoneRunsTheNewVersion(bool isRemoved)
    {
        WorldNode[] nodes = [Add("a", New), Add("b", New), Add("c", Old)];
        Join(nodes, "g");
        Assert.Equal(2, VersionOf(nodes[0]));
        if (isRemoved) nodes[2].Crash();
        else nodes[2].Leave("g");
        _world.Run(15 * Second);
        Assert.Equal([3, 3], nodes[..2].Select(VersionOf));
    }

    /// <summary>The region of others stays, and the old node sends to it: it has to get a view all the same.</summary>
    [Fact]
    public void AnOldSenderBringsTheViewDownAndItRisesWhenTheSenderHasGone()
    {
        WorldNode[] nodes = [Add("a", New), Add("b", New), Add("c", Old)];
        Join(nodes[..2], "g");
        Join([nodes[2]], "x");
        RegionView first = nodes[0].Agent.Cluster.Own!;
        Assert.Equal(3, first.Version);
        Join([nodes[2]], "g");
        RegionView second = nodes[0].Agent.Cluster.Own!;
        Assert.Equal(2, second.Version);
        Assert.NotEqual(first.Number, second.Number);
        Assert.Equal(first.Region.Id, second.Region.Id);
        nodes[2].Leave("g");
        _world.Run(Second);
        RegionView third = nodes[0].Agent.Cluster.Own!;
        Assert.Equal(3, third.Version);
        Assert.Equal(first.Region.Id, third.Region.Id);
        _world.CheckQuiet();
    }

    [Fact]
    public void AnOldPublisherBringsTheViewDownAndItRisesWhenThePublisherHasGone()
    {
        WorldNode[] nodes = [Add("a", New), Add("b", New), Add("c", Old)];
        Join(nodes[..2], "g");
        _world.IsChecked = node => node != nodes[2];
        nodes[2].Agent.RequestPublish(["g"], static _ => GroupModes.Reliable, _world.Now);
        _world.Run(Second);
        Assert.Equal([2, 2], nodes[..2].Select(VersionOf));
        GroupId group = nodes[0].Groups["g"].Id;
        nodes[2].Agent.RequestCease([group], _world.Now);
        _world.Run(Second);
        Assert.Equal([3, 3], nodes[..2].Select(VersionOf));
    }

    [Fact]
    public void ARegionAtItsLimitOfViewsRisesWhenOneHasRetired()
    {
        WorldNode[] nodes = [Add("a", New), Add("b", New), Add("c", Old)];
        Join([nodes[0]], "g");
        Join([nodes[2]], "x");
        nodes[0].HoldsDone = true;
        Join([nodes[2]], "g");
        Join([nodes[1]], "g");
        nodes[1].Leave("g");
        _world.Run(Second);
        Assert.Equal(2, VersionOf(nodes[0]));
        nodes[2].Leave("g");
        _world.Run(Second);
        Assert.Equal(2, VersionOf(nodes[0]));
        Assert.False(_world.Server.IsBusy);
        nodes[0].HoldsDone = false;
        nodes[0].SendHeldReports();
        _world.Run(Second);
        Assert.Equal(3, VersionOf(nodes[0]));
    }

    [Fact]
    public void AnOldServerHoldsViewsAtItsVersionAndTheNextOneRaisesThem()
    {
        MembershipWorld world = World(Old);
        WorldNode[] nodes = [Add(world, "a", New), Add(world, "b", New)];
        foreach (WorldNode node in nodes) node.Join("g");
        world.Run(Second);
        Assert.Equal([2, 2], nodes.Select(VersionOf));
    }

    [Fact]
    public void ANodeOutsideOfTheCommonVersionsIsToldThem()
    {
        MembershipWorld world = World(new ProtocolVersions(2, 4));
        WorldNode latest = Add(world, "a", new ProtocolVersions(3, 4));
        world.Run(Second);
        WorldNode old = Add(world, "b", Old);
        world.Run(Second);
        Assert.Equal(MembershipRefusal.WrongVersion, old.Expelled);
        Assert.Equal(new ProtocolVersions(3, 4), old.Agent.ServerVersions);
        WorldNode middle = Add(world, "c", new ProtocolVersions(2, 3));
        world.Run(Second);
        Assert.True(middle.IsLive);
        WorldNode tooNew = Add(world, "d", new ProtocolVersions(4, 5));
        world.Run(Second);
        Assert.Equal(new ProtocolVersions(3, 3), tooNew.Agent.ServerVersions);
        latest.Goodbye();
        world.Run(Second);
        Assert.True(Add(world, "e", Old).IsLive);
        world.Run(Second);
        Assert.True(world.Nodes[^1].IsLive);
        Assert.Equal(2UL, world.Server.CountOf(MembershipRefusal.WrongVersion));
    }

    [Fact]
    public void AViewOfAVersionThatTheNodeDoesNotSpeakIsMalformed()
    {
        WorldNode node = Add("a", Old);
        _world.OnFrameToNode = static (_, frame) =>
        {
            // kind, step, region, dropped, senders, ceases, publishes, opened, region, view, age, replication
            if (frame[0] == (byte)FrameKind.Step && frame.Length > 13) frame[13] = 3;
            return frame;
        };
        node.Join("g");
        _world.Run(Second);
        Assert.Equal(MembershipRefusal.BadFrame, node.Expelled);
    }

    private static MembershipWorld World(ProtocolVersions server) =>
        new(settings: new MembershipServerSettings { Versions = server });

    private static WorldNode Add(MembershipWorld world, string name, ProtocolVersions versions)
    {
        ushort port = (ushort)(1000 + world.Nodes.Count);
        return world.Add(new AgentSettings(
            "default",
            name,
            1,
            new NetEndpoint(0x0A000001, port),
            new NetEndpoint(0x0A000001, (ushort)(port + 20_000)),
            1 << 20,
            true,
            Second)
        {
            Versions = versions,
        });
    }

    private static int VersionOf(WorldNode node) => node.Agent.Cluster.Own!.Version;

    private WorldNode Add(string name, ProtocolVersions versions) => Add(_world, name, versions);

    private void Join(WorldNode[] nodes, string group)
    {
        foreach (WorldNode node in nodes) node.Join(group);
        _world.Run(Second);
    }
}
