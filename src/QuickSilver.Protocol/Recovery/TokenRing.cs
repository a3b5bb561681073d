using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery;

/// <summary>
/// The token ring of one region view, as one member runs it.
///
/// Idea: the leader (the lowest member that is not removed) starts a round; the token walks the members of partition 0 in order, returns to where
/// that walk began, walks partition 1,
/// and so on, and ends at the leader: m members and k partitions make m + k hops. At the end the leader tells every sender what is stable and how
/// far the slowest member has read, and the next
/// round tells the members. Rounds run while anything is unstable, one at a time, then one more that says so, then none.
///
/// Awkward cases: a hop not acknowledged is sent again, byte for byte; after four sends its member is skipped and the round is incomplete: it may
/// raise no stability. A member skipped
/// twice in a row gets a single send a round. A leader that falls silent while data is unstable is replaced by whoever's patience, longer for each
/// rank, ends first: it takes
/// epoch + 1, and the higher epoch (then the lower rank) wins; tokens of the others are acknowledged and dropped.
/// Cost: a visit is linear in active streams and bounded lists; nothing is allocated once buffers have grown.
/// Source: first paper, section 2.2, Figures 6-8; pacing by need, hop acknowledgements and takeover are ours.
/// </summary>
internal sealed class TokenRing
{
    private readonly Recoverer _node;
    private readonly RegionRecovery _region;
    private readonly TokenVisit _visit;
    private readonly TokenHopIn _in;
    private readonly TokenHopOut _out;
    private readonly AckFeed _acks;
    private readonly Token _token = new();
    private readonly Token _peeked = new();
    private readonly Alarm _pace;
    private readonly Alarm _watch;
    private readonly byte[] _skips;
    private readonly RingPlan _plan;
    private readonly SilenceBook _silence;
    private readonly LeaderPatience _patience;
    private readonly RoundVerdict _verdict;
    private uint _epoch;
    private int _leader;
    private ulong _round;
    private uint _hop;
    private ulong _myRound;
    private int _reign = 1;
    private int _roundReign;
    private bool _inFlight;
    private bool _isHandling;
    private bool _feedbackWanted;
    private Instant _startedAt;
    private Instant _lastTokenAt;

    public TokenRing(Recoverer node, RegionRecovery region)
    {
        _node = node;
        _region = region;
        _plan = new RingPlan(region.View);
        _visit = new TokenVisit(node, region);
        _in = new TokenHopIn(region.View.Members.Length, node.Probes);
        _out = new TokenHopOut(node, region, OnHopUnanswered);
        _acks = new AckFeed(node, region);
        _verdict = new RoundVerdict(node, region, _acks);
        _patience = new LeaderPatience(node.Settings, node.Counters);
        _pace = new Alarm(node.Alarms, StartRound);
        _watch = new Alarm(node.Alarms, OnTokenOverdue);
        _skips = new byte[region.View.Members.Length];
        _silence = new SilenceBook(region.View.Members.Length);
        _leader = _plan.FirstLive();
    }

    /// <summary>True when this member starts the rounds.</summary>
    public bool IsLeader => _leader == _region.Self;

    /// <summary>True for a member that did not answer lately: to this member, or as the last token here said.</summary>
    public bool IsSilent(int member) => _skips[member] > 0 || _in.Skipped.Contains(member);

    /// <summary>True when the round seen last had skipped somebody by the time it came here.</summary>
    public bool SkipsSomebody => _plan.Skipped.Count > 0;

    /// <summary>The usual round trip of this member's hops.</summary>
    public TimeSpan UsualRoundTrip => _out.Pace.Usual;

    /// <summary>Counts the times that this member came to lead, or somebody else did.</summary>
    public int Term { get; private set; } = 1;

    /// <summary>Data is unstable; <paramref name="feedbackWanted"/> when its sender has used half of its window and should hear soon.</summary>
    public void OnUnstable(bool feedbackWanted, Instant now)
    {
        OnNodesRemoved();
        if (!IsLeader)
        {
            if (_watch.IsSet) return;
            _silence.OnBegun();
            Watch(now);
            return;
        }
        if (!_inFlight && !_pace.IsSet) _silence.OnBegun();
        _feedbackWanted |= feedbackWanted;
        if (!_inFlight && (feedbackWanted || !_pace.IsSet)) PaceNext(now);
    }

    /// <summary>Members may be gone from the cluster: the lowest that is left leads, if it was the leader.</summary>
    public void OnNodesRemoved()
    {
        if (!Members[_leader].IsRemoved) return;
        _leader = _plan.FirstLive();
        _node.Probes.Hit(Mark.LeaderRemoved);
        BeginTerm();
    }

    /// <summary>A removal was not known until now: what rounds have found out about removed senders' streams is counted anew.</summary>
    public void OnRemovalLearned(Instant now)
    {
        _reign++;
        OnNodesRemoved();
        // The token may have been lost with who was removed, and what earlier leaders failed at may be over with it.
        _patience.OnRemoval();
        if (_watch.IsSet) _watch.SetIfEarlier(now + (_patience.OfFirst * (_plan.RankOf(_region.Self) + 1)));
    }

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
        RejectReason reason = _in.Take(body, out TokenHop hop);
        if (reason != RejectReason.None) return reason;
        if (hop.To != _region.Self || _region.View.Members[hop.From].Number.Key != header.Sender) return RejectReason.UnknownSender;
        if (_region.View.Members[hop.From].IsRemoved) return RejectReason.RemovedSender;
        if (!_in.IsWhole) return RejectReason.None;

        if (hop.Epoch == _epoch && hop.Leader > _leader) HearThatLeaderIsGone(now);
        bool stale = !IsNewer(hop);
        if (!stale && !_token.TryRead(_in.Bytes, _region.View.Members.Length, Map.Count)) return RejectReason.Malformed;
        if (!stale && _token.Removed.BinarySearch(_region.Self) >= 0) return RejectReason.RemovedSender;
        // Acknowledged once it is known to be good, stale or not: the sender of the hop must not wait for what was done already.
        _acks.AddHop(hop);
        if (hop.Leader != _leader && IsLeader) _node.Probes.Hit(stale ? Mark.OtherLeaderIgnored : Mark.LeaderYielded);
        if (hop.Parts > 1) _node.Probes.Hit(Mark.TokenOfSeveralDatagrams);
        if (stale)
        {
            _node.Probes.Hit(Mark.StaleToken);
            return RejectReason.None;
        }
        _isHandling = true;
        Take(hop, now);
        RejectReason outcome = IsMisplaced() ? RejectReason.Malformed : RejectReason.None;
        if (outcome == RejectReason.None) Continue(hop.From, now);
        _isHandling = false;
        return outcome;
    }

    /// <summary>Takes up a token that is newer than all before.</summary>
    private void Take(in TokenHop hop, Instant now)
    {
        if (hop.Leader != _leader) BeginTerm();
        // Somebody has given this member up and gone on without waiting for its hop; where that left it unanswered, it may be for good.
        if (_out.Waiting is { } open && (hop.Leader != _leader || hop.Round != _round)) _silence.OnUnanswered(open, now);
        _out.Cancel();
        _plan.Begin(_in.Skipped);
        _silence.OnListed(_in.Skipped, now);
        NoteRound(hop, now);
        _epoch = hop.Epoch;
        _leader = hop.Leader;
        // A round begun here is over when somebody else leads: were it waited for, none would begin when the lead comes back.
        _inFlight &= IsLeader;
        _round = hop.Round;
        _hop = hop.Hop;
        _lastTokenAt = now;
        HearRemovals(_token, now);
        if (!IsLeader) Watch(now);
    }

    /// <summary>
    /// A token of a leader that comes after the one known here, in the same epoch: stale, unless the one known here is removed, and nobody has told
    /// yet but this token.
    /// </summary>
    private void HearThatLeaderIsGone(Instant now)
    {
        if (!_peeked.TryRead(_in.Bytes, Members.Length, Map.Count) || _peeked.Removed.BinarySearch(_leader) < 0 || IsLeader) return;
        _isHandling = true;
        HearRemovals(_peeked, now);
        _isHandling = false;
    }

    /// <summary>True when the token is in a phase in which this member should not have it.</summary>
    private bool IsMisplaced() =>
        (_token.Phase == TokenPhase.Walk && _token.Partition != Map.OfMember(_region.Self)) || (_token.Phase == TokenPhase.Done && !IsLeader);

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

    /// <summary>Takes the acknowledgement of a hop.</summary>
    public RejectReason OnTokenAck(in DatagramHeader header, ReadOnlySpan<byte> body, Instant now)
    {
        var reader = new WireReader(body);
        TokenHop hop = TokenHop.Read(ref reader, _region.View.Members.Length, _in.AckSkipped);
        if (!reader.IsAtEnd) return RejectReason.Malformed;
        if (_region.View.Members[hop.To].Number.Key != header.Sender) return RejectReason.UnknownSender;
        if (hop.From == _region.Self)
        {
            _silence.OnAnswered(hop.To);
            _node.Counters.Answers++;
        }
        bool isLast = _out.Pace.OnAnswered(hop, now);
        if (!_out.Answered(hop) && !isLast) return RejectReason.None;
        if (_skips[hop.To] > 0) _node.Probes.Hit(Mark.SkippedMemberBack);
        _skips[hop.To] = 0;
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
        _watch.Cancel();
        _out.Cancel();
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

    private PartitionMap Map => _region.View.Partitions;

    private NodeInfo[] Members => _region.View.Members;

    /// <summary>
    /// Higher epoch first, then lower rank, then round and hop. A removed leader's rank counts for nothing: what is left of its last round would be
    /// taken a second time, now that its successor, of a higher rank, is known.
    /// </summary>
    private bool IsNewer(in TokenHop hop)
    {
        if (hop.Epoch != _epoch) return hop.Epoch > _epoch;
        if (hop.Leader != _leader) return Members[_leader].IsRemoved || (hop.Leader < _leader && !Members[hop.Leader].IsRemoved);
        if (hop.Round != _round) return hop.Round > _round || _node.Probes.Breaks(Sabotage.TokenRoundUnchecked);
        return hop.Hop > _hop;
    }

    private void PaceNext(Instant now)
    {
        Instant earliest = _startedAt == Instant.Zero || _feedbackWanted ? now : _startedAt + _node.Settings.MinTokenInterval;
        if (earliest <= now && !_isHandling) StartRound(now);
        else _pace.SetIfEarlier(earliest);
    }

    private void StartRound(Instant now)
    {
        if (_inFlight || !IsLeader) return;
        _pace.Cancel();
        ulong round = Math.Max(_myRound, _round) + 1;
        if (!_visit.Begin(_token, round, Term, now)) return;
        _feedbackWanted = false;
        _inFlight = true;
        _startedAt = now;
        _roundReign = _reign;
        _myRound = round;
        _round = _myRound;
        _silence.OnRound(now);
        _hop = 0;
        _plan.Begin(null);
        _token.Partition = _plan.PartitionFrom(0);
        _token.PartitionLead = _plan.LeadOf(_token.Partition);
        TokenVisit.BeginPartition(_token);
        _watch.Cancel();
        if (_token.PartitionLead == _region.Self) Continue(-1, now);
        else Send(_token.PartitionLead, now);
        if (_inFlight) _watch.SetIfEarlier(now + _patience.OfFirst);
    }

    /// <summary>
    /// Does what is this member's to do with the token in hand, then sends it on. <paramref name="before"/> is the member it came from.
    /// </summary>
    private void Continue(int before, Instant now)
    {
        while (true)
        {
            switch (_token.Phase)
            {
                case TokenPhase.Walk:
                    bool first = _token.PartitionLead == _region.Self;
                    _visit.Visit(_token, first, before, now);
                    int next = _plan.NextInPartition(_region.Self);
                    if (next >= 0)
                    {
                        Send(next, now);
                        return;
                    }
                    _token.Phase = TokenPhase.Close;
                    if (!first)
                    {
                        Send(_token.PartitionLead, now);
                        return;
                    }
                    break;
                case TokenPhase.Close:
                    _visit.ClosePartition(_token, _plan.IsWhole(_token.Partition));
                    if (!EnterNextPartition(now)) return;
                    break;
                default:
                    EndRound(now);
                    return;
            }
        }
    }

    /// <summary>Turns to the next partition, or to the end of the round.</summary>
    /// <returns>True when this member goes on with it; false when the token has left.</returns>
    private bool EnterNextPartition(Instant now)
    {
        int partition = _plan.PartitionFrom(_token.Partition + 1);
        int to;
        if (partition >= 0)
        {
            _token.Phase = TokenPhase.Walk;
            _token.Partition = partition;
            to = _token.PartitionLead = _plan.LeadOf(partition);
            TokenVisit.BeginPartition(_token);
        }
        else
        {
            _token.Phase = TokenPhase.Done;
            to = _leader;
        }
        if (to == _region.Self) return true;
        Send(to, now);
        return false;
    }

    private void EndRound(Instant now)
    {
        if (!_inFlight || _round != _myRound) return;
        _inFlight = false;
        _patience.OnFinished();
        _watch.Cancel();
        RecoveryCounters counters = _node.Counters;
        TimeSpan took = now - _startedAt;
        counters.TokenRoundTrip = counters.TokenRounds == 0 ? took : TimeSpan.FromTicks(((counters.TokenRoundTrip.Ticks * 7) + took.Ticks) / 8);
        counters.TokenRounds++;
        if (!_token.Complete) _node.Probes.Hit(Mark.RoundIncomplete);
        _verdict.Judge(_token, _myRound, _roundReign == _reign ? _reign : 0, now);
        if (NeedsRound) PaceNext(now);
    }

    private void Send(int to, Instant now)
    {
        _hop++;
        var hop = new TokenHop(_epoch, _leader, _round, _hop, _region.Self, to, 0, 1);
        int sends = _skips[to] >= 2 ? 1 : _node.Settings.HopSends;
        if (sends == 1) _node.Probes.Hit(Mark.MemberProbed);
        _out.Send(hop, _token, _plan.Skipped, sends, now);
    }

    /// <summary>The member addressed does not answer: it is left out of this round.</summary>
    private void OnHopUnanswered(int member, Instant now)
    {
        _node.Counters.TokenSkips++;
        _silence.OnUnanswered(member, now);
        if (_skips[member] < byte.MaxValue) _skips[member]++;
        _node.Probes.Hit(Mark.HopSkipped);
        if (!Members[member].IsRemoved && !_node.Probes.Breaks(Sabotage.SkippedCountsAsVisited)) _token.Complete = false;
        _plan.Skip(member);
        switch (_token.Phase)
        {
            case TokenPhase.Walk when member == _token.PartitionLead:
                // The walk had not begun.
                _node.Probes.Hit(Mark.PartitionLeadSkipped);
                int lead = _plan.NextInPartition(member);
                if (lead >= 0)
                {
                    _token.PartitionLead = lead;
                    if (lead == _region.Self) Continue(-1, now);
                    else Send(lead, now);
                }
                else if (EnterNextPartition(now))
                {
                    Continue(-1, now);
                }
                break;
            case TokenPhase.Walk:
                int next = _plan.NextInPartition(member);
                if (next >= 0)
                {
                    Send(next, now);
                    break;
                }
                _token.Phase = TokenPhase.Close;
                if (_token.PartitionLead == _region.Self) Continue(-1, now);
                else Send(_token.PartitionLead, now);
                break;
            case TokenPhase.Close:
                // Whoever walked last closes the partition in its lead's place.
                _node.Probes.Hit(Mark.PartitionClosedByAnother);
                Continue(-1, now);
                break;
            default:
                // The leader is silent: the round is lost, and its patience will tell who leads next.
                _node.Probes.Hit(Mark.RoundLostWithLeader);
                break;
        }
    }

    private void BeginTerm()
    {
        Term++;
        _reign++;
    }

    /// <summary>Learns from a token how long rounds take, as seen from here, and whether they come to an end.</summary>
    private void NoteRound(in TokenHop hop, Instant now)
    {
        if (hop.Epoch != _epoch || hop.Leader != _leader || hop.Round != _round) _silence.OnRound(now);
        if (hop.Epoch != _epoch || hop.Leader != _leader) _patience.OnNewLeader(now);
        else if (hop.Round != _round) _patience.OnNextRound(_watch.IsSet, now);
    }

    private void Watch(Instant now)
    {
        if (!_region.IsActive)
        {
            _watch.Cancel();
            return;
        }
        TimeSpan patience = _patience.OfFirst * (_plan.RankOf(_region.Self) + 1);
        if (_node.Probes.Here(BuggifySite.TakeoverEarly)) patience /= 8;
        _watch.Set(now + patience);
    }

    /// <summary>No token for too long while data is unstable: take the lead, or, as leader, start over.</summary>
    private void OnTokenOverdue(Instant now)
    {
        if (!IsLeader && !_region.IsActive) return;
        if (!IsLeader)
        {
            _leader = _region.Self;
            BeginTerm();
            _node.Counters.Takeovers++;
            _node.Probes.Hit(Mark.LeadTakenOver);
        }
        else if (!_inFlight || now - _lastTokenAt < _patience.OfFirst)
        {
            // The round is alive: it passed here a moment ago.
            if (_inFlight) _watch.Set(now + _patience.OfFirst);
            return;
        }
        if (_inFlight) _node.Probes.Hit(Mark.TokenLostAndRebuilt);
        if (!_node.Probes.Breaks(Sabotage.TakeoverKeepsEpoch)) _epoch++;
        _patience.OnUnfinished();
        _inFlight = false;
        _out.Cancel();
        StartRound(now);
    }
}
