using QuickSilver.Protocol.Membership.Voting;
using Xunit;
using static QuickSilver.Protocol.Tests.Membership.Voting.Polls;

namespace QuickSilver.Protocol.Tests.Membership.Voting;

public sealed class ElectedPeerTests
{
    private static readonly TimeSpan Silence = TimeSpan.FromSeconds(10);
    private static readonly VoterInfo A = Info(1);
    private static readonly VoterInfo B = Info(2);
    private static readonly VoterInfo C = Info(3);
    private static readonly VoterInfo D = Info(4);
    private readonly Polls _polls = new();

    [Fact]
    public void A_newcomer_votes_after_two_steps()
    {
        ElectedPeer leader = Lead([A, B, C]);
        _polls.Start(D);
        Assert.True(leader.Enrol(D));
        Assert.True(leader.IsChanging(_polls.Now));
        _polls.RunAll(leader, A, 2);
        Assert.True(leader.Current.IsJoint);
        _polls.RunAll(leader, A, 1);
        Assert.Equal([A, B, C, D], leader.Current.Voters);
        Assert.False(leader.Current.IsJoint);
        Assert.False(leader.IsChanging(_polls.Now));
    }

    [Fact]
    public void A_change_that_finds_no_majority_is_given_up_and_begins_again()
    {
        ElectedPeer leader = Lead([A]);
        foreach (VoterInfo one in new[] { B, C, D }) leader.Enrol(one);
        Assert.True(_polls.RunAll(leader, A, 1));
        Assert.False(_polls.RunAll(leader, A, 1, unreachable: [2, 3]));
        Assert.True(leader.Current.IsJoint);
        Assert.True(_polls.RunAll(leader, A, 1, unreachable: [2, 3]));
        Assert.Equal([A], leader.Current.Voters);
        foreach (VoterInfo one in new[] { B, C, D })
        {
            _polls.Start(one);
            leader.Enrol(one);
        }
        Assert.True(_polls.RunAll(leader, A, 2, unreachable: [2]));
        Assert.False(leader.Current.IsJoint);
        Assert.Equal(4, leader.Current.Voters.Count);
    }

    [Fact]
    public void A_change_that_another_began_is_not_given_up()
    {
        foreach (VoterInfo one in new[] { A, B, C, D }) _polls.Start(one);
        VoteRound round = _polls.Run(A, Of(A, B).ChangeTo([A, B, C, D]), 20);
        var leader = new ElectedPeer(A, round, 20, Silence, "", _polls.Now);
        Assert.False(_polls.RunAll(leader, A, 3, unreachable: [3, 4, 2]));
        Assert.True(leader.Current.IsJoint);
        Assert.True(_polls.RunAll(leader, A, 2));
        Assert.Equal([A, B, C, D], leader.Current.Voters);
        Assert.False(leader.Current.IsJoint);
    }

    [Fact]
    public void A_voter_that_is_silent_for_long_goes_out()
    {
        ElectedPeer leader = Lead([A, B, C]);
        for (int second = 0; second < 11; second++)
        {
            _polls.Now += TimeSpan.FromSeconds(1);
            Assert.True(_polls.RunAll(leader, A, 1, unreachable: 3));
        }
        _polls.RunAll(leader, A, 2, unreachable: 3);
        Assert.Equal([A, B], leader.Current.Voters);
    }

    [Fact]
    public void A_minority_throws_nobody_out()
    {
        ElectedPeer leader = Lead([A, B, C]);
        for (int second = 0; second < 30; second++)
        {
            _polls.Now += TimeSpan.FromSeconds(1);
            Assert.False(_polls.RunAll(leader, A, 1, unreachable: [2, 3]));
        }
        Assert.Contains(B, leader.Current.All);
        Assert.Contains(C, leader.Current.All);
    }

    [Fact]
    public void The_one_that_serves_leaves_the_others_a_majority_of_their_own()
    {
        ElectedPeer leader = Lead([A, B]);
        leader.Retire();
        _polls.RunAll(leader, A, 3);
        Assert.Equal([B], leader.Current.Voters);
        Assert.False(leader.IsChanging(_polls.Now));
        _polls.Now += Duration;
        Assert.True(_polls.Run(B, leader.Current, 20, unreachable: 1).IsWon);
    }

    [Fact]
    public void A_higher_ballot_of_one_that_failed_does_not_end_a_term()
    {
        ElectedPeer leader = Lead([A, B, C]);
        _polls.RunAll(leader, A, 1, unreachable: 3);
        _polls.Now += Duration;
        Assert.False(_polls.Run(C, leader.Current, 30, unreachable: [1, 2]).IsWon);
        Assert.True(_polls.RunAll(leader, A, 1));
        Assert.Equal(31, leader.Ballot);
        Assert.Equal(10, leader.Term);
        Assert.True(_polls.RunAll(leader, A, 1));
    }

    [Fact]
    public void A_restarted_process_takes_the_place_of_its_life_before()
    {
        ElectedPeer leader = Lead([A, B, C]);
        VoterInfo again = Info(13, seat: 3);
        _polls.Start(again);
        leader.Enrol(again);
        _polls.RunAll(leader, A, 4);
        Assert.Equal([A, B, again], leader.Current.Voters);
    }

    [Fact]
    public void The_node_that_is_named_decides_between_halves_where_it_votes()
    {
        ElectedPeer leader = Lead([A, B, C], tieBreak: "n3");
        _polls.RunAll(leader, A, 3);
        Assert.Equal([C, A, B], leader.Current.Voters);
    }

    private ElectedPeer Lead(VoterInfo[] voters, string tieBreak = "")
    {
        foreach (VoterInfo one in voters) _polls.Start(one);
        VoteRound round = _polls.Run(voters[0], Of(voters), 10, isFounding: true);
        Assert.True(round.IsWon);
        return new ElectedPeer(voters[0], round, 10, Silence, tieBreak, _polls.Now);
    }
}
