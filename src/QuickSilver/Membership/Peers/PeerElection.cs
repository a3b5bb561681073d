using System.Net;
using System.Security.Cryptography;
using QuickSilver.Membership.Discovery;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Voting;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;
using QuickSilver.Transport;

namespace QuickSilver.Membership.Peers;

/// <summary>
/// Elects the process that serves by the votes of the nodes themselves. Each process has a vote, which it gives to one
/// other at a time, for a time. Who has a majority of the electorate serves, and changes the electorate as nodes come
/// and go. Nothing is kept on disk. Any thread.
/// </summary>
internal sealed class PeerElection : IMembershipElection, IVoteHost, IAsyncDisposable
{
    private const int WatchEvery = 3;
    private static readonly TimeSpan TendPause = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan RivalPause = TimeSpan.FromSeconds(55);

    private readonly PeerSettings _settings;
    private readonly Lock _lock = new();
    private readonly IMembershipHostEvents _events;
    private readonly VoteCaller _caller;
    private readonly PeerPlaces _places;
    private readonly Canvass _canvass;
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _tending;
    private Voter _voter;
    private PeerLease? _lease;
    private VoterInfo? _leader;
    private ulong _leaderInstance;
    private long _rivalReported = long.MinValue / 2;
    private IReadOnlyList<VoteAnswer> _looks = [];

    /// <summary>Starts to answer, and to look for a server to vote for.</summary>
    /// <param name="settings">The settings.</param>
    /// <param name="place">Where this process is asked; port 0 for one that does not vote.</param>
    /// <param name="discovery">Finds others that the configuration does not name; null for none.</param>
    /// <param name="events">Receives reports of other servers of the cluster's name.</param>
    public PeerElection(
        PeerSettings settings, IPEndPoint place, ServerDiscovery? discovery, IMembershipHostEvents events)
    {
        _events = events;
        _settings = settings;
        _caller = new VoteCaller(settings.Security);
        _places = new PeerPlaces(settings.Seeds, discovery);
        _canvass = new Canvass(settings.Options.Founders);
        _voter = Born(place);
        using (ExecutionContext.SuppressFlow()) _tending = Task.Run(TendAsync);
    }

    /// <summary>True for a process that votes, and may serve.</summary>
    public bool MayServe => _settings.Options.MayServe;

    /// <summary>Counts the nodes at the server of this process.</summary>
    public Func<int> Members { get; set; } = static () => 0;

    /// <summary>The cluster of the server that was found last, or that this process was elected to serve.</summary>
    public ulong LeaderInstance => Volatile.Read(ref _leaderInstance);

    private Instant Now => _settings.Clock.Now;

    /// <summary>Takes another place: this process is another voter from now on.</summary>
    public void Move(IPEndPoint place)
    {
        lock (_lock)
        {
            if (_voter.Self.Place != ToNet(place)) _voter = Born(place);
        }
    }

    /// <summary>Asks other places first from now on.</summary>
    public void ChangeSeeds(IReadOnlyList<(string Host, int Port)> seeds) => _places.ChangeSeeds(seeds);

    /// <inheritdoc/>
    public string Describe() => "the election among the nodes";

    /// <inheritdoc/>
    public VoteAnswer? Answer(VoteRequest request, IPAddress? remote)
    {
        bool isOwn = request.ClusterName == _settings.ClusterName;
        if (isOwn) _places.OnHeard(request.Asker.Place);
        lock (_lock)
        {
            if (isOwn && _lease?.Answer(request, Members()) is { } verdict)
                return _voter.With(verdict, request, Now);
            VoteAnswer? answer = _voter.Answer(request, Now);
            // A voter of a cluster that has gone into another is a new voter there.
            if (request.Kind == VoteKind.Dissolve && answer is { Verdict: VoteVerdict.Granted }) BeBorn();
            return _lease is null || answer is null ? answer : answer with { Members = Members() };
        }
    }

    /// <inheritdoc/>
    public async ValueTask<MembershipLeader?> FindLeaderAsync(string cluster, CancellationToken cancellationToken)
    {
        if (OtherLeader() is { } held)
        {
            Volatile.Write(ref _leaderInstance, held.Instance);
            return new MembershipLeader(held.Leader.Place.ToString(), held.Term);
        }
        IReadOnlyList<VoteAnswer> looks = await LookAsync(cancellationToken).ConfigureAwait(false);
        VoteAnswer? found;
        lock (_lock)
        {
            _looks = looks;
            found = Canvass.FindLeader(_voter, looks);
            _leader = found?.Leader;
        }
        if (found is null) return null;
        Volatile.Write(ref _leaderInstance, found.LeaderInstance);
        await EnrolAsync(found.Leader!, cancellationToken).ConfigureAwait(false);
        return new MembershipLeader(found.Leader!.Place.ToString(), found.LeaderTerm);
    }

    /// <inheritdoc/>
    public async ValueTask<IMembershipLease?> CampaignAsync(
        MembershipCandidate candidate, CancellationToken cancellationToken)
    {
        if (!MayServe)
            throw new NobodyElectedException("nobody serves, and this node may not (Membership.Peers.MayServe)");
        Candidacy? candidacy;
        string refusal;
        lock (_lock) candidacy = _canvass.Stand(_voter, _looks, candidate.LowestTerm, Draw(), out refusal);
        if (candidacy is null && refusal.Length > 0) throw new NobodyElectedException($"nobody serves: {refusal}");
        if (candidacy is null) return null;
        (VoterInfo self, VoteRound round, long ballot, bool isFounding) = candidacy;
        VoteRequest request = RequestOf(self, round.Electorate, ballot, ballot) with { IsFounding = isFounding };
        await PollAsync(round, request, untilWon: true, cancellationToken).ConfigureAwait(false);
        if (!round.IsWon)
        {
            lock (_lock)
            {
                if (round.Later is { } later) _voter.Learn(later);
            }
            await ReleaseAsync(round, request).ConfigureAwait(false);
            throw new NobodyElectedException($"nobody serves: {round.Describe()}");
        }
        var leader = new ElectedPeer(
            self, round, ballot, _settings.Silence, _settings.Options.TieBreak ?? "", Now);
        leader.MayTake = _settings.Options.Merge;
        var lease = new PeerLease(this, self, leader, _settings);
        Volatile.Write(ref _leaderInstance, lease.Instance);
        lock (_lock) _lease = lease;
        try
        {
            // The voters learn the electorate before anybody is admitted.
            await lease.RenewAsync(cancellationToken).ConfigureAwait(false);
            return lease;
        }
        catch (Exception)
        {
            OnEnded(lease);
            throw;
        }
    }

    /// <summary>Asks the voters of a round.</summary>
    /// <param name="round">Receives the answers.</param>
    /// <param name="request">The question.</param>
    /// <param name="untilWon">True to wait no longer than it takes to win.</param>
    /// <param name="stop">Ends the wait.</param>
    public async Task PollAsync(VoteRound round, VoteRequest request, bool untilWon, CancellationToken stop)
    {
        var asked = round.Voters.ToDictionary(
            voter => AskAsync(voter, request, round.Electorate, stop), static voter => voter);
        while (asked.Count > 0 && !(untilWon && round.IsWon))
        {
            Task<VoteAnswer?> answered = await Task.WhenAny(asked.Keys).ConfigureAwait(false);
            round.OnAnswer(asked[answered], await answered.ConfigureAwait(false));
            asked.Remove(answered);
        }
    }

    /// <summary>A request of this process for votes.</summary>
    public VoteRequest RequestOf(VoterInfo self, Electorate electorate, long ballot, long term) =>
        VoteRequest.ForVotes(_settings.ClusterName, self, electorate, ballot, term, _settings.Lease);

    /// <summary>Gives back the votes of a round.</summary>
    public Task ReleaseAsync(VoteRound round, VoteRequest request) => Task.WhenAll(
        round.Voters.Where(voter => round.HasGranted(voter.Id)).Select(
            voter => AskAsync(voter, request with { Kind = VoteKind.Release }, null, CancellationToken.None)));

    /// <summary>True when a process that wants to vote answers at its place.</summary>
    public async Task<bool> AnswersAsync(VoterInfo voter, CancellationToken stop) =>
        await AskAsync(voter, QuestionOf(VoteKind.Look), null, stop).ConfigureAwait(false) is { } answer
            && answer.Voter.Id == voter.Id;

    /// <summary>The cluster has gone into another: its voters are free.</summary>
    public async Task DissolveAsync(PeerLease lease, VoteRound round, VoteRequest request)
    {
        OnEnded(lease);
        await Task.WhenAll(round.Voters.Where(voter => voter.Id != request.Asker.Id).Select(
            voter => AskAsync(voter, request with { Kind = VoteKind.Dissolve }, null, CancellationToken.None)))
            .ConfigureAwait(false);
        lock (_lock) BeBorn();
    }

    /// <summary>The lease is over.</summary>
    public void OnEnded(PeerLease lease)
    {
        lock (_lock)
        {
            if (_lease == lease) _lease = null;
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await _tending.ConfigureAwait(false);
        if (OtherLeader() is { } held)
        {
            await AskAsync(held.Leader, QuestionOf(VoteKind.Resign), null, CancellationToken.None)
                .ConfigureAwait(false);
        }
        await _caller.DisposeAsync().ConfigureAwait(false);
        _stop.Dispose();
    }

    // The process that has this one's vote, unless that is this one itself: its server has ended then.
    private (VoterInfo Leader, long Term, ulong Instance)? OtherLeader()
    {
        lock (_lock)
        {
            return _voter.LeaderAt(Now) is { } held && held.Leader.Id != _voter.Self.Id ? held : null;
        }
    }

    private static NetEndpoint ToNet(IPEndPoint place) => new(AddressForms.ToNet(place.Address), (ushort)place.Port);

    private static ulong Draw() =>
        Math.Max(1, BitConverter.ToUInt64(RandomNumberGenerator.GetBytes(sizeof(ulong))));

    private void BeBorn()
    {
        _leader = null;
        _voter = Born(AddressForms.ToEndPoint(_voter.Self.Place));
    }

    private Voter Born(IPEndPoint place)
    {
        var self = new VoterInfo(Draw(), ToNet(place), _settings.NodeName, _settings.Options.Weight);
        return new Voter(_settings.ClusterName, self, Now, Probes.None);
    }

    private async Task<IReadOnlyList<VoteAnswer>> LookAsync(CancellationToken stop)
    {
        VoteRequest request = QuestionOf(VoteKind.Look);
        Electorate? known;
        lock (_lock) known = _voter.Known;
        IReadOnlyCollection<IPEndPoint> places = await _places.AllAsync(known, request.Asker.Place, stop)
            .ConfigureAwait(false);
        await _caller.KeepAsync(places).ConfigureAwait(false);
        VoteAnswer?[] answers = await Task.WhenAll(
            places.Select(place => _caller.AskAsync(place, request, null, stop))).ConfigureAwait(false);
        return [.. answers.OfType<VoteAnswer>().Where(answer => answer.Voter.Id != request.Asker.Id)
            .DistinctBy(static answer => answer.Voter.Id)];
    }

    private VoteRequest QuestionOf(VoteKind kind)
    {
        lock (_lock) return _voter.Ask(kind);
    }

    private Task<VoteAnswer?> AskAsync(
        VoterInfo voter, VoteRequest request, Electorate? electorate, CancellationToken stop) =>
        voter.Id == request.Asker.Id
            ? Task.FromResult(Answer(request with { Electorate = electorate }, remote: null))
            : _caller.AskAsync(AddressForms.ToEndPoint(voter.Place), request, electorate, stop);

    // Votes for the one that serves, wherever this process is not asked by it.
    private async Task TendAsync()
    {
        int turns = 0;
        while (!_stop.IsCancellationRequested)
        {
            await Task.Delay(TendPause, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            try
            {
                if (++turns % WatchEvery == 0) await WatchAsync().ConfigureAwait(false);
                VoterInfo? leader;
                lock (_lock) leader = IsAsked ? null : _voter.LeaderAt(Now)?.Leader ?? _leader;
                if (leader is not null) await EnrolAsync(leader, _stop.Token).ConfigureAwait(false);
            }
            catch (OperationCanceledException)
            {
                // It ends.
            }
        }
    }

    private bool IsAsked => _lease is not null
        || (_voter.LeaderAt(Now) is not null && _voter.Known is { } known && known.Has(_voter.Self.Id));

    // A server looks for others of its cluster's name: after a cut, or because two were founded.
    private async ValueTask WatchAsync()
    {
        PeerLease? lease;
        ulong instance;
        lock (_lock)
        {
            lease = _lease;
            instance = lease?.Instance ?? 0;
        }
        if (lease is null) return;
        IReadOnlyList<VoteAnswer> looks = await LookAsync(_stop.Token).ConfigureAwait(false);
        foreach (VoterInfo other in looks.Where(look => look.Instance != instance).Select(static look => look.Leader)
            .OfType<VoterInfo>()) _places.OnHeard(other.Place);
        if (Merger.FindRival(instance, looks) is not { } rival) return;
        string place = rival.Voter.Place.ToString();
        if (!_settings.Options.Merge) Report(place, rival.Members);
        if (!_settings.Options.Merge || !lease.IsToGo(rival, Members())) return;
        VoteRequest request = QuestionOf(VoteKind.Merge) with { Instance = instance, Members = Members() };
        VoteAnswer? answer = await AskAsync(rival.Voter, request, null, _stop.Token).ConfigureAwait(false);
        if (answer?.Verdict == VoteVerdict.Granted && lease.TryDissolve()) _events.OnMerging(place, rival.Members);
    }

    private void Report(string place, int members)
    {
        if (Environment.TickCount64 - _rivalReported < RivalPause.TotalMilliseconds) return;
        _rivalReported = Environment.TickCount64;
        _events.OnRival(place, members);
    }

    private async ValueTask EnrolAsync(VoterInfo leader, CancellationToken stop)
    {
        if (!MayServe) return;
        VoteRequest request = QuestionOf(VoteKind.Enrol);
        if (await AskAsync(leader, request, null, stop).ConfigureAwait(false) is { } answer) OnEnrolled(answer);
    }

    // The server of another cluster was found, since the own one has no majority any more: a life there is a new one.
    private void OnEnrolled(VoteAnswer answer)
    {
        lock (_lock)
        {
            if (answer.Verdict != VoteVerdict.Granted && answer.Leader is { } leader) _leader = leader;
            if (_voter.IsOver(answer, Now)) _voter = Born(AddressForms.ToEndPoint(_voter.Self.Place));
        }
    }
}
