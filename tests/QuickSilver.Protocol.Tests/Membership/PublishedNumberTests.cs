using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>The number of a group's view, as a publisher has it.</summary>
public sealed class PublishedNumberTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    private readonly MembershipWorld _world = new();

    /// <summary>Seed 9981070: the region was new to the publisher, so the member seemed to have come with the
    /// step.</summary>
    [Fact]
    public void APublisherThatBeginsAsAMemberMovesHasTheMembersNumber()
    {
        WorldNode member = _world.Add("member");
        WorldNode publisher = _world.Add("publisher");
        WorldNode busy = _world.Add("busy");
        member.Join("g");
        _world.Run(Second);
        GroupId g = member.Groups["g"].Id;
        StepNumber number = member.Agent.Cluster.GroupViewOf(g);

        // What comes while a step is under way is in the next one together.
        busy.Join("other");
        _world.Run(TimeSpan.FromMilliseconds(1));
        member.Join("h");
        publisher.Agent.RequestPublish(["g"], static _ => GroupModes.Reliable, _world.Now);
        _world.Run(Second);

        Assert.Equal(number, member.Agent.Cluster.GroupViewOf(g));
        Assert.Equal(number, publisher.Agent.Cluster.GroupViewOf(g));
        Assert.True(publisher.Agent.Cluster.Installed > number);
    }

    [Fact]
    public void APublisherThatBeginsAsAMemberComesHasTheNumberOfTheStep()
    {
        WorldNode member = _world.Add("member");
        WorldNode other = _world.Add("other");
        WorldNode publisher = _world.Add("publisher");
        WorldNode busy = _world.Add("busy");
        member.Join("g");
        _world.Run(Second);
        GroupId g = member.Groups["g"].Id;
        StepNumber before = member.Agent.Cluster.GroupViewOf(g);

        busy.Join("other");
        _world.Run(TimeSpan.FromMilliseconds(1));
        other.Join("g", "h");
        publisher.Agent.RequestPublish(["g"], static _ => GroupModes.Reliable, _world.Now);
        _world.Run(Second);

        StepNumber number = member.Agent.Cluster.GroupViewOf(g);
        Assert.True(number > before);
        Assert.Equal(number, other.Agent.Cluster.GroupViewOf(g));
        Assert.Equal(number, publisher.Agent.Cluster.GroupViewOf(g));
    }
}
