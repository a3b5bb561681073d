using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Wire;
using Xunit;

namespace QuickSilver.Protocol.Tests.Membership;

public sealed class ElectedServerTests
{
    private const uint Terms = ServingLease.TermsOfEach;

    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Fact]
    public void An_elected_server_numbers_in_its_own_terms()
    {
        var world = new MembershipWorld(settings: Elected(10));
        WorldNode[] nodes = world.Found(3);
        Assert.Equal(10UL * Terms, TermOf(nodes[0]));
        world.ReplaceServer(12 * Terms);
        world.Connect(nodes);
        world.Run(5 * Second);
        Assert.All(nodes, static node => Assert.Equal((12UL * Terms) + 1, TermOf(node)));
        Assert.All(nodes, static node => Assert.Equal([true], node.Connections.Where(static up => up)));
    }

    [Fact]
    public void A_node_of_a_later_term_is_not_taken_over()
    {
        var world = new MembershipWorld(settings: Elected(10));
        WorldNode[] nodes = world.Found(3);
        world.ReplaceServer(9 * Terms);
        world.Connect(nodes);
        world.Run(5 * Second);
        Assert.NotEmpty(world.Closed);
        Assert.Equal(0UL, world.Server.Statistics.Steps);
        Assert.All(nodes, static node => Assert.Equal(10UL * Terms, TermOf(node)));
    }

    // A survivor of the server before the lost one reports first: it missed a step of that.
    [Fact]
    public void Survivors_of_the_latest_server_decide_whichever_report_comes_first()
    {
        var world = new MembershipWorld(settings: Elected(10));
        WorldNode[] nodes = world.Found(4);
        world.ReplaceServer(11 * Terms);
        world.Connect(nodes[1..]);
        world.Run(60 * Second);
        Assert.All(nodes[1..], static node => Assert.Equal((11UL * Terms) + 1, TermOf(node)));

        world.ReplaceServer(12 * Terms);
        world.Connect(nodes[..1]);
        world.Run(0.05 * Second);
        world.Connect(nodes[1..]);
        world.Run(60 * Second);
        Assert.All(nodes[1..], static node => Assert.Equal((12UL * Terms) + 2, TermOf(node)));
        Assert.All(nodes[1..], static node => Assert.DoesNotContain(false, node.Connections.Skip(3)));
    }

    /// <summary>An election takes as long as a lease, in which nobody could come back either.</summary>
    [Fact]
    public void A_missing_member_is_waited_for_from_the_loss_of_the_server_on()
    {
        var world = new MembershipWorld(settings: Elected(10) with { FailureTimeout = 10 * Second });
        WorldNode[] nodes = world.Found(4);
        nodes[3].Crash();
        world.ReplaceServer(12 * Terms);
        world.Run(4 * Second);
        world.Connect(nodes[..3]);
        world.Run(5.5 * Second);
        Assert.All(nodes[..3], static node => Assert.Equal(10UL * Terms, TermOf(node)));
        world.Run(Second);
        Assert.All(nodes[..3], static node => Assert.Equal((12UL * Terms) + 1, TermOf(node)));
    }

    /// <summary>However long nobody served: a member that lives comes late, too.</summary>
    [Fact]
    public void A_missing_member_is_waited_for_half_a_period_at_least()
    {
        var world = new MembershipWorld(settings: Elected(10) with { FailureTimeout = 10 * Second });
        WorldNode[] nodes = world.Found(4);
        world.ReplaceServer(12 * Terms);
        world.Run(60 * Second);
        world.Connect(nodes[..3]);
        world.Run(4 * Second);
        world.Connect(nodes[3..]);
        world.Run(5 * Second);
        Assert.All(nodes, static node => Assert.Equal((12UL * Terms) + 1, TermOf(node)));
    }

    private static ulong TermOf(WorldNode node) => node.Agent.Cluster.Installed.Epoch.Term;

    private static MembershipServerSettings Elected(uint term) => new() { FirstTerm = term * Terms, IsElected = true };
}
