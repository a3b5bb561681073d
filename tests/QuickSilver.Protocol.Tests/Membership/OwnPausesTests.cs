using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Probing;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>The server's process stands still: no time-out of a node, or of a step, counts that time.</summary>
public sealed class OwnPausesTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    /// <summary>The step was made just before the pause, so its members have had no time to install it.</summary>
    [Fact]
    public void AStepIsNotActivatedForAPauseOfTheServer()
    {
        var marks = new Dictionary<string, ulong>();
        var world = new MembershipWorld(1, new MembershipServerSettings { Probes = new Probes(marks) })
        {
            MaxDelay = Second / 10,
        };
        WorldNode[] nodes = world.Found(4);
        world.Run(5 * Second);
        marks.Clear();
        ulong steps = world.Server.Statistics.Steps;
        nodes[0].Join("more");
        while (world.Server.Statistics.Steps == steps) world.Run(Second / 1000);
        world.Freeze(5 * Second);
        world.Run(5 * Second);
        Assert.DoesNotContain("a step is activated without some that have not installed it", marks.Keys);
        Assert.Contains("a server that stood still leaves its pause out of all judgements", marks.Keys);
        Assert.Contains("more", nodes[0].Groups.Keys);
        world.CheckQuiet();
    }

    /// <summary>A pause counts by its length, so the dead go though pauses come again and again.</summary>
    [Fact]
    public void ADeadNodeIsRemovedThoughTheServerPausesAgainAndAgain()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(3);
        nodes[2].IsMute = true;
        for (int pause = 0; pause < 14; pause++)
        {
            world.Freeze(Second);
            world.Run(Second);
        }
        Assert.Equal(MembershipRefusal.Removed, nodes[2].Expelled);
        Assert.All(nodes[..2], node => Assert.True(node.IsLive));
    }

    /// <summary>What came in a pause may take as long as the pause to be read, and the word of a node that has returned
    /// comes last.</summary>
    [Theory]
    [InlineData(6.5, false)]
    [InlineData(8.5, true)]
    public void ANodeThatReturnsAfterAPauseHasTheTimeInWhichItsWordIsRead(double seconds, bool isRemoved)
    {
        var world = new MembershipWorld(
            1, new MembershipServerSettings { ReconnectGrace = 2 * Second, FailureTimeout = 20 * Second });
        WorldNode[] nodes = world.Found(3);
        world.Freeze(5 * Second);
        world.Run(Second / 100);
        world.Break(nodes[2], isEnded: false);
        world.Run(seconds * Second);
        Assert.Equal(isRemoved ? 1UL : 0, world.Server.Statistics.Removed);
    }

    /// <summary>Heartbeats that came in a pause were written before the frames that the server has sent since, and
    /// cannot confirm them.</summary>
    [Theory]
    [InlineData(12, false)]
    [InlineData(25, true)]
    public void HeartbeatsThatCameInAPauseNeedNotConfirmWhatWasSentAfterIt(int seconds, bool isRemoved)
    {
        var world = new MembershipWorld(
            1, new MembershipServerSettings { FailureTimeout = 10 * Second });
        WorldNode[] nodes = world.Found(3);
        world.Freeze(15 * Second);
        world.OnFrameToNode = (node, frame) => node == nodes[2] ? [2, 0] : frame;
        nodes[0].Join("more");
        world.Run(seconds * Second);
        Assert.Equal(isRemoved ? 1UL : 0, world.Server.CountOf(MembershipRefusal.Unconfirmed));
        Assert.Equal(isRemoved ? 1UL : 0, world.Server.Statistics.Removed);
    }
}
