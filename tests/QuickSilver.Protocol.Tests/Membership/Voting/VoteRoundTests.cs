using QuickSilver.Protocol.Membership.Voting;
using Xunit;
using static QuickSilver.Protocol.Tests.Membership.Voting.Polls;

namespace QuickSilver.Protocol.Tests.Membership.Voting;

public sealed class VoteRoundTests
{
    private static readonly VoterInfo A = Info(1);
    private static readonly VoterInfo B = Info(2);
    private static readonly VoterInfo C = Info(3);
    private static readonly VoterInfo D = Info(4);
    private readonly Polls _polls = new();

    [Theory]
    [InlineData(new ulong[] { 1, 2 }, true)]
    [InlineData(new ulong[] { 1, 3 }, true)]
    [InlineData(new ulong[] { 2, 3 }, false)]
    [InlineData(new ulong[] { 2, 3, 4 }, true)]
    [InlineData(new ulong[] { 1 }, false)]
    public void The_first_voter_decides_between_halves(ulong[] granted, bool isMajority) =>
        Assert.Equal(isMajority, Of(A, B, C, D).IsMajority(granted.ToHashSet()));

    [Fact]
    public void Votes_are_weighed()
    {
        Electorate all = Of(B, C, Info(1, weight: 3));
        Assert.True(all.IsMajority(new HashSet<ulong> { 1 }));
        Assert.False(all.IsMajority(new HashSet<ulong> { 2, 3 }));
    }

    [Fact]
    public void A_change_needs_a_majority_of_both()
    {
        Electorate joint = Of(A, B, C).ChangeTo([A, D, Info(5)]);
        Assert.False(joint.IsMajority(new HashSet<ulong> { 1, 4, 5 }));
        Assert.False(joint.IsMajority(new HashSet<ulong> { 1, 2, 3 }));
        Assert.True(joint.IsMajority(new HashSet<ulong> { 1, 2, 4 }));
        Assert.True(joint.Settle().IsMajority(new HashSet<ulong> { 4, 5 }));
    }

    [Fact]
    public void A_round_that_is_lost_says_who_does_not_agree_and_why()
    {
        foreach (VoterInfo one in new[] { A, B }) _polls.Start(one);
        Electorate all = Of(A, B, C);
        _polls.Ask(B, Ask(D, Of(B, D), 5));
        VoteRound round = _polls.Run(A, Of(A, B, C), 10);
        Assert.False(round.IsWon);
        Assert.True(round.IsOver);
        Assert.Equal(
            "1 of 3 voters agree: 'n2' (10.0.0.2:14999) waits for the end of 'n4' (10.0.0.4:14999), "
            + "'n3' (10.0.0.3:14999) does not answer",
            round.Describe());
        Assert.Equal(3, all.Voters.Count);
    }

    [Fact]
    public void Restarted_processes_make_no_majority_of_some_but_all_of_them_do()
    {
        VoterInfo[] again = [Info(12, seat: 2), Info(13, seat: 3)];
        foreach (VoterInfo one in again) _polls.Start(one);
        _polls.Start(A);
        _polls.Now += Duration;
        Electorate all = Of(A, B, C);
        VoteRound some = _polls.Run(A, all, 10, unreachable: 3);
        Assert.False(some.IsWon);
        Assert.Contains("all are needed since some of them were restarted", some.Describe(), StringComparison.Ordinal);
        VoteRound round = _polls.Run(A, all, 10);
        Assert.True(round.IsWon);
        Assert.Equal([2ul, 3ul], round.Replaced);
    }

    [Fact]
    public void Another_node_at_the_place_of_a_voter_votes_for_nobody()
    {
        _polls.Start(A);
        _polls.Start(Info(12, seat: 2) with { Name = "other" });
        VoteRound round = _polls.Run(A, Of(A, B, C), 10);
        Assert.False(round.IsWon);
        Assert.Empty(round.Replaced);
    }
}
