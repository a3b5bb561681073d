using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Server;
using static QuickSilver.Protocol.Tests.Membership.MembershipWorldSteps;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>Whose word counts at the server: an admitted node is no member, and an identity counts once.</summary>
public sealed class ConcernTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    /// <summary>Two admitted nodes that are in no group, or in another one, accuse everybody of everything.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void NodesThatShareNoViewWithTheAccusedHaveNoVoice(bool isInAnotherGroup)
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(4);
        WorldNode[] strangers = [world.Add("m1"), world.Add("m2")];
        foreach (WorldNode stranger in strangers)
        {
            if (isInAnotherGroup) stranger.Join("other");
            stranger.Observing = (observed, now) =>
            {
                foreach (WorldNode node in nodes)
                {
                    observed.Accuse(node, now);
                    observed.Block(node, now);
                }
            };
        }
        world.Run(60 * Second);
        AssertUndisturbed(nodes);
    }

    [Fact]
    public void NodesOfOneIdentityAreOneWitness()
    {
        MembershipWorld world = WithIdentities();
        WorldNode[] nodes = world.Found("a", "b", "v", "m/1", "m/2");
        foreach (WorldNode liar in nodes[3..]) liar.Observing = (observed, now) => observed.Accuse(nodes[2], now);
        world.Run(19 * Second);
        Assert.All(nodes, node => Assert.True(node.IsLive, node.Name));
    }

    [Fact]
    public void NodesOfTwoIdentitiesAreTwoWitnesses()
    {
        MembershipWorld world = WithIdentities();
        WorldNode[] nodes = world.Found("a", "b", "v", "m/1", "m/2");
        nodes[0].Observing = (observed, _) => observed.Hearsay(nodes[2]);
        nodes[3].Observing = (observed, now) => observed.Accuse(nodes[2], now);
        world.Run(13 * Second);
        Assert.Equal(MembershipRefusal.Unreachable, nodes[2].Expelled);
    }

    /// <summary>A fleet with one certificate judges itself as one without certificates does.</summary>
    [Fact]
    public void NodesWithTheIdentityOfTheAccusedCountOneByOne()
    {
        MembershipWorld world = WithIdentities();
        WorldNode[] nodes = world.Found("f/1", "f/2", "f/3", "f/4");
        nodes[0].Observing = (observed, now) => observed.Accuse(nodes[3], now);
        nodes[1].Observing = (observed, _) => observed.Hearsay(nodes[3]);
        world.Run(13 * Second);
        Assert.Equal(MembershipRefusal.Unreachable, nodes[3].Expelled);
    }

    [Fact]
    public void NodesOfOneIdentityCannotHaveAnotherRemovedForItsPackets()
    {
        MembershipWorld world = WithIdentities();
        WorldNode[] nodes = world.Found("a", "v", "m/1", "m/2", "m/3");
        foreach (WorldNode liar in nodes[2..]) liar.Observing = (observed, now) => observed.Block(nodes[1], now);
        world.Run(60 * Second);
        AssertUndisturbed(nodes[..2]);
    }

    /// <summary>Many that are in no group fall silent together: that is no sign that the server is cut off.</summary>
    [Fact]
    public void SilenceOfNodesWithoutGroupsHoldsNobodyUp()
    {
        var world = new MembershipWorld(1, new MembershipServerSettings { AwaitMajority = true });
        WorldNode[] nodes = world.Found(3);
        for (int index = 0; index < 9; index++) world.Add($"m{index}").IsMute = true;
        nodes[2].IsMute = true;
        world.Run(40 * Second);
        Assert.Equal(MembershipRefusal.Removed, nodes[2].Expelled);
        Assert.Equal(HoldReason.None, world.Server.Hold.Reason);
        AssertUndisturbed(nodes[..2]);
    }

    /// <summary>Most members are out of sight, and many nodes without groups are not.</summary>
    [Fact]
    public void NodesWithoutGroupsDoNotHideTheLossOfMembers()
    {
        var world = new MembershipWorld(1, new MembershipServerSettings { AwaitMajority = true });
        WorldNode[] nodes = world.Found(4);
        for (int index = 0; index < 9; index++) world.Add($"m{index}");
        foreach (WorldNode node in nodes[1..]) node.IsMute = true;
        world.Run(40 * Second);
        Assert.Equal(HoldReason.Sight, world.Server.Hold.Reason);
        foreach (WorldNode node in nodes[1..]) node.IsMute = false;
        world.Run(5 * Second);
        AssertUndisturbed(nodes);
    }

    /// <summary>Nodes in no group at a server that has just been founded keep no survivor of the older cluster
    /// out.</summary>
    [Fact]
    public void NodesWithoutGroupsKeepNoOlderClusterOut()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(3);
        world.ReplaceServer();
        world.Add("young").Join("h");
        for (int index = 0; index < 20; index++) world.Add($"m{index}");
        world.Run(Second);
        world.Connect(nodes);
        world.Run(5 * Second);
        AssertUndisturbed(nodes);
        Assert.Equal(nodes[0].Instance, world.Server.Instance);
    }

    [Fact]
    public void ANameOfAnotherIdentityTakesNobodysPlace()
    {
        MembershipWorld world = WithIdentities();
        world.IdentityOf = static node => node.Name == "alice" ? $"i{node.Incarnation}" : "";
        WorldNode alice = world.Add("alice");
        alice.Join("g");
        world.Run(Second);
        world.Break(alice);
        WorldNode other = world.Add("alice", incarnation: 7);
        other.Join("g");
        world.Run(Second);
        world.Connect(alice);
        world.Run(Second);
        AssertUndisturbed([alice, other]);
        string[] identities =
            [.. other.Agent.Cluster.Own!.Members.ToArray().Select(static member => member.Identity).Order()];
        Assert.Equal(["i1", "i7"], identities);
        Assert.Equal("i7", other.Agent.Cluster.Self!.Identity);
    }

    [Fact]
    public void ANodeAtTheAddressOfAnotherIdentityWaitsForItsRemoval()
    {
        var world = new MembershipWorld();
        world.IdentityOf = static node => $"i{node.Incarnation}";
        WorldNode first = world.Add("first", port: 1500);
        first.Join("g");
        world.Run(Second);
        world.Break(first, isEnded: false);
        WorldNode second = world.Add("second", incarnation: 9, port: 1500);
        second.Join("g");
        world.Run(Second);
        Assert.Empty(second.Groups);
        Assert.Equal(1, world.Server.Statistics.Nodes);
        world.Run(3 * Second);
        Assert.Contains("g", second.Groups.Keys);
    }

    [Fact]
    public void AnIdentityRegistersAsManyNodesAsItMay()
    {
        var world = new MembershipWorld(1, new MembershipServerSettings { MaxNodesOfIdentity = 2 });
        world.IdentityOf = static node => node.Name[..1];
        WorldNode[] nodes = [.. ((string[])["a1", "a2", "a3", "b1"]).Select(name => world.Add(name))];
        world.Run(Second);
        Assert.Equal(MembershipRefusal.TooManyNodes, nodes[2].Expelled);
        Assert.Equal(3, world.Server.Statistics.Nodes);
        nodes[0].Goodbye();
        world.Run(Second);
        world.Add("a4");
        world.Run(Second);
        Assert.Equal(3, world.Server.Statistics.Nodes);
    }

    [Theory]
    [InlineData("alice", true)]
    [InlineData("alice/2", true)]
    [InlineData("alice2", false)]
    [InlineData("bob", false)]
    public void ANameIsBoundToItsIdentity(string name, bool isGood)
    {
        var world = new MembershipWorld(1, new MembershipServerSettings { BindsNames = true });
        world.IdentityOf = static _ => "alice";
        WorldNode node = world.Add(name);
        world.Run(Second);
        Assert.Equal(isGood ? null : MembershipRefusal.ForeignName, node.Expelled);
    }

    private static MembershipWorld WithIdentities() =>
        new() { IdentityOf = static node => node.Name.Split('/')[0] };
}
