using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Recovery.Repairs;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Ring;

/// <summary>
/// The token ring of one region view, as one member runs it: when a round begins, which tokens are taken, and what a round that is over tells. The
/// token's way is <see cref="TokenWalk"/>'s, who leads is <see cref="RingLeadership"/>'s, what the leader concludes is <see cref="RoundVerdict"/>'s.
/// <para>
/// Idea: the leader starts a round; the token visits the members and comes back; the leader tells every sender what is stable and how far the slowest
/// member has read, and the next round tells the members. Rounds run while anything is unstable, one at a time, then one more that says so,
/// then none.
/// </para>
/// <para>
/// Pace: each hop wakes two members, so rounds are as far apart as those who need them allow. A sender whose window is half used has one at once.
/// Where somebody waits until a message is stable, a sender has fallen silent, a member lacks what was sent before the last round, or the last round
/// left somebody out, the next follows at the usual distance; else, while data flows and all is well, at a longer one.
/// </para>
/// <para>
/// Awkward cases: tokens of other leaders, and of rounds that are over, are acknowledged and dropped. A token may name members that are removed and
/// of whose removal this member has not heard: they count as removed from that instant, and this member may lead by it.
/// Cost: a token is linear in active streams and bounded lists; nothing is allocated once buffers have grown.
/// Source: first paper, section 2.2, Figures 6-8; pacing by need, hop acknowledgements and takeover are ours.
/// </para>
/// </summary>
internal sealed class TokenRing
{
    private readonly Recoverer _node;
    private readonly RegionRecovery _region;
    private readonly RingPlan _plan;
    private readonly RingLeadership _lead;
    private readonly TokenWalk _walk;
    private readonly TokenHopIn _in;
    private readonly AckFeed _acks;
    private readonly RoundVerdict _verdict;
    private readonly SilentMembers _silence;
    private readonly OwnLag _lag;
    private Token _arrived = new();
    private readonly Alarm _pace;
    private ulong _myRound;
    private int _roundEra;
    private bool _inFlight;
    private bool _isHandling;
    private FeedbackUrgency _wish;
    private Instant _startedAt;
    private Instant _lastTokenAt;

    public TokenRing(Recoverer node, RegionRecovery region)
    {
        _node = node;
        _region = region;
        _plan = new RingPlan(region.View);
        _lead = new RingLeadership(node, region, _plan, OnPatienceEnded);
        _silence = new SilentMembers(region.View.Members.Length);
        _lag = new OwnLag(node, region);
        _walk = new TokenWalk(node, region, _plan, _lead, _silence, _lag, OnWalkEnded);
        _in = new TokenHopIn(region.View.Members.Length, node.Probes);
        _acks = new AckFeed(node, region);
        _verdict = new RoundVerdict(node, region, _acks);
        _pace = new Alarm(node.Alarms, StartRound);
    }

    /// <summary>True when this member starts the rounds.</summary>
    public bool IsLeader => _lead.IsHere;

    /// <summary>True for a member that did not answer lately: to this member, or as the last token here said.</summary>
    public bool IsSilent(int member) => _walk.HasSkipped(member) || _in.Skipped.Contains(member);

    /// <summary>True when the round seen last had skipped somebody by the time it came here.</summary>
    public bool SkipsSomebody => _plan.Skipped.Count > 0;

    /// <summary>The usual round trip of this member's hops.</summary>
    public TimeSpan UsualRoundTrip => _walk.UsualRoundTrip;

    /// <summary>The epoch known here.</summary>
    public uint Epoch => _lead.Epoch;

    /// <summary>The round met last.</summary>
    public ulong Round => _walk.Round;

    /// <summary>Members that were behind in the last round that ended here, or that a token has told of.</summary>
    public LagList Behind { get; } = new();

    /// <summary>Counts the times that this member came to lead, or somebody else did.</summary>
    public int Term => _lead.Term;

    /// <summary>Data is unstable.</summary>
    /// <param name="wish">How soon its sender wants to hear of it.</param>
    /// <param name="now">The present instant.</param>
    public void OnUnstable(FeedbackUrgency wish, Instant now)
    {
        _lead.OnNodesRemoved();
        if (!IsLeader)
        {
            if (_lead.IsWatching) return;
            _silence.OnBegun();
            _lead.Watch(now);
            return;
        }
        bool isFirst = !_inFlight && !_pace.IsSet;
        if (isFirst) _silence.OnBegun();
        // What breaks a silence is lone, or the first of many: the round that it begins costs little beside the silence.
        if (isFirst && wish < FeedbackUrgency.Normal) wish = FeedbackUrgency.Normal;
        if (wish > _wish) _wish = wish;
        if (!_inFlight && (isFirst || wish > FeedbackUrgency.Low)) PaceNext(now);
    }

    /// <summary>A removal was not known until now: what rounds have found out about removed senders' streams is counted anew.</summary>
    public void OnRemovalLearned(Instant now) => _lead.OnRemovalLearned(now);

    /// <summary>Tells a sender again what it already could know: its stream is stable.</summary>
    public void AnswerBeacon(StreamReceiver stream)
    {
        ulong stable = Math.Max(stream.Stable, stream.Cleanup);
        stream.Feedback = new AckBody(stable, stable, stable, Math.Max(1, stream.Feedback.ActiveStreams), 0);
        _acks.Add(stream);
    }

    /// <summary>Takes one datagram of a token.</summary>
    public RejectReason OnToken(in DatagramHeader header, ReadOnlySpan<byte> body, Instant now)
    {
        if (!_in.TryReadHop(body, out TokenHop hop, out ReadOnlySpan<byte> part)) return RejectReason.Malformed;
        if (hop.To != _region.Self || Members[hop.From].Number.Key != header.Sender) return RejectReason.UnknownSender;
        if (Members[hop.From].IsRemoved) return RejectReason.RemovedSender;
        if (!_lead.Reaches(hop, _walk.Round, now)) return RejectReason.BeyondWindow;
        _in.Take(hop, part);
        if (!_in.IsWhole) return RejectReason.None;

        if (hop.Epoch == _lead.Epoch && hop.Leader > _lead.Leader) HearThatLeaderIsGone(now);
        bool stale = !(_lead.IsOf(hop) ? _walk.IsBehind(hop) : _lead.YieldsTo(hop));
        // Known to be good before the token in hand makes way for it: a hop of that one may still wait for its answer.
        if (!stale && (!TryReadArrived() || _walk.IsMisplaced(_arrived, hop))) return RejectReason.Malformed;
        if (!stale && _arrived.Removed.BinarySearch(_region.Self) >= 0) return RejectReason.RemovedSender;
        // Acknowledged once it is known to be good, stale or not: the sender of the hop must not wait for what was done already.
        _acks.AddHop(hop);
        if (hop.Leader != _lead.Leader && IsLeader) _node.Probes.Hit(stale ? Mark.OtherLeaderIgnored : Mark.LeaderYielded);
        if (hop.Parts > 1) _node.Probes.Hit(Mark.TokenOfSeveralDatagrams);
        if (stale)
        {
            _node.Probes.Hit(Mark.StaleToken);
            return RejectReason.None;
        }
        _isHandling = true;
        Take(hop, now);
        _walk.Continue(hop.From, now);
        _isHandling = false;
        return RejectReason.None;
    }

    /// <summary>Takes the acknowledgement of a hop.</summary>
    public RejectReason OnTokenAck(in DatagramHeader header, ReadOnlySpan<byte> body, Instant now)
    {
        var reader = new WireReader(body);
        TokenHop hop = TokenHop.Read(ref reader, Members.Length, _in.AckSkipped);
        if (!reader.IsAtEnd) return RejectReason.Malformed;
        if (Members[hop.To].Number.Key != header.Sender) return RejectReason.UnknownSender;
        if (hop.From == _region.Self)
        {
            _silence.OnAnswered(hop.To);
            _node.Suspicions.OnAnswered(Members[hop.To].Number.Key);
            _node.Counters.Answers++;
        }
        _walk.OnAcknowledged(hop, now);
        return RejectReason.None;
    }

    /// <summary>Adds the members that hold the ring up, as long as it has something to do.</summary>
    public void Observe(NodeObservations observed, Instant now)
    {
        if (_region.IsActive || (IsLeader && NeedsRound)) _silence.Collect(_region.View, observed, now);
    }

    public void Close()
    {
        _pace.Cancel();
        _lead.StopWatching();
        _walk.Stop();
        _acks.Close();
    }

    private bool NeedsRound
    {
        get
        {
            foreach (StreamReceiver stream in _region.Streams)
            {
                if (stream.NeedsRound(Term)) return true;
            }
            return false;
        }
    }

    private NodeInfo[] Members => _region.View.Members;

    /// <summary>Takes up the token that has arrived, which is newer than all before.</summary>
    private void Take(in TokenHop hop, Instant now)
    {
        bool isNextRound = hop.Round != _walk.Round;
        // Somebody has given this member up and gone on without waiting for its hop; where that left it unanswered, it may be for good.
        if (_walk.Waiting is { } open && (hop.Leader != _lead.Leader || isNextRound))
        {
            _silence.OnUnanswered(open, now);
            if (!Members[open].IsRemoved) _node.Suspicions.OnUnanswered(Members[open].Number.Key, now);
        }
        _silence.OnListed(_in.Skipped, now);
        if (isNextRound || !_lead.IsOf(hop)) _silence.OnRound(now);
        _lead.Follow(hop, isNextRound, now);
        _walk.TakeUp(hop, _in.Skipped, ref _arrived);
        // A round begun here is over when somebody else leads: were it waited for, none would begin when the lead comes back.
        _inFlight &= IsLeader;
        _lastTokenAt = now;
        HearRemovals(_walk.Token, now);
        if (isNextRound) Tell(_walk.Token.Told, now);
        if (!IsLeader) _lead.Watch(now);
    }

    private void Tell(LagList behind, Instant now)
    {
        if (behind != Behind) Behind.CopyFrom(behind);
        _node.Events.OnRoundTold(_region.View, Behind, now);
    }

    private bool TryReadArrived() => _arrived.TryRead(_in.Bytes, Members.Length, _region.View.Partitions.Count);

    /// <summary>
    /// A token of a leader that comes after the one known here, in the same epoch: stale, unless the one known here is removed, and nobody has told
    /// yet but this token.
    /// </summary>
    private void HearThatLeaderIsGone(Instant now)
    {
        if (!TryReadArrived() || _arrived.Removed.BinarySearch(_lead.Leader) < 0 || IsLeader) return;
        _isHandling = true;
        HearRemovals(_arrived, now);
        _isHandling = false;
    }

    /// <summary>Whoever the token says is removed counts as removed from this instant: members, and senders that are no members.</summary>
    private void HearRemovals(Token token, Instant now)
    {
        foreach (int member in token.Removed)
        {
            if (member != _region.Self && !Members[member].IsRemoved) _node.Events.OnRemovalHeard(Members[member], now);
        }
        for (int index = 0; index < token.StreamCount; index++)
        {
            if (token[index].IsOrphan) _region.Removed.Hear(token[index].Sender, now);
        }
    }

    private void PaceNext(Instant now)
    {
        Instant earliest = _startedAt == Instant.Zero || _wish == FeedbackUrgency.Immediate ? now : _startedAt + Distance;
        if (earliest <= now && !_isHandling) StartRound(now);
        else _pace.SetIfEarlier(earliest);
    }

    // Between the starts of two rounds, while no sender wants one at once.
    private TimeSpan Distance
    {
        get
        {
            RecoverySettings settings = _node.Settings;
            return _wish == FeedbackUrgency.Low ? settings.LongestTokenInterval : settings.MinTokenInterval;
        }
    }

    private void StartRound(Instant now)
    {
        if (_inFlight || !IsLeader) return;
        _pace.Cancel();
        ulong round = Math.Max(_myRound, _walk.Round) + 1;
        if (!_walk.TryBegin(round, now)) return;
        _walk.Token.Told.CopyFrom(Behind);
        _wish = FeedbackUrgency.Low;
        _inFlight = true;
        _startedAt = now;
        _roundEra = _lead.Era;
        _myRound = round;
        _silence.OnRound(now);
        _lead.StopWatching();
        _walk.Start(now);
        if (_inFlight) _lead.WatchOwnRound(now);
    }

    /// <summary>The token is back: what it tells is judged, and the next round is paced if one is needed.</summary>
    private void OnWalkEnded(Instant now)
    {
        if (!_inFlight || _walk.Round != _myRound) return;
        _inFlight = false;
        _lead.OnRoundEnded();
        RecoveryCounters counters = _node.Counters;
        TimeSpan took = now - _startedAt;
        counters.TokenRoundTrip = counters.TokenRounds == 0 ? took : TimeSpan.FromTicks(((counters.TokenRoundTrip.Ticks * 7) + took.Ticks) / 8);
        counters.TokenRounds++;
        if (!_walk.Token.Complete) _node.Probes.Hit(Mark.RoundIncomplete);
        _lag.Conclude(_walk.Token, _plan.Skipped, Behind);
        Tell(Behind, now);
        bool isWell = _verdict.Judge(_walk.Token, _myRound, _roundEra == _lead.Era ? _lead.Era : 0, now);
        if (!isWell && _wish < FeedbackUrgency.Normal) _wish = FeedbackUrgency.Normal;
        _node.Probes.Hit(isWell ? Mark.RoundAllWell : Mark.RoundLeftBehind);
        if (NeedsRound) PaceNext(now);
    }

    /// <summary>No token for too long while data is unstable: take the lead, or, as leader, start over.</summary>
    private void OnPatienceEnded(Instant now)
    {
        if (!IsLeader && !_region.IsActive) return;
        if (!IsLeader)
        {
            _lead.TakeOver();
        }
        else if (!_inFlight || now - _lastTokenAt < _lead.PatienceOfFirst)
        {
            // The round is alive: it passed here a moment ago.
            if (_inFlight) _lead.WatchOwnRound(now);
            return;
        }
        if (_inFlight) _node.Probes.Hit(Mark.TokenLostAndRebuilt);
        _lead.BeginEpoch();
        _inFlight = false;
        _walk.Stop();
        StartRound(now);
    }
}
