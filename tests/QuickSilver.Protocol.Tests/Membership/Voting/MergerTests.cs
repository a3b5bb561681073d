using QuickSilver.Protocol.Membership.Voting;
using Xunit;
using static QuickSilver.Protocol.Tests.Membership.Voting.Polls;

namespace QuickSilver.Protocol.Tests.Membership.Voting;

public sealed class MergerTests
{
    private static readonly VoterInfo Other = Info(2);
    private readonly Polls _polls = new();
    private readonly Merger _merger = new();

    [Theory]
    [InlineData(2, 7, 3, 8, true)]
    [InlineData(3, 7, 2, 8, false)]
    [InlineData(3, 8, 3, 7, true)]
    [InlineData(3, 7, 3, 8, false)]
    public void The_smaller_cluster_goes_and_of_two_alike_that_of_the_higher_instance(
        int members, ulong instance, int otherMembers, ulong otherInstance, bool goes)
    {
        Assert.Equal(goes, _merger.IsToGo(members, instance, Rival(otherMembers, otherInstance), _polls.Now));
        Assert.Equal(!goes, _merger.TryTake(members, instance, Request(otherMembers, otherInstance), _polls.Now));
    }

    [Fact]
    public void A_server_that_lets_another_cluster_in_stays_for_a_while()
    {
        Assert.True(_merger.MayGo(_polls.Now));
        Assert.True(_merger.TryTake(3, 7, Request(2, 8), _polls.Now));
        Assert.False(_merger.MayGo(_polls.Now));
        Assert.False(_merger.IsToGo(3, 7, Rival(9, 9), _polls.Now));
        _polls.Now += TimeSpan.FromSeconds(10);
        Assert.True(_merger.IsToGo(3, 7, Rival(9, 9), _polls.Now));
    }

    [Fact]
    public void Only_a_server_of_another_cluster_is_a_rival()
    {
        VoteAnswer rival = Rival(3, 8);
        Assert.Same(rival, Merger.FindRival(7, [rival with { Leader = Info(3) }, rival with { Leader = null }, rival]));
        Assert.Null(Merger.FindRival(8, [rival]));
        Assert.False(_merger.TryTake(3, 7, Request(2, 7), _polls.Now));
    }

    private static VoteAnswer Rival(int members, ulong instance) => new()
    {
        Verdict = VoteVerdict.Granted,
        Voter = Other,
        Instance = instance,
        Members = members,
        Leader = Other,
    };

    private static VoteRequest Request(int members, ulong instance) => new()
    {
        ClusterName = "c",
        Kind = VoteKind.Merge,
        Asker = Other,
        Instance = instance,
        Members = members,
    };
}
