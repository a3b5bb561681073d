using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Membership.Voting;
using QuickSilver.Protocol.Probing;
using QuickSilver.Testing.Invariants;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Membership;

/// <summary>
/// The hosts of a simulation, which elect one of them by their own votes, over a network of their own. Hosts know the
/// time by their own clocks alone. Checks V6: a server says nothing once another has won a later term of its cluster,
/// and no term is won twice.
/// </summary>
internal sealed class SimulatedPeers : ISimulatedHosts, IEventTarget
{
    private const double StaleAnswers = 0.05;
    private const int RenewalsInEach = 3;
    private const int MostRounds = 6;
    private const int WatchEvery = 4;
    private const ulong Election = ulong.MaxValue - 2;
    private static readonly TimeSpan Stay = TimeSpan.FromSeconds(9);
    private static readonly TimeSpan RetireTime = TimeSpan.FromSeconds(2);

    private readonly ElectionModel _model;
    private readonly EventQueue _events;
    private readonly RunContext _run;
    private readonly List<SimulatedPeer> _hosts = [];
    private readonly PeerNetwork _network;
    private readonly SortedDictionary<ulong, long> _terms = [];
    private readonly FrameBuilder _frame = new();
    private SimulatedPeer? _last;
    private ulong _draws;
    private bool _isStopped;

    /// <summary>Starts the hosts.</summary>
    /// <param name="model">How they elect.</param>
    /// <param name="events">Where questions and answers are scheduled.</param>
    /// <param name="run">Where violations are noted; decides delays and losses.</param>
    /// <param name="makeHost">Makes the server of a host of an index, with its clock; it calls back with each frame
    /// that it sends.</param>
    public SimulatedPeers(
        ElectionModel model, EventQueue events, RunContext run,
        Func<int, OffsetClock, Action, SimulatedMembership> makeHost)
    {
        _model = model;
        _events = events;
        _run = run;
        _network = new PeerNetwork(model, Unit);
        for (int index = 0; index < model.Hosts; index++)
        {
            int drift = model.ClockDrift == 0
                ? 0
                : (int)(Draw() % (ulong)((2 * model.ClockDrift) + 1)) - model.ClockDrift;
            var clock = new OffsetClock(run.Clock, TimeSpan.FromSeconds(1 + index), drift);
            var host = new SimulatedPeer(index, model, new Probes(run.Marks));
            host.Server = makeHost(index, clock, () => OnWord(host));
            host.Begin(Draw());
            _hosts.Add(host);
            _events.Schedule(run.Now + (model.Pause * Unit()), this, host, (long)Happening.Look);
        }
    }

    private enum Happening : long
    {
        Look,
        Question,
        Answer,
        TimeOut,
        Retired,
    }

    /// <inheritdoc/>
    public IEnumerable<SimulatedMembership> Servers => _hosts.Select(static host => host.Server);

    /// <inheritdoc/>
    public SimulatedLink? Connect(IMembershipClient client)
    {
        if (Draw() % 1000 < (ulong)(1000 * StaleAnswers)) return Connect(_last, client);
        // Where there are two clusters, each has some of the nodes.
        SimulatedPeer[] serving = [.. _hosts.Where(static host => host.Server.IsServing)];
        return serving.Length > 0 ? Connect(serving[client.Machine % serving.Length], client) : null;
    }

    private static SimulatedLink? Connect(SimulatedPeer? host, IMembershipClient client) =>
        host is { IsDown: false } ? host.Server.Connect(client) : null;

    /// <inheritdoc/>
    public void End(int host, bool dies, bool isOrderly)
    {
        SimulatedPeer one = _hosts[host % _hosts.Count];
        if (!dies)
        {
            if (!one.IsDown && one.IsRetiring) Die(one);
            if (!one.IsDown) return;
            one.Begin(Draw());
            return;
        }
        if (one.IsDown) return;
        one.Server.Die();
        if (!isOrderly)
        {
            Die(one);
            return;
        }
        one.IsRetiring = true;
        _events.Schedule(_run.Now + RetireTime, this, new Retirement(one, one.Life), (long)Happening.Retired);
        if (one.Leader is not null)
        {
            one.Leader.Retire();
            if (one.Poll is null) Renew(one);
        }
        else if (one.OtherLeader() is { } leader)
        {
            Send(new Letter(one, one.Life, Find(leader), one.Voter.Ask(VoteKind.Resign), null, leader));
        }
    }

    /// <inheritdoc/>
    public void Freeze(int host, TimeSpan time, TimeSpan readLag)
    {
        SimulatedPeer one = _hosts[host % _hosts.Count];
        if (one.Server.IsServing) Mark("a host that serves stands still");
        one.FrozenUntil = Later(one.FrozenUntil, _run.Now + time);
        one.Server.Freeze(one.FrozenUntil, readLag);
    }

    /// <inheritdoc/>
    public void CutOff(int host, TimeSpan time) => Cut(1 << (host % _hosts.Count), time, isOneWay: false);

    /// <inheritdoc/>
    public void Cut(int hosts, TimeSpan time, bool isOneWay) => _network.Cut(hosts, _run.Now + time, isOneWay);

    /// <inheritdoc/>
    public void Silence(TimeSpan time) => _network.Silence(_run.Now + time);

    /// <inheritdoc/>
    public void Slow(TimeSpan time, TimeSpan delay) => _network.Slow(_run.Now + time, delay);

    /// <inheritdoc/>
    public void Stop()
    {
        _isStopped = true;
        foreach (SimulatedPeer host in _hosts) host.Server.Stop();
    }

    /// <inheritdoc/>
    public void OnEvent(object? argument, long value, Instant now)
    {
        if (_isStopped) return;
        switch ((Happening)value)
        {
            case Happening.Look:
                OnLook((SimulatedPeer)argument!, now);
                return;
            case Happening.Retired:
                var retired = (Retirement)argument!;
                if (!retired.Host.IsDown && retired.Host.Life == retired.Life) Die(retired.Host);
                return;
            case Happening.TimeOut:
                var poll = (Poll)argument!;
                if (IsLate(poll.Host, poll, Happening.TimeOut, now)) return;
                if (poll.Host.Poll == poll) End(poll);
                return;
            case Happening.Question:
                var question = (Letter)argument!;
                if (!IsLate(question.To!, question, Happening.Question, now)) OnQuestion(question);
                return;
            default:
                var answer = (Letter)argument!;
                if (!IsLate(answer.To!, answer, Happening.Answer, now)) OnAnswer(answer);
                return;
        }
    }

    private bool IsLate(SimulatedPeer host, object argument, Happening what, Instant now)
    {
        if (now >= host.FrozenUntil) return false;
        _events.Schedule(host.FrozenUntil, this, argument, (long)what);
        return true;
    }

    private void OnLook(SimulatedPeer host, Instant now)
    {
        if (IsLate(host, host, Happening.Look, now)) return;
        bool serves = host.Leader is not null;
        TimeSpan pause = serves ? _model.Duration / RenewalsInEach : _model.Pause;
        _events.Schedule(now + pause + (_model.Delay * Unit()), this, host, (long)Happening.Look);
        if (host.IsDown || host.Poll is not null || host.IsRetiring) return;
        if (serves && !host.IsCampaigning && !host.Server.IsServing) host.Leader = null;
        if (host.Leader is not null && host.IsDissolved) Dissolve(host);
        else if (host.Leader is not null && ++host.Watches % WatchEvery == 0) Look(host);
        else if (host.Leader is not null) Renew(host);
        else if (host.OtherLeader() is { } leader) Enrol(host, leader);
        else Look(host);
    }

    private void Look(SimulatedPeer host)
    {
        var poll = new Poll(host, null, host.Now);
        Begin(
            poll, host.Voter.Ask(VoteKind.Look),
            [.. _hosts.Where(other => other != host).Select(static other => other.Info)]);
    }

    private void Enrol(SimulatedPeer host, VoterInfo leader)
    {
        if (!host.IsAsked)
            Send(new Letter(host, host.Life, Find(leader), host.Voter.Ask(VoteKind.Enrol), null, leader));
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
        if (round.Electorate.IsJoint) Mark("an electorate changes");
        var poll = new Poll(host, round, host.Now) { IsRenewal = true, Rounds = rounds + 1 };
        Begin(poll, host.RequestOf(round.Electorate, host.Leader.Ballot, host.Leader.Term), round.Voters);
    }

    private void Begin(Poll poll, VoteRequest request, IReadOnlyList<VoterInfo> asked)
    {
        SimulatedPeer host = poll.Host;
        host.Poll = poll;
        poll.Left = asked.Count;
        _events.Schedule(_run.Now + _model.CallTime, this, poll, (long)Happening.TimeOut);
        foreach (VoterInfo one in asked)
        {
            if (host.Poll != poll) return;
            if (one.Id != host.Info.Id) Send(new Letter(host, host.Life, Find(one), request, poll, one));
            else Take(poll, one, host.Answer(request with { Electorate = poll.Round?.Electorate }, Draw));
        }
        if (asked.Count == 0) End(poll);
    }

    private void OnQuestion(Letter letter)
    {
        SimulatedPeer host = letter.To!;
        if (host.IsDown) return;
        var request = VoteRequest.TryRead(Written(letter.Request.WriteTo))!;
        if (host.Answer(request, Draw) is not { } answer) return;
        if (request.Kind == VoteKind.Enrol && host.Leader is not null && host.Poll is null) Renew(host);
        Send(letter with { To = letter.From, Answer = answer, Responder = host }, Happening.Answer);
    }

    private void OnAnswer(Letter letter)
    {
        SimulatedPeer host = letter.From;
        if (host.IsDown || host.Life != letter.Life) return;
        var answer = VoteAnswer.TryRead(Written(letter.Answer!.WriteTo))!;
        if (letter.Poll is not { } poll)
        {
            if (letter.Request.Kind == VoteKind.Enrol && host.OnEnrolled(answer, Draw))
                Mark("a process joins another cluster of its name");
            host.IsDissolved |= letter.Request.Kind == VoteKind.Merge && answer.Verdict == VoteVerdict.Granted
                && host.Leader?.Merger.MayGo(host.Now) == true;
            return;
        }
        if (host.Poll != poll) return;
        if (answer.Verdict == VoteVerdict.UnknownElectorate && letter.Request.Electorate is null)
        {
            VoteRequest again = letter.Request with { Electorate = poll.Round!.Electorate };
            Send(letter with { To = letter.Responder, Request = again, Answer = null });
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

    private void End(Poll poll)
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
        if (host.Canvass.Stand(host.Voter, poll.Looks, LowestBallot, Draw() | 1, out _) is { } candidacy)
        {
            if (candidacy.IsFounding && poll.Looks.Exists(static look => look.Instance != 0))
                throw _run.Violation("V6", $"host {host.Index} founds a cluster beside one that lives");
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
            Send(new Letter(host, host.Life, Find(rival.Voter), request, null, rival.Voter));
        }
        Renew(host);
    }

    private void Dissolve(SimulatedPeer host)
    {
        if (host.TookAt != Instant.Zero && host.Now - host.TookAt < Stay)
        {
            throw _run.Violation(
                "V6", $"host {host.Index} goes into another cluster, and has just let nodes of another one come");
        }
        Mark("a cluster goes into another of its name");
        host.Server.Die();
        var round = new VoteRound(host.Leader!.Current);
        VoteRequest request = host.RequestOf(round.Electorate, host.Leader.Ballot, host.Leader.Term) with
        {
            Kind = VoteKind.Dissolve,
        };
        foreach (VoterInfo voter in round.Voters.Where(voter => voter.Id != host.Info.Id))
            Send(new Letter(host, host.Life, Find(voter), request, null, voter));
        host.Dissolve(Draw());
    }

    private void OnCounted(SimulatedPeer host, Poll poll)
    {
        VoteRound round = poll.Round!;
        // Votes that were counted by a host that stood still may be another's by now.
        var lease = new ServingLease(poll.Ballot, _model.Duration, poll.Asked);
        if (!round.IsWon || !lease.IsValid(host.Now))
        {
            if (round.Later is { } later) host.Voter.Learn(later);
            Release(host, round, poll.Ballot);
            return;
        }
        bool hasForgotten = round.Replaced.Any();
        if (hasForgotten) Mark("a restarted process has voted in its seat");
        OnWon(host, round.Electorate.Instance, poll.Ballot, hasForgotten);
        host.Lead(round, poll);
        Renew(host);
    }

    // A term that only restarted processes knew may be passed over. Then nobody serves in it any more.
    private void OnWon(SimulatedPeer host, ulong instance, long term, bool hasForgotten)
    {
        long before = _terms.GetValueOrDefault(instance);
        bool isServed = _hosts.Exists(other => other.Instance == instance && other.Server.IsServing);
        if (before >= term && (isServed || !hasForgotten))
        {
            throw _run.Violation(
                "V6", $"host {host.Index} has won term {term} of its cluster, and {before} was won before");
        }
        if (before > 0) Mark("a host is elected after another");
        if (_terms.Count > 0 && before == 0) Mark("a cluster is founded after another");
        _terms[instance] = term;
        _last = host;
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
            if (!host.IsRetiring) host.Grant(_model.Duration);
        }
        else if (round.IsWon && poll.Rounds == 1 && host.Server.IsServing)
        {
            host.Server.Renew(poll.Asked);
        }
        host.EnrolAsking();
        bool goesOn = round.IsWon && leader.IsChanging(host.Now) && poll.Rounds < MostRounds;
        if (goesOn) Renew(host, poll.Rounds);
        else if (host.IsRetiring) Retire(host, round);
    }

    private void Retire(SimulatedPeer host, VoteRound round)
    {
        if (round.IsWon) Mark("a host leaves the others a majority of their own");
        Release(host, round, host.Leader!.Ballot);
        Die(host);
    }

    private void Release(SimulatedPeer host, VoteRound round, long ballot)
    {
        VoteRequest request = host.RequestOf(round.Electorate, ballot, ballot) with { Kind = VoteKind.Release };
        foreach (VoterInfo voter in round.Voters.Where(voter => round.HasGranted(voter.Id)))
        {
            if (voter.Id == host.Info.Id) host.Answer(request, Draw);
            else Send(new Letter(host, host.Life, Find(voter), request, null, voter));
        }
    }

    private void Die(SimulatedPeer host)
    {
        host.Server.Die();
        host.End();
    }

    private void OnWord(SimulatedPeer host)
    {
        long latest = _terms.GetValueOrDefault(host.Instance);
        if (host.Term == latest) return;
        throw _run.Violation(
            "V6", $"the server of host {host.Index} says something in term {host.Term}, and another has won {latest}");
    }

    private void Send(Letter letter, Happening what = Happening.Question)
    {
        SimulatedPeer from = what == Happening.Question ? letter.From : letter.Responder!;
        if (letter.To is { } to && _network.DelayOf(from.Index, to.Index, _run.Now) is { } delay)
            _events.Schedule(_run.Now + delay, this, letter, (long)what);
    }

    // Follows the calendar, so that clusters that are founded one after the other have different terms.
    private long LowestBallot => 10 + (256 * (long)(_run.Now - Instant.Zero).TotalSeconds);

    private SimulatedPeer? Find(VoterInfo voter) => _hosts.Find(host => host.Info.Place == voter.Place);

    private byte[] Written(Action<FrameBuilder> write)
    {
        write(_frame);
        return _frame.ToArray();
    }

    private void Mark(string mark) => _run.Marks[mark] = _run.Marks.GetValueOrDefault(mark) + 1;

    private static Instant Later(Instant one, Instant other) => one > other ? one : other;

    private ulong Draw() => _run.Random.Draw(RandomStream.Delay, Election, 0, _draws++);

    private double Unit() => SimulationRandom.ToUnit(Draw());

    private sealed record Retirement(SimulatedPeer Host, int Life);

    /// <summary>A question to a host, and its answer on the way back.</summary>
    /// <param name="From">Who asks.</param>
    /// <param name="Life">Its life then.</param>
    /// <param name="To">Where the letter goes.</param>
    /// <param name="Request">The question.</param>
    /// <param name="Poll">What it belongs to; null for nothing.</param>
    /// <param name="Asked">Who is meant.</param>
    private sealed record Letter(
        SimulatedPeer From, int Life, SimulatedPeer? To, VoteRequest Request, Poll? Poll, VoterInfo Asked)
    {
        public VoteAnswer? Answer { get; init; }

        public SimulatedPeer? Responder { get; init; }
    }
}
