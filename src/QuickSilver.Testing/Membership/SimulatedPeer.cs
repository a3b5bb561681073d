using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Membership.Voting;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Testing.Membership;

/// <summary>A host that votes and may serve: its server, its vote, and what it knows of the others.</summary>
/// <param name="index">Its index.</param>
/// <param name="model">How the hosts elect.</param>
/// <param name="probes">Counts what is reached.</param>
internal sealed class SimulatedPeer(int index, ElectionModel model, Probes probes)
{
    private const string Cluster = "elected";
    private const uint FirstAddress = 0x0A63_0001;

    public int Index { get; } = index;

    public SimulatedMembership Server { get; set; } = null!;

    public Voter Voter { get; private set; } = null!;

    public Canvass Canvass { get; private set; } = null!;

    /// <summary>The electorate, while this host serves or is about to.</summary>
    public ElectedPeer? Leader { get; set; }

    /// <summary>True from the votes until the voters know the electorate.</summary>
    public bool IsCampaigning { get; set; }

    /// <summary>When it asked for the votes.</summary>
    public Instant CampaignAsked { get; private set; }

    /// <summary>The term of its present or last server.</summary>
    public long Term { get; private set; }

    /// <summary>The cluster of that server.</summary>
    public ulong Instance { get; private set; }

    /// <summary>The server that it has found.</summary>
    public VoterInfo? Found { get; set; }

    /// <summary>The questions that are not answered yet.</summary>
    public Poll? Poll { get; set; }

    /// <summary>Rises with each death.</summary>
    public int Life { get; private set; }

    public bool IsDown { get; private set; } = true;

    /// <summary>True while it ends in good order.</summary>
    public bool IsRetiring { get; set; }

    /// <summary>True when the cluster of its server is to go into another.</summary>
    public bool IsDissolved { get; set; }

    /// <summary>When its present server let another cluster come; zero for never.</summary>
    public Instant TookAt { get; private set; }

    /// <summary>Turns since it began to serve.</summary>
    public int Watches { get; set; }

    public Instant FrozenUntil { get; set; }

    public VoterInfo Info => Voter.Self;

    public Instant Now => Server.Clock.Now;

    /// <summary>True while a server lets it vote.</summary>
    public bool IsAsked => Voter.LeaderAt(Now) is not null && Voter.Known is { } known && known.Has(Info.Id);

    /// <summary>A new life begins.</summary>
    public void Begin(ulong id)
    {
        IsDown = IsRetiring = false;
        Canvass = new Canvass(model.Founders);
        BeBorn(id);
    }

    /// <summary>The process dies.</summary>
    public void Die()
    {
        Server.Die();
        IsDown = true;
        IsRetiring = IsCampaigning = IsDissolved = false;
        Leader = null;
        Poll = null;
        Life++;
    }

    /// <summary>The other host that has its vote.</summary>
    public VoterInfo? OtherLeader() =>
        Voter.LeaderAt(Now) is { } held && held.Leader.Id != Info.Id ? held.Leader : null;

    /// <summary>It has won, and serves once its voters know the electorate.</summary>
    public void Lead(VoteRound round, Poll poll)
    {
        Term = poll.Ballot;
        IsDissolved = false;
        TookAt = Instant.Zero;
        Instance = round.Electorate.Instance;
        Leader = new ElectedPeer(Info, round, poll.Ballot, model.Silence, "", Now);
        IsCampaigning = true;
        CampaignAsked = poll.Asked;
    }

    /// <summary>Its server begins.</summary>
    public void Grant(TimeSpan duration) =>
        Server.Grant(new ServingLease(Term, duration, CampaignAsked) { Electorate = Instance });

    /// <summary>Answers a question.</summary>
    public VoteAnswer? Answer(VoteRequest request, Func<ulong> draw)
    {
        if (Leader is { } leader)
        {
            leader.MayTake = !IsDissolved && Server.IsServing;
            if (leader.Answer(request, Server.Nodes, Now) is { } verdict)
            {
                if (request.Kind == VoteKind.Merge && verdict == VoteVerdict.Granted) TookAt = Now;
                return Voter.With(verdict, request, Now);
            }
        }
        VoteAnswer? answer = Voter.Answer(request, Now);
        if (request.Kind == VoteKind.Dissolve && answer is { Verdict: VoteVerdict.Granted }) BeBorn(draw());
        return Leader is null ? answer : answer! with { Members = Server.Nodes };
    }

    /// <summary>A server has answered that it lets this host vote.</summary>
    /// <returns>True when the host belonged to another cluster.</returns>
    public bool OnEnrolled(VoteAnswer answer, Func<ulong> draw)
    {
        if (!Voter.IsOver(answer, Now)) return false;
        BeBorn(draw());
        return true;
    }

    /// <summary>Lets those vote that want to.</summary>
    public void EnrolAsking()
    {
        foreach (VoterInfo voter in Leader!.TakeAsking()) Leader.Enrol(voter);
    }

    public VoteRequest RequestOf(Electorate electorate, long ballot, long term) =>
        VoteRequest.ForVotes(Cluster, Info, electorate, ballot, term, model.Duration);

    /// <summary>Its cluster has gone into another: it is another voter there.</summary>
    public void Dissolve(ulong id)
    {
        IsDissolved = false;
        Leader = null;
        BeBorn(id);
    }

    private void BeBorn(ulong id)
    {
        Found = null;
        var place = new NetEndpoint(FirstAddress + (uint)Index, 14999);
        Voter = new Voter(Cluster, new VoterInfo(id | 1, place, $"host{Index}", 1), Now, probes);
    }
}
