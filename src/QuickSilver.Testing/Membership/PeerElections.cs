using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Membership.Voting;
using QuickSilver.Testing.Invariants;

namespace QuickSilver.Testing.Membership;

/// <summary>
/// How the hosts of a simulation elect one of them: what they ask each other, and what follows from the answers. Checks
/// V6: a server says nothing once another has won a later term of its cluster, and no term is won twice.
/// </summary>
/// <param name="model">How they elect.</param>
/// <param name="run">Where violations are noted.</param>
/// <param name="hosts">The hosts.</param>
/// <param name="send">Sends a question or an answer.</param>
/// <param name="limit">Ends a poll in time (<see cref="End"/>).</param>
/// <param name="draw">The next random number.</param>
internal sealed class PeerElections(
    ElectionModel model, RunContext run, IReadOnlyList<SimulatedPeer> hosts, Action<PeerLetter> send,
    Action<Poll> limit, Func<ulong> draw)
{
    private const int MostRounds = 6;
    private const int WatchEvery = 4;
    private static readonly TimeSpan Stay = TimeSpan.FromSeconds(9);

    private readonly SortedDictionary<ulong, long> _terms = [];
    private readonly FrameBuilder _frame = new();

    /// <summary>The host that has won last.</summary>
    public SimulatedPeer? Last { get; private set; }

    /// <summary>It is time for a host to look at what is to be done.</summary>
    public void Turn(SimulatedPeer host)
    {
        if (host.IsDown || host.Poll is not null || host.IsRetiring) return;
        if (host.Leader is not null && !host.IsCampaigning && !host.Server.IsServing) host.Leader = null;
        if (host.Leader is not null && host.IsDissolved) Dissolve(host);
        else if (host.Leader is not null && ++host.Watches % WatchEvery == 0) Look(host);
        else if (host.Leader is not null) Renew(host);
        else if (host.OtherLeader() is { } leader) Enrol(host, leader);
        else Look(host);
    }

    /// <summary>A host ends in good order: it leaves the others a majority of their own.</summary>
    public void Retire(SimulatedPeer host)
    {
        if (host.Leader is not null)
        {
            host.Leader.Retire();
            if (host.Poll is null) Renew(host);
        }
        else if (host.OtherLeader() is { } leader)
        {
            send(new PeerLetter(host, host.Life, Find(leader), host.Voter.Ask(VoteKind.Resign), null, leader));
        }
    }

    private void Look(SimulatedPeer host)
    {
        var poll = new Poll(host, null, host.Now);
        Begin(
            poll, host.Voter.Ask(VoteKind.Look),
            [.. hosts.Where(other => other != host).Select(static other => other.Info)]);
    }

    private void Enrol(SimulatedPeer host, VoterInfo leader)
    {
        if (!host.IsAsked)
            send(new PeerLetter(host, host.Life, Find(leader), host.Voter.Ask(VoteKind.Enrol), null, leader));
    }

    private void Campaign(SimulatedPeer host, Candidacy candidacy)
    {
        var poll = new Poll(host, candidacy.Round, host.Now)
        {
            Ballot = candidacy.Ballot,
        };
        VoteRequest request = host.RequestOf(candidacy.Round.Electorate, candidacy.Ballot, candidacy.Ballot);
        Begin(poll, request with { IsFounding = candidacy.IsFounding }, candidacy.Round.Voters);
    }

    private void Renew(SimulatedPeer host, int rounds = 0)
    {
        host.EnrolAsking();
        VoteRound round = host.Leader!.Begin(host.Now);
        if (round.Electorate.IsJoint) run.Mark("an electorate changes");
        var poll = new Poll(host, round, host.Now) { IsRenewal = true, Rounds = rounds + 1 };
        Begin(poll, host.RequestOf(round.Electorate, host.Leader.Ballot, host.Leader.Term), round.Voters);
    }

    private void Begin(Poll poll, VoteRequest request, IReadOnlyList<VoterInfo> asked)
    {
        SimulatedPeer host = poll.Host;
        host.Poll = poll;
        poll.Left = asked.Count;
        limit(poll);
        foreach (VoterInfo one in asked)
        {
            if (host.Poll != poll) return;
            if (one.Id != host.Info.Id) send(new PeerLetter(host, host.Life, Find(one), request, poll, one));
            else Take(poll, one, host.Answer(request with { Electorate = poll.Round?.Electorate }, draw));
        }
        if (asked.Count == 0) End(poll);
    }

    /// <summary>A question has come.</summary>
    public void OnQuestion(PeerLetter letter)
    {
        SimulatedPeer host = letter.To!;
        if (host.IsDown) return;
        var request = VoteRequest.TryRead(Written(letter.Request.WriteTo))!;
        if (host.Answer(request, draw) is not { } answer) return;
        if (request.Kind == VoteKind.Enrol && host.Leader is not null && host.Poll is null) Renew(host);
        send(letter with { To = letter.From, Answer = answer, Responder = host });
    }

    /// <summary>An answer has come.</summary>
    public void OnAnswer(PeerLetter letter)
    {
        SimulatedPeer host = letter.From;
        if (host.IsDown || host.Life != letter.Life) return;
        var answer = VoteAnswer.TryRead(Written(letter.Answer!.WriteTo))!;
        if (letter.Poll is not { } poll)
        {
            if (letter.Request.Kind == VoteKind.Enrol && host.OnEnrolled(answer, draw))
                run.Mark("a process joins another cluster of its name");
            host.IsDissolved |= letter.Request.Kind == VoteKind.Merge && answer.Verdict == VoteVerdict.Granted
                && host.Leader?.Merger.MayGo(host.Now) == true;
            return;
        }
        if (host.Poll != poll) return;
        if (answer.Verdict == VoteVerdict.UnknownElectorate && letter.Request.Electorate is null)
        {
            VoteRequest again = letter.Request with { Electorate = poll.Round!.Electorate };
            send(letter with { To = letter.Responder, Request = again, Answer = null });
            return;
        }
        Take(poll, letter.Asked, answer);
    }

    private void Take(Poll poll, VoterInfo asked, VoteAnswer? answer)
    {
        poll.Left--;
        if (poll.Round is null)
        {
            if (answer is not null) poll.Looks.Add(answer);
        }
        else
        {
            poll.Round.OnAnswer(asked, answer);
        }
        bool isEnough = poll.Round is { IsWon: true } && !poll.IsRenewal;
        if (poll.Left == 0 || isEnough) End(poll);
    }

    /// <summary>No more answers are waited for.</summary>
    public void End(Poll poll)
    {
        SimulatedPeer host = poll.Host;
        host.Poll = null;
        if (poll.Round is null) OnSeen(host, poll);
        else if (poll.IsRenewal) OnRenewed(host, poll);
        else OnCounted(host, poll);
    }

    private void OnSeen(SimulatedPeer host, Poll poll)
    {
        if (host.Leader is { } leading)
        {
            Watch(host, leading, poll.Looks);
            return;
        }
        if (Canvass.FindLeader(host.Voter, poll.Looks) is { Leader: { } leader })
        {
            host.Found = leader;
            Enrol(host, leader);
            return;
        }
        host.Found = null;
        if (host.Canvass.Stand(host.Voter, poll.Looks, LowestBallot, draw() | 1, out _) is { } candidacy)
        {
            if (candidacy.IsFounding && poll.Looks.Exists(static look => look.Instance != 0))
                throw run.Violation("V6", $"host {host.Index} founds a cluster beside one that lives");
            Campaign(host, candidacy);
        }
    }

    private void Watch(SimulatedPeer host, ElectedPeer leading, List<VoteAnswer> looks)
    {
        ulong instance = leading.Current.Instance;
        if (Merger.FindRival(instance, looks) is { } rival
            && leading.Merger.IsToGo(host.Server.Nodes, instance, rival, host.Now))
        {
            VoteRequest request = host.Voter.Ask(VoteKind.Merge) with
            {
                Instance = instance,
                Members = host.Server.Nodes,
            };
            send(new PeerLetter(host, host.Life, Find(rival.Voter), request, null, rival.Voter));
        }
        Renew(host);
    }

    private void Dissolve(SimulatedPeer host)
    {
        if (host.TookAt != Instant.Zero && host.Now - host.TookAt < Stay)
        {
            throw run.Violation(
                "V6", $"host {host.Index} goes into another cluster, and has just let nodes of another one come");
        }
        run.Mark("a cluster goes into another of its name");
        host.Server.Die();
        var round = new VoteRound(host.Leader!.Current);
        VoteRequest request = host.RequestOf(round.Electorate, host.Leader.Ballot, host.Leader.Term) with
        {
            Kind = VoteKind.Dissolve,
        };
        foreach (VoterInfo voter in round.Voters.Where(voter => voter.Id != host.Info.Id))
            send(new PeerLetter(host, host.Life, Find(voter), request, null, voter));
        host.Dissolve(draw());
    }

    private void OnCounted(SimulatedPeer host, Poll poll)
    {
        VoteRound round = poll.Round!;
        // Votes that were counted by a host that stood still may be another's by now.
        var lease = new ServingLease(poll.Ballot, model.Duration, poll.Asked);
        if (!round.IsWon || !lease.IsValid(host.Now))
        {
            if (round.Later is { } later) host.Voter.Learn(later);
            Release(host, round, poll.Ballot);
            return;
        }
        bool hasForgotten = round.Replaced.Any();
        if (hasForgotten) run.Mark("a restarted process has voted in its seat");
        OnWon(host, round.Electorate.Instance, poll.Ballot, hasForgotten);
        host.Lead(round, poll);
        Renew(host);
    }

    // A term that only restarted processes knew may be passed over. Then nobody serves in it any more.
    private void OnWon(SimulatedPeer host, ulong instance, long term, bool hasForgotten)
    {
        long before = _terms.GetValueOrDefault(instance);
        bool isServed = hosts.Any(other => other.Instance == instance && other.Server.IsServing);
        if (before >= term && (isServed || !hasForgotten))
        {
            throw run.Violation(
                "V6", $"host {host.Index} has won term {term} of its cluster, and {before} was won before");
        }
        if (before > 0) run.Mark("a host is elected after another");
        if (_terms.Count > 0 && before == 0) run.Mark("a cluster is founded after another");
        _terms[instance] = term;
        Last = host;
    }

    private void OnRenewed(SimulatedPeer host, Poll poll)
    {
        if (host.Leader is not { } leader) return;
        VoteRound round = poll.Round!;
        leader.End(round, poll.Asked);
        if (!round.IsWon && host.IsCampaigning)
        {
            host.Leader = null;
            host.IsCampaigning = false;
            return;
        }
        if (host.IsCampaigning)
        {
            host.IsCampaigning = false;
            if (!host.IsRetiring) host.Grant(model.Duration);
        }
        else if (round.IsWon && poll.Rounds == 1 && host.Server.IsServing)
        {
            host.Server.Renew(poll.Asked);
        }
        host.EnrolAsking();
        bool goesOn = round.IsWon && leader.IsChanging(host.Now) && poll.Rounds < MostRounds;
        if (goesOn) Renew(host, poll.Rounds);
        else if (host.IsRetiring) Leave(host, round);
    }

    private void Leave(SimulatedPeer host, VoteRound round)
    {
        if (round.IsWon) run.Mark("a host leaves the others a majority of their own");
        Release(host, round, host.Leader!.Ballot);
        host.Die();
    }

    private void Release(SimulatedPeer host, VoteRound round, long ballot)
    {
        VoteRequest request = host.RequestOf(round.Electorate, ballot, ballot) with { Kind = VoteKind.Release };
        foreach (VoterInfo voter in round.Voters.Where(voter => round.HasGranted(voter.Id)))
        {
            if (voter.Id == host.Info.Id) host.Answer(request, draw);
            else send(new PeerLetter(host, host.Life, Find(voter), request, null, voter));
        }
    }

    /// <summary>The server of a host says something.</summary>
    public void OnWord(SimulatedPeer host)
    {
        long latest = _terms.GetValueOrDefault(host.Instance);
        if (host.Term == latest) return;
        throw run.Violation(
            "V6", $"the server of host {host.Index} says something in term {host.Term}, and another has won {latest}");
    }

    // Follows the calendar, so that clusters that are founded one after the other have different terms.
    private long LowestBallot => 10 + (256 * (long)(run.Now - Instant.Zero).TotalSeconds);

    private SimulatedPeer? Find(VoterInfo voter) => hosts.FirstOrDefault(host => host.Info.Place == voter.Place);

    private byte[] Written(Action<FrameBuilder> write)
    {
        write(_frame);
        return _frame.ToArray();
    }
}
