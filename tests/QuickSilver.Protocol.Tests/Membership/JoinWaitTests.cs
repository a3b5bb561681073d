using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Server;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>Joins that take long say which nodes they wait for.</summary>
public sealed class JoinWaitTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Fact]
    public void JoinIsToldWhomItWaitsFor()
    {
        var world = new MembershipWorld(
            settings: new MembershipServerSettings { FailureTimeout = Timeout.InfiniteTimeSpan });
        WorldNode[] nodes = world.Found(3);
        nodes[1].HoldsSwitch = true;
        WorldNode late = world.Add("late");
        late.Join("g");
        world.Run(Second / 2);
        Assert.Null(late.Agent.JoinsWaitFor);
        world.Run(2 * Second);
        AssertWaits(late, JoinStage.Switch, "n1");
        nodes[1].SendHeldReports();
        world.Run(2 * Second);
        Assert.Null(late.Agent.JoinsWaitFor);
        world.CheckQuiet();
    }

    // A step that was activated without a node went on naming it when it had been removed.
    [Fact]
    public void JoinThatWaitsForOneThatHasNotInstalledIsToldSoUntilThatIsRemoved()
    {
        var world = new MembershipWorld(settings: new MembershipServerSettings { ReconnectGrace = 10 * Second });
        WorldNode[] nodes = world.Found(3);
        nodes[1].HoldsSwitch = true;
        world.Break(nodes[2]);
        WorldNode late = world.Add("late");
        late.Join("g");
        world.Run(6 * Second);
        AssertWaits(late, JoinStage.Install, "n2");
        world.Run(6 * Second);
        AssertWaits(late, JoinStage.Switch, "n1");
    }

    [Fact]
    public void JoinThatTooManyOldViewsHoldBackIsToldWhoIsNotDone()
    {
        var world = new MembershipWorld(
            settings: new MembershipServerSettings { FailureTimeout = Timeout.InfiniteTimeSpan });
        WorldNode[] nodes = world.Found(2);
        nodes[1].HoldsDone = true;
        var late = new List<WorldNode>();
        for (int index = 0; index < 6; index++)
        {
            late.Add(world.Add($"late{index}"));
            late[^1].Join("g");
            world.Run(2 * Second);
        }
        AssertWaits(late[^1], JoinStage.Drain, "n1");
        Assert.Null(late[0].Agent.JoinsWaitFor);
    }

    [Fact]
    public void JoinThatStreamsOfARemovedNodeHoldBackIsToldWhoHasNotClosedThem()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(3);
        nodes[1].HoldsClosed = true;
        var late = new List<WorldNode>();
        for (int index = 0; index < 6; index++)
        {
            // Each dies in a view of its own, which nodes[1] does not let retire.
            late.Add(world.Add($"late{index}"));
            late[^1].Join("g");
            world.Run(2 * Second);
            if (index < 4) late[^1].Crash();
            world.Run(3 * Second);
        }
        AssertWaits(late[^1], JoinStage.Drain, "n1");
    }

    private static void AssertWaits(WorldNode joining, JoinStage stage, string forNode)
    {
        JoinWait wait = Assert.IsType<JoinWait>(joining.Agent.JoinsWaitFor);
        Assert.Equal(stage, wait.Stage);
        Assert.StartsWith($"{forNode} (", Assert.Single(wait.Names), StringComparison.Ordinal);
    }
}
