using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Wire;
using static QuickSilver.Protocol.Tests.Membership.MembershipWorldSteps;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>A server with an address of its own: which nodes it waits for, who counts, and what ends the
/// wait.</summary>
public sealed class MajorityTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);
    private static readonly MembershipServerSettings Settings = new()
    {
        AwaitMajority = true,
        FoundingGrace = TimeSpan.FromMilliseconds(100)
    };

    /// <summary>As it was found: the host and two of three others are killed and restarted; no view was ever made
    /// again.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void RestartedProcessesAreTheSuccessorsOfThoseThatDied(bool isBefore)
    {
        var world = new MembershipWorld(1, Settings);
        WorldNode[] nodes = world.Found(4);
        world.ReplaceServer();
        for (int index = 0; index < 3; index++) nodes[index].Crash();
        if (!isBefore) world.Connect(nodes[3]);
        world.Run(Second / 100);
        WorldNode[] again = [
            .. nodes[..3].Select((node, index) => world.Add(node.Name, incarnation: 2, port: (ushort)(2000 + index)))];
        world.Run(Second / 100);
        if (isBefore) world.Connect(nodes[3]);
        foreach (WorldNode node in again) node.Join("g");
        world.Run(Second);
        world.ConnectAll();
        world.Run(2 * Second);
        AssertUndisturbed([nodes[3], .. again]);
        world.CheckQuiet();
        Assert.Equal(4, nodes[3].Agent.Cluster.Own!.Members.Length);
        Assert.Equal(nodes[..3].Select(static node => node.Name), nodes[3].Removed.Select(static node => node.Name));
        Assert.Equal(HoldReason.None, nodes[3].Hold.Reason);
    }

    [Fact]
    public void ProcessAtTheAddressOfOneThatDiedIsItsSuccessorWhateverItsName()
    {
        var world = new MembershipWorld(1, Settings);
        WorldNode[] nodes = world.Found(4);
        world.ReplaceServer();
        for (int index = 0; index < 3; index++) nodes[index].Crash();
        world.Connect(nodes[3]);
        world.Run(Second);
        WorldNode[] again = [
            .. nodes[
                ..3].Select((_, index) => world.Add($"other{index}", incarnation: 2, port: (ushort)(1000 + index)))];
        foreach (WorldNode node in again) node.Join("g");
        world.Run(3 * Second);
        AssertUndisturbed([nodes[3], .. again]);
        world.CheckQuiet();
    }

    [Fact]
    public void OneProcessFollowsOneMember()
    {
        var world = new MembershipWorld(1, Settings);
        WorldNode[] nodes = new WorldNode[6];
        for (int index = 0; index < nodes.Length; index++)
        {
            nodes[index] = world.Add("twin");
            nodes[index].Join("g");
        }
        world.Run(Second);
        world.ReplaceServer();
        for (int index = 0; index < 5; index++) nodes[index].Crash();
        world.Connect(nodes[5]);
        world.Run(Second);
        world.Add("twin", incarnation: 2, port: 3000);
        world.Run(20 * Second);
        Assert.Equal(
            (HoldReason.Majority, 4, 2),
            (world.Server.Hold.Reason, world.Server.Hold.Missing, world.Server.Hold.Present));
        world.Add("twin", incarnation: 2, port: 3001);
        world.Run(20 * Second);
        Assert.Equal(HoldReason.None, world.Server.Hold.Reason);
        Assert.True(world.Server.Statistics.Steps > 0);
    }

    [Fact]
    public void SuccessorThatDiesCountsNoMore()
    {
        var world = new MembershipWorld(1, Settings);
        WorldNode[] nodes = world.Found(4);
        world.ReplaceServer();
        for (int index = 0; index < 3; index++) nodes[index].Crash();
        world.Connect(nodes[3]);
        world.Run(Second);
        WorldNode again = world.Add(nodes[0].Name, incarnation: 2, port: 3000);
        world.Run(Second);
        again.Crash();
        world.Run(30 * Second);
        Assert.Equal(
            (HoldReason.Majority, 3, 1),
            (world.Server.Hold.Reason, world.Server.Hold.Missing, world.Server.Hold.Present));
        Assert.Equal(0UL, world.Server.Statistics.Steps);
    }

    [Fact]
    public void WaitIsSaidWithNamesAndEndsWhenTheOperatorForgetsAMember()
    {
        var told = new List<MembershipHold>();
        var world = new MembershipWorld(1, Settings with { Events = new Told(told) });
        WorldNode[] nodes = world.Found(4);
        world.ReplaceServer();
        for (int index = 0; index < 3; index++) nodes[index].Crash();
        world.Connect(nodes[3]);
        nodes[3].Join("late");
        world.Run(32 * Second);
        Assert.InRange(told.Count, 4, 8);
        Assert.Equal((HoldReason.Majority, 3, 1), (told[^1].Reason, told[^1].Missing, told[^1].Present));
        Assert.Equal(nodes[..3].Select(node => $"{node.Name} ({node.Agent.Cluster.Self!.Control})"), told[^1].Names);
        Assert.Equal(told[^1].Names, nodes[3].Hold.Names);
        Assert.Equal(told[^1].Names, nodes[3].Agent.JoinsWaitFor!.Names);

        Assert.Equal(0, world.Server.Forget("nobody", world.Now));
        Assert.Equal(0, world.Server.Forget(nodes[3].Name, world.Now));
        Assert.Equal(1, world.Server.Forget(nodes[0].Name, world.Now));
        world.Run(Second);
        Assert.Equal(2, nodes[3].Hold.Missing);
        Assert.Equal(1, world.Server.Forget(nodes[1].Name, world.Now));
        world.Run(2 * Second);
        Assert.Equal(HoldReason.None, nodes[3].Hold.Reason);
        Assert.Equal(HoldReason.None, told[^1].Reason);
        world.CheckQuiet();
        Assert.Contains("late", nodes[3].Groups.Keys);
    }

    /// <summary>As it was found: a survivor that had registered was cut off and removed. So a majority of fewer was
    /// awaited, and more living nodes were removed than were left.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void SurvivorThatIsLostSightOfCountsAsMissing(bool isMute)
    {
        var world = new MembershipWorld(1, Settings);
        WorldNode[] nodes = world.Found(7);
        world.ReplaceServer();
        foreach (WorldNode node in nodes[..3]) world.Connect(node);
        world.Run(Second);
        if (isMute) nodes[2].IsMute = true;
        else world.Break(nodes[2], isEnded: false);
        world.Run(30 * Second);
        Assert.Equal(
            (HoldReason.Majority, 5, 2),
            (world.Server.Hold.Reason, world.Server.Hold.Missing, world.Server.Hold.Present));
        Assert.Contains(world.Server.Hold.Names, name => name.StartsWith(nodes[2].Name, StringComparison.Ordinal));
        world.Connect(nodes[3]);
        world.Run(30 * Second);
        Assert.Equal(
            (HoldReason.Majority, 4, 3),
            (world.Server.Hold.Reason, world.Server.Hold.Missing, world.Server.Hold.Present));
        Assert.All(nodes, static node => Assert.Empty(node.Removed));
        if (isMute) nodes[2].IsMute = false;
        else world.Connect(nodes[2]);
        world.Run(2 * Second);
        Assert.Equal(HoldReason.None, world.Server.Hold.Reason);
        Assert.DoesNotContain(nodes[2].Agent.Cluster.Self!, nodes[0].Removed);
    }

    [Fact]
    public void ServerThatSeesFewRemovesNobodyUntilItSeesThemAgain()
    {
        var world = new MembershipWorld(1, Settings);
        WorldNode[] nodes = world.Found(5);
        for (int index = 1; index < 5; index++) nodes[index].IsMute = true;
        world.Run(40 * Second);
        Assert.All(nodes, static node => Assert.Empty(node.Removed));
        Assert.Equal(
            (HoldReason.Sight, 4, 1), (world.Server.Hold.Reason, world.Server.Hold.Missing, world.Server.Hold.Present));
        Assert.Equal(HoldReason.Sight, nodes[0].Hold.Reason);
        for (int index = 1; index < 4; index++) nodes[index].IsMute = false;
        world.Run(5 * Second);
        Assert.Equal(HoldReason.None, nodes[0].Hold.Reason);
        Assert.All(nodes, static node => Assert.Empty(node.Removed));
        // The one that stays away gets its time again, and then it goes.
        world.Run(11 * Second);
        Assert.Equal([nodes[4].Name], nodes[0].Removed.Select(static node => node.Name));
    }

    [Fact]
    public void NodesThatFallSilentOneAfterTheOtherAreNotRemovedWithinOneDetectorPeriod()
    {
        var world = new MembershipWorld(1, Settings);
        WorldNode[] nodes = world.Found(3);
        nodes[1].IsMute = true;
        world.Run(9 * Second);
        nodes[2].IsMute = true;
        world.Run(10.9 * Second);
        Assert.Equal([nodes[1].Name], nodes[0].Removed.Select(static node => node.Name));
        Assert.Equal(HoldReason.Sight, world.Server.Hold.Reason);
        world.Run(2 * Second);
        Assert.Equal(HoldReason.None, world.Server.Hold.Reason);
        world.Run(11 * Second);
        Assert.Equal(2, nodes[0].Removed.Count);
    }

    [Fact]
    public void ProcessesThatEndTogetherAreRemovedAsEver()
    {
        var world = new MembershipWorld(1, Settings);
        WorldNode[] nodes = world.Found(5);
        for (int index = 1; index < 5; index++) nodes[index].Crash();
        world.Run(4 * Second);
        Assert.Equal(4, nodes[0].Removed.Count);
        Assert.Equal(HoldReason.None, world.Server.Hold.Reason);
        world.CheckQuiet();
    }

    [Fact]
    public void ServerOnOneMachineRemovesWhoIsSilent()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(5);
        for (int index = 1; index < 5; index++) nodes[index].IsMute = true;
        world.Run(12 * Second);
        Assert.Equal(4, nodes[0].Removed.Count);
    }

    [Fact]
    public void MemberThatIsNotSeenMayBeForgottenOrFollowed()
    {
        var world = new MembershipWorld(1, Settings);
        WorldNode[] nodes = world.Found(5);
        for (int index = 1; index < 5; index++) nodes[index].IsMute = true;
        world.Run(20 * Second);
        WorldNode again = world.Add(nodes[1].Name, incarnation: 2, port: 1001);
        again.Join("g");
        Assert.Equal(1, world.Server.Forget(nodes[2].Name, world.Now));
        world.Run(12 * Second);
        Assert.Equal(HoldReason.None, world.Server.Hold.Reason);
        Assert.Contains("g", again.Groups.Keys);
        Assert.Equal(4, nodes[0].Removed.Count);
    }

    /// <summary>As it was found: a server that saw few of its members went on without the others, and was lost. The
    /// next one removed them, and so more than it kept.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void StepDoesNotComeIntoUseWithoutMostMembers(bool areSeen)
    {
        var world = new MembershipWorld(1, Settings with { InstallTimeout = Second / 2 });
        WorldNode[] nodes = world.Found(5);
        WorldNode[] most = nodes[1..];
        if (areSeen)
        {
            byte[] heartbeat = [(byte)FrameKind.Heartbeat, 0];
            world.OnFrameToNode = (node, frame) => most.Contains(node) ? heartbeat : frame;
        }
        else
        {
            foreach (WorldNode node in most) world.Break(node, isEnded: false);
        }
        WorldNode late = world.Add("late");
        late.Join("g");
        world.Run(5 * Second);
        Assert.NotEmpty(late.Steps);
        Assert.Empty(late.Activated);
        world.ReplaceServer();
        world.OnFrameToNode = null;
        world.ConnectAll();
        world.Run(2 * Second);
        AssertUndisturbed([.. nodes, late]);
        world.CheckQuiet();
    }

    [Fact]
    public void StepComesIntoUseWithoutFew()
    {
        var world = new MembershipWorld(1, Settings with { InstallTimeout = Second / 2, ReconnectGrace = 5 * Second });
        WorldNode[] nodes = world.Found(5);
        foreach (WorldNode node in nodes[3..]) world.Break(node, isEnded: false);
        WorldNode late = world.Add("late");
        late.Join("g");
        world.Run(2 * Second);
        Assert.NotEmpty(late.Activated);
        world.Connect(nodes[3..]);
        world.Run(2 * Second);
        AssertUndisturbed([.. nodes, late]);
        world.CheckQuiet();
    }

    private sealed class Told(List<MembershipHold> told) : IMembershipServerEvents
    {
        public void OnHold(string clusterName, MembershipHold hold, Instant now) => told.Add(hold);
    }
}
