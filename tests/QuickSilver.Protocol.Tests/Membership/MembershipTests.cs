using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Membership;

public sealed class MembershipTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Fact]
    public void JoinInstallsActivatesAndSettles()
    {
        var world = new MembershipWorld();
        WorldNode a = world.Add("a");
        WorldNode b = world.Add("b");
        a.Join("g");
        world.Run(Second);
        b.Join("g", "h");
        world.Run(Second);
        world.CheckQuiet();
        Assert.Equal([1UL], a.Settled.Select(step => step.Counter));
        Assert.Equal([2UL], b.Settled.Select(step => step.Counter));
        Assert.Equal(["g"], a.Steps[^1].Changed.Select(group => group.Name));
        Assert.Equal(a.Instance, b.Instance);
        Assert.Equal(2, world.Server.Statistics.Regions);
    }
}
