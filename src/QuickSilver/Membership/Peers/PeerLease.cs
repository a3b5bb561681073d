using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Voting;

namespace QuickSilver.Membership.Peers;

/// <summary>The lease that a majority of the nodes has given to this process. Each renewal also takes the electorate a
/// step further, as nodes come and go. Any thread.</summary>
/// <param name="election">Asks the voters.</param>
/// <param name="self">This process.</param>
/// <param name="leader">The electorate.</param>
/// <param name="settings">The settings of the election.</param>
internal sealed class PeerLease(PeerElection election, VoterInfo self, ElectedPeer leader, PeerSettings settings)
    : IMembershipLease
{
    private const int MostRounds = 6;

    private readonly SemaphoreSlim _turn = new(1);
    private readonly Lock _lock = new();
    private bool _isAdmitting;
    private bool _isOver;
    private volatile bool _isDissolved;

    /// <inheritdoc/>
    public long Term => leader.Term;

    /// <inheritdoc/>
    public TimeSpan Duration => settings.Lease;

    /// <summary>The cluster that it serves.</summary>
    public ulong Instance => leader.Current.Instance;

    /// <summary>True when the cluster is to go into that of another server.</summary>
    public bool IsToGo(VoteAnswer rival, int members)
    {
        lock (_lock) return leader.Merger.IsToGo(members, Instance, rival, settings.Clock.Now);
    }

    /// <summary>The cluster goes into another, which has agreed: this process stops serving with the next renewal.
    /// </summary>
    /// <returns>False when it has let another one in meanwhile.</returns>
    public bool TryDissolve()
    {
        lock (_lock)
        {
            if (!leader.Merger.MayGo(settings.Clock.Now)) return false;
            leader.MayTake = false;
        }
        _isDissolved = true;
        return true;
    }

    /// <summary>Answers a request that only the process that serves takes; null for others.</summary>
    public VoteVerdict? Answer(VoteRequest request, int members)
    {
        lock (_lock)
        {
            VoteVerdict? verdict = leader.Answer(request, members, settings.Clock.Now);
            if (request.Kind is VoteKind.Enrol or VoteKind.Resign) BeginToChange();
            return verdict;
        }
    }

    /// <inheritdoc/>
    public async ValueTask<bool> RenewAsync(CancellationToken cancellationToken)
    {
        await _turn.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            if (_isDissolved)
            {
                await DissolveAsync().ConfigureAwait(false);
                return false;
            }
            await EnrolAsync(cancellationToken).ConfigureAwait(false);
            if (await RoundAsync(cancellationToken).ConfigureAwait(false) is { IsWon: false } lost)
                throw new NobodyElectedException(lost.Describe());
            await ChangeAsync(cancellationToken).ConfigureAwait(false);
            return true;
        }
        finally
        {
            _turn.Release();
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _turn.WaitAsync().ConfigureAwait(false);
        try
        {
            if (!_isOver) await RetireAsync().ConfigureAwait(false);
        }
        finally
        {
            _turn.Release();
        }
    }

    // The others keep a majority of their own, whose votes are free at once.
    private async ValueTask RetireAsync()
    {
        await EnrolAsync(CancellationToken.None).ConfigureAwait(false);
        election.OnEnded(this);
        lock (_lock)
        {
            _isOver = true;
            leader.MayTake = false;
            leader.Retire();
        }
        await ChangeAsync(CancellationToken.None).ConfigureAwait(false);
        VoteRound last = await RoundAsync(CancellationToken.None).ConfigureAwait(false);
        await election.ReleaseAsync(last, RequestOf(last)).ConfigureAwait(false);
    }

    private async ValueTask DissolveAsync()
    {
        VoteRound round;
        lock (_lock)
        {
            _isOver = true;
            round = new VoteRound(leader.Current);
        }
        await election.DissolveAsync(this, round, RequestOf(round)).ConfigureAwait(false);
    }

    private void BeginToChange()
    {
        if (_isAdmitting || _isOver) return;
        _isAdmitting = true;
        using (ExecutionContext.SuppressFlow()) _ = Task.Run(AdmitAsync);
    }

    // A change waits for no renewal: a server that ends a moment later leaves behind those that it has not let vote.
    private async Task AdmitAsync()
    {
        await _turn.WaitAsync().ConfigureAwait(false);
        try
        {
            lock (_lock)
            {
                _isAdmitting = false;
                if (_isOver) return;
            }
            await EnrolAsync(CancellationToken.None).ConfigureAwait(false);
            await ChangeAsync(CancellationToken.None).ConfigureAwait(false);
        }
        finally
        {
            _turn.Release();
        }
    }

    // The renewal is done when its first round is; these take what has changed further.
    private async ValueTask ChangeAsync(CancellationToken stop)
    {
        for (int rounds = 1; rounds < MostRounds && IsChanging(); rounds++)
        {
            if (!(await RoundAsync(stop).ConfigureAwait(false)).IsWon) return;
        }
    }

    private bool IsChanging()
    {
        lock (_lock) return leader.IsChanging(settings.Clock.Now);
    }

    private async ValueTask<VoteRound> RoundAsync(CancellationToken stop)
    {
        Instant asked = settings.Clock.Now;
        VoteRound round;
        lock (_lock) round = leader.Begin(asked);
        await election.PollAsync(round, RequestOf(round), untilWon: false, stop).ConfigureAwait(false);
        lock (_lock) leader.End(round, asked);
        return round;
    }

    private VoteRequest RequestOf(VoteRound round) =>
        election.RequestOf(self, round.Electorate, leader.Ballot, leader.Term);

    // One that is not reached itself would only take away from the majority.
    private async ValueTask EnrolAsync(CancellationToken stop)
    {
        List<VoterInfo> coming;
        lock (_lock) coming = leader.TakeAsking();
        bool[] answers = await Task.WhenAll(coming.Select(voter => election.AnswersAsync(voter, stop)))
            .ConfigureAwait(false);
        lock (_lock)
        {
            for (int index = 0; index < coming.Count; index++)
            {
                if (answers[index]) leader.Enrol(coming[index]);
            }
        }
    }
}
