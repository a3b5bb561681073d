using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Voting;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Membership.Voting;

/// <summary>Processes that vote, at places of their own, and a clock.</summary>
internal sealed class Polls
{
    public static readonly TimeSpan Duration = TimeSpan.FromSeconds(4);

    private readonly Dictionary<NetEndpoint, Voter> _voters = [];

    public Instant Now { get; set; } = new(TimeSpan.TicksPerHour);

    public static VoterInfo Info(ulong id, int seat = 0, int weight = 1) => new(
        id, new NetEndpoint(0x0A000000u + (uint)(seat == 0 ? (int)id : seat), 14999),
        $"n{(seat == 0 ? (int)id : seat)}", weight);

    public static Electorate Of(params VoterInfo[] voters) => new(7, new ElectorateVersion(10, 0), voters, []);

    public Voter Start(VoterInfo self)
    {
        var voter = new Voter("c", self, Now, Probes.None);
        _voters[self.Place] = voter;
        return voter;
    }

    public void End(VoterInfo self) => _voters.Remove(self.Place);

    public static VoteRequest Ask(VoterInfo who, Electorate electorate, long ballot, bool isFounding = false) => new()
    {
        ClusterName = "c",
        Kind = VoteKind.Vote,
        Asker = who,
        Ballot = ballot,
        Term = ballot,
        Duration = Duration,
        Instance = electorate.Instance,
        Electing = electorate.Version,
        Electorate = electorate,
        IsFounding = isFounding,
    };

    public VoteAnswer? Ask(VoterInfo asked, VoteRequest request) =>
        _voters.TryGetValue(asked.Place, out Voter? voter) ? voter.Answer(request, Now) : null;

    public VoteRound Run(
        VoterInfo who, Electorate electorate, long ballot, bool isFounding = false, params ulong[] unreachable)
    {
        var round = new VoteRound(electorate, isFounding);
        VoteRequest request = Ask(who, electorate, ballot, isFounding);
        foreach (VoterInfo voter in round.Voters)
            round.OnAnswer(voter, unreachable.Contains(voter.Id) ? null : Ask(voter, request));
        return round;
    }

    public bool RunAll(ElectedPeer leader, VoterInfo who, int rounds, params ulong[] unreachable)
    {
        bool isWon = true;
        for (int index = 0; index < rounds; index++)
        {
            VoteRound round = leader.Begin(Now);
            VoteRequest request = Ask(who, round.Electorate, leader.Ballot) with { Term = leader.Term };
            foreach (VoterInfo voter in round.Voters)
                round.OnAnswer(voter, unreachable.Contains(voter.Id) ? null : Ask(voter, request));
            leader.End(round, Now);
            isWon = round.IsWon;
        }
        return isWon;
    }
}
