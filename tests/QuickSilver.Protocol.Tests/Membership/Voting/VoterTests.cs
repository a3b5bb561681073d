using QuickSilver.Protocol.Membership.Voting;
using Xunit;
using static QuickSilver.Protocol.Tests.Membership.Voting.Polls;

namespace QuickSilver.Protocol.Tests.Membership.Voting;

public sealed class VoterTests
{
    private static readonly VoterInfo A = Info(1);
    private static readonly VoterInfo B = Info(2);
    private static readonly VoterInfo C = Info(3);
    private readonly Polls _polls = new();

    [Fact]
    public void One_vote_is_given_to_one_process_until_its_time_is_over()
    {
        Voter voter = _polls.Start(A);
        Electorate all = Of(A, B, C);
        Assert.Equal(VoteVerdict.Granted, Verdict(Ask(B, all, 10)));
        Assert.Equal(VoteVerdict.Held, Verdict(Ask(C, all, 11)));
        _polls.Now += Duration - TimeSpan.FromTicks(1);
        Assert.Equal(VoteVerdict.Held, Verdict(Ask(C, all, 12)));
        Assert.Equal(B, voter.LeaderAt(_polls.Now)!.Value.Leader);
        _polls.Now += TimeSpan.FromTicks(1);
        Assert.Null(voter.LeaderAt(_polls.Now));
        Assert.Equal(VoteVerdict.Granted, Verdict(Ask(C, all, 12)));
    }

    [Fact]
    public void A_ballot_that_was_voted_in_is_its_candidates_alone()
    {
        _polls.Start(A);
        Electorate all = Of(A, B, C);
        Verdict(Ask(B, all, 10));
        _polls.Now += Duration;
        Assert.Equal(VoteVerdict.Outvoted, Verdict(Ask(C, all, 10)));
        Assert.Equal(VoteVerdict.Outvoted, Verdict(Ask(B, all, 9)));
        Assert.Equal(VoteVerdict.Granted, Verdict(Ask(B, all, 10)));
    }

    [Fact]
    public void An_older_electorate_gets_no_vote_and_learns_the_later_one()
    {
        _polls.Start(A);
        Electorate first = Of(A, B, C);
        Electorate later = first.ChangeTo([A, B]);
        Verdict(Ask(B, later, 10));
        _polls.Now += Duration;
        VoteAnswer answer = _polls.Ask(A, Ask(C, first, 11))!;
        Assert.Equal(VoteVerdict.OlderElectorate, answer.Verdict);
        Assert.Same(later, answer.Electorate);
    }

    [Fact]
    public void An_electorate_that_is_not_known_is_asked_for()
    {
        _polls.Start(A);
        Electorate all = Of(A, B, C);
        Assert.Equal(VoteVerdict.UnknownElectorate, Verdict(Ask(B, all, 10) with { Electorate = null }));
        Assert.Equal(VoteVerdict.Granted, Verdict(Ask(B, all, 10)));
        Assert.Equal(VoteVerdict.Granted, Verdict(Ask(B, all, 10) with { Electorate = null }));
    }

    [Fact]
    public void A_member_of_a_cluster_founds_no_other()
    {
        _polls.Start(A);
        Verdict(Ask(B, Of(A, B), 10));
        _polls.Now += Duration * 2;
        Electorate other = Of(A, C) with { Instance = 8 };
        Assert.Equal(VoteVerdict.OtherInstance, Verdict(Ask(C, other, 99, isFounding: true)));
        Assert.Equal(VoteVerdict.OtherInstance, Verdict(Ask(C, other, 99)));
        Assert.Equal(VoteVerdict.OtherInstance, Verdict(Ask(C, Of(A, B), 99, isFounding: true)));
    }

    [Fact]
    public void A_founding_that_failed_leaves_nothing_behind()
    {
        Voter voter = _polls.Start(A);
        Assert.Equal(VoteVerdict.Granted, Verdict(Ask(B, Of(A, B), 10, isFounding: true)));
        Assert.Null(voter.Known);
        _polls.Now += Duration;
        Electorate other = Of(A, C) with { Instance = 8 };
        Assert.Equal(VoteVerdict.Granted, Verdict(Ask(C, other, 11, isFounding: true)));
        Assert.Equal(VoteVerdict.Granted, Verdict(Ask(C, other, 11)));
        Assert.Same(other, voter.Known);
    }

    [Fact]
    public void A_restarted_process_votes_in_its_seat_once_the_vote_of_its_life_before_is_over()
    {
        VoterInfo again = Info(11, seat: 1);
        Voter voter = _polls.Start(again);
        Electorate all = Of(A, B, C);
        Assert.Equal(VoteVerdict.TooYoung, Verdict(Ask(B, all, 10)));
        _polls.Now += Duration;
        Assert.Equal(VoteVerdict.Granted, Verdict(Ask(B, all, 10)));
        Assert.Equal(VoteVerdict.Held, Verdict(Ask(C, all, 11)));
        Assert.Null(voter.Known);
    }

    [Fact]
    public void A_process_that_the_electorate_does_not_know_does_not_vote()
    {
        _polls.Start(A);
        Assert.Equal(VoteVerdict.NotHere, Verdict(Ask(B, Of(B, C), 10)));
        Assert.Null(_polls.Ask(A, Ask(B, Of(A, B), 10) with { ClusterName = "other" }));
    }

    [Fact]
    public void A_vote_that_is_given_back_is_free_at_once()
    {
        _polls.Start(A);
        Electorate all = Of(A, B, C);
        VoteRequest request = Ask(B, all, 10);
        Verdict(request);
        Assert.Equal(VoteVerdict.NotHere, Verdict(Ask(C, all, 10) with { Kind = VoteKind.Release }));
        Assert.Equal(VoteVerdict.Held, Verdict(Ask(C, all, 11)));
        Assert.Equal(VoteVerdict.Granted, Verdict(request with { Kind = VoteKind.Release }));
        Assert.Equal(VoteVerdict.Granted, Verdict(Ask(C, all, 11)));
    }

    private VoteVerdict Verdict(VoteRequest request) => _polls.Ask(A, request)!.Verdict;
}
