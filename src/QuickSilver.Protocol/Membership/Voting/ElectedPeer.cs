using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Membership.Voting;

/// <summary>
/// The electorate in the hands of the process that serves: who comes in and who goes out, one change at a time, each
/// in two steps. A voter that answers no more for a while goes out: no majority is counted with processes that are
/// gone. One call at a time.
/// </summary>
internal sealed class ElectedPeer
{
    private readonly VoterInfo _self;
    private readonly TimeSpan _silence;
    private readonly string _tieBreak;
    private readonly SortedDictionary<ulong, Instant> _heard = [];
    private readonly SortedDictionary<ulong, VoterInfo> _asking = [];
    private readonly SortedDictionary<ulong, VoterInfo> _coming = [];
    private readonly SortedSet<ulong> _going = [];
    private bool _isTaken;
    private bool _isOwnChange;
    private bool _mayRevert;
    private bool _isRetiring;

    /// <summary>Takes over an electorate.</summary>
    /// <param name="self">The process that serves.</param>
    /// <param name="won">The round that it has won.</param>
    /// <param name="term">Its term.</param>
    /// <param name="silence">How long a voter may be silent.</param>
    /// <param name="tieBreak">The name of the node that decides when votes are equal; empty: the one that
    /// serves.</param>
    /// <param name="now">The present instant.</param>
    public ElectedPeer(
        VoterInfo self, VoteRound won, long term, TimeSpan silence, string tieBreak, Instant now)
    {
        _self = self;
        Current = won.Electorate.InTerm(term);
        Ballot = term;
        Term = term;
        _silence = silence;
        _tieBreak = tieBreak;
        _going.UnionWith(won.Replaced);
        foreach (VoterInfo voter in won.Voters) _heard[voter.Id] = now;
    }

    /// <summary>The electorate of the round to come.</summary>
    public Electorate Current { get; private set; }

    /// <summary>The term in which the process serves.</summary>
    public long Term { get; }

    /// <summary>Whether the cluster goes into another of its name.</summary>
    public Merger Merger { get; } = new();

    /// <summary>False when another cluster may not go into this one, or no more.</summary>
    public bool MayTake { get; set; } = true;

    /// <summary>The ballot of the round to come.</summary>
    public long Ballot { get; private set; }

    /// <summary>True while a change is under way, or wanted.</summary>
    public bool IsChanging(Instant now) => Current.IsJoint || Differs(Wanted(now));

    /// <summary>Answers a request that only the process that serves takes.</summary>
    /// <param name="request">The request.</param>
    /// <param name="members">Number of nodes at the server.</param>
    /// <param name="now">The present instant.</param>
    /// <returns>Null for other requests.</returns>
    public VoteVerdict? Answer(VoteRequest request, int members, Instant now)
    {
        switch (request.Kind)
        {
            case VoteKind.Enrol:
                if (_asking.Count < Electorate.MaxVoters) _asking[request.Asker.Id] = request.Asker;
                return VoteVerdict.Granted;
            case VoteKind.Resign:
                _asking.Remove(request.Asker.Id);
                Resign(request.Asker.Id);
                return VoteVerdict.Granted;
            case VoteKind.Merge:
                return MayTake && Merger.TryTake(members, Current.Instance, request, now)
                    ? VoteVerdict.Granted
                    : VoteVerdict.NotHere;
            default:
                return null;
        }
    }

    /// <summary>Takes those that want to vote and do not yet: each is enrolled once it has been reached.</summary>
    public List<VoterInfo> TakeAsking()
    {
        List<VoterInfo> asking = [.. _asking.Values.Where(voter => !Current.Has(voter.Id))];
        _asking.Clear();
        return asking;
    }

    /// <summary>A process wants to vote, and was reached.</summary>
    /// <returns>False when there are too many voters.</returns>
    public bool Enrol(VoterInfo voter)
    {
        if (Current.Has(voter.Id)) return true;
        if (_coming.Count >= Electorate.MaxVoters) return false;
        _coming[voter.Id] = voter;
        foreach (VoterInfo before in Current.All.Where(voter.HasSeatOf)) _going.Add(before.Id);
        return true;
    }

    /// <summary>A process votes no more.</summary>
    public void Resign(ulong voter)
    {
        _coming.Remove(voter);
        if (Current.Has(voter)) _going.Add(voter);
    }

    /// <summary>The process that serves ends in good order: it votes no more.</summary>
    public void Retire() => _isRetiring = true;

    /// <summary>Begins a round: of the electorate as it is, or of the next step of a change.</summary>
    public VoteRound Begin(Instant now)
    {
        if (!_isTaken)
        {
            if (_mayRevert) Current = Current.Revert();
            _mayRevert = false;
        }
        else if (Current.IsJoint)
        {
            Current = Current.Settle();
            _isTaken = false;
        }
        else if (Wanted(now) is var wanted && Differs(wanted))
        {
            Current = Current.ChangeTo(wanted);
            _isOwnChange = true;
            foreach (VoterInfo voter in wanted) _heard.TryAdd(voter.Id, now);
            _isTaken = false;
        }
        return new VoteRound(Current);
    }

    /// <summary>A round is over.</summary>
    /// <param name="round">The round.</param>
    /// <param name="asked">The instant before it.</param>
    public void End(VoteRound round, Instant asked)
    {
        foreach (VoterInfo voter in round.Voters)
        {
            if (round.HasGranted(voter.Id)) _heard[voter.Id] = asked;
        }
        _going.UnionWith(round.Replaced);
        if (round.IsOutvoted) Ballot = Math.Max(Ballot, round.HighestBallot) + 1;
        if (round.Electorate.Version != Current.Version) return;
        if (!round.IsWon)
        {
            // Newcomers that are gone again must not hold up those who were there.
            _mayRevert = Current.IsJoint && _isOwnChange;
            foreach (VoterInfo silent in Current.Voters.Where(voter => !round.HasGranted(voter.Id)))
                _coming.Remove(silent.Id);
            return;
        }
        _isTaken = true;
        _isOwnChange = false;
        if (Current.IsJoint) return;
        foreach (ulong gone in _heard.Keys.Where(id => !Current.Has(id)).ToList()) _heard.Remove(gone);
        _going.RemoveWhere(id => !Current.Has(id));
        foreach (VoterInfo voter in Current.Voters) _coming.Remove(voter.Id);
    }

    private bool Differs(List<VoterInfo> wanted) => wanted.Count > 0 && !wanted.SequenceEqual(Current.Voters);

    // In the order of the present ones, behind the one that decides when votes are equal.
    private List<VoterInfo> Wanted(Instant now)
    {
        var wanted = Current.Voters
            .Where(voter => !_going.Contains(voter.Id) && now - _heard.GetValueOrDefault(voter.Id, now) <= _silence)
            .Concat(_coming.Values.Where(voter => !Current.Has(voter.Id)))
            .Where(voter => !_isRetiring || voter.Id != _self.Id)
            .Take(Electorate.MaxVoters).ToList();
        VoterInfo? first = wanted.Find(voter => _tieBreak.Length > 0 && voter.Name == _tieBreak)
            ?? wanted.Find(voter => voter.Id == _self.Id);
        if (first is not null && wanted.Remove(first)) wanted.Insert(0, first);
        return wanted;
    }
}
