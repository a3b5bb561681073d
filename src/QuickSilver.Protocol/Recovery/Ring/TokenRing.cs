using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Ring;

/// <summary>
/// The token ring of one region view, as one member runs it: the start of rounds, the acceptance of tokens, and the use
/// of a round's results. <see cref="TokenWalk"/> passes the token, <see cref="RingLeadership"/> decides the leader,
/// <see cref="RoundVerdict"/> draws the leader's conclusions.
/// <para>
/// Idea: the leader starts a round, and the token visits the members and returns. The leader then reports to every
/// sender which packets are stable and how far the slowest member has read. The next round announces it to the members.
/// Rounds run one at a time while anything is unstable. One more announces the last result.
/// </para>
/// <para>
/// Pace: each hop wakes two members, so rounds are as far apart as the need for them allows. A sender with half of its
/// window in use gets a round at once. The usual interval applies when a sender waits for stability or has fallen
/// silent. It also applies when a member lacks packets sent before the last round, or that round skipped a member.
/// Otherwise, while data flows, a longer interval applies.
/// </para>
/// <para>
/// Awkward cases: tokens of other leaders, and of past rounds, are acknowledged and dropped. A token may list members
/// as removed whose removal this member does not know yet. They count as removed at once, and this member may become
/// the leader by it.
/// </para>
/// Cost: a token is linear in active streams and bounded lists; nothing is allocated once buffers have grown.
/// Source: first paper, section 2.2, Figures 6-8; pacing by need, hop acknowledgements and takeover are new here.
/// </summary>
internal sealed class TokenRing
{
    private readonly RecoveryContext _node;
    private readonly RegionState _region;
    private readonly RingParts _parts;
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
    private FeedbackUrgency _urgency;
    private Instant _startedAt;
    private Instant _lastTokenAt;

    public TokenRing(RecoveryContext node, RegionState region, RingParts parts)
    {
        _node = node;
        _region = region;
        _parts = parts;
        _plan = new RingPlan(region.View, region.Ring.Skipped);
        _lead = new RingLeadership(node, region, _plan, OnPatienceEnded);
        _silence = new SilentMembers(region.View.Members.Length);
        _lag = new OwnLag(node, region);
        _walk = new TokenWalk(node, region, parts, _plan, _lead, _silence, _lag, OnWalkEnded);
        _in = new TokenHopIn(region.View.Members.Length, node.Probes);
        _acks = new AckFeed(node, region);
        _verdict = new RoundVerdict(node, region, parts, _acks);
        _pace = new Alarm(node.Alarms, StartRound);
    }

    /// <summary>True when this member starts the rounds.</summary>
    public bool IsLeader => _lead.IsHere;

    /// <summary>
    /// True for a member that lately did not answer this member, or that the last token here lists as skipped.
    /// </summary>
    public bool IsSilent(int member) => _walk.HasSkipped(member) || _in.Skipped.Contains(member);

    /// <summary>The epoch known here.</summary>
    public uint Epoch => _lead.Epoch;

    /// <summary>The round met last.</summary>
    public ulong Round => _walk.Round;

    /// <summary>Smoothed duration of the rounds of this view that were led here; zero before the first.</summary>
    public TimeSpan RoundTrip { get; private set; }

    /// <summary>Number of times that the lead changed, as this member saw it.</summary>
    public int Term => _lead.Term;

    /// <summary>Data is unstable.</summary>
    /// <param name="urgency">The urgency of the sender's feedback.</param>
    /// <param name="now">The time of the event.</param>
    public void OnUnstable(FeedbackUrgency urgency, Instant now)
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
        // The packet after a silence is either alone or the first of many: a round costs little compared to the
        // silence.
        if (isFirst && urgency < FeedbackUrgency.Normal) urgency = FeedbackUrgency.Normal;
        if (urgency > _urgency) _urgency = urgency;
        if (!_inFlight && (isFirst || urgency > FeedbackUrgency.Low)) PaceNext(now);
    }

    /// <summary>
    /// A removal has become known: the rounds on removed senders' streams are counted from the start.
    /// </summary>
    public void OnRemovalLearned(Instant now) => _lead.OnRemovalLearned(now);

    /// <summary>Repeats to a sender that its stream is stable.</summary>
    public void AnswerBeacon(StreamReceiver stream)
    {
        ulong stable = Math.Max(stream.Lead.Stable, stream.Cleanup);
        stream.Lead.Feedback = new AckBody(stable, stable, stable, Math.Max(1, stream.Lead.Feedback.ActiveStreams), 0);
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
        // The new token is validated before it replaces the present one, whose hop may still await its answer.
        if (!stale && (!TryReadArrived() || _walk.IsMisplaced(_arrived, hop))) return RejectReason.Malformed;
        if (!stale && _arrived.Removed.BinarySearch(_region.Self) >= 0) return RejectReason.RemovedSender;
        // Acknowledged once it is valid, stale or not, so that the sender of the hop does not wait for a hop that has
        // arrived.
        _acks.AddHop(hop);
        if (hop.Leader != _lead.Leader && IsLeader)
            _node.Probes.Reached(
                stale
                    ? "a leader meets the token of another that counts less"
                    : "a leader meets the token of another and gives way");
        if (hop.Parts > 1) _node.Probes.Reached("a token needs more than one datagram");
        if (stale)
        {
            _node.Probes.Reached("a token comes that is older than one seen before");
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
            _parts.Suspicions.OnAnswered(Members[hop.To].Number.Key);
            _node.Counters.Answers++;
        }
        _walk.OnAcknowledged(hop, now);
        return RejectReason.None;
    }

    /// <summary>
    /// Adds the members that hold up the ring, while it has rounds to run. Only the leader may know what for: another
    /// member takes a token that came lately for a sign of it.
    /// </summary>
    public void Observe(NodeObservations observed, Instant now)
    {
        bool isVisited = _lastTokenAt != Instant.Zero && now - _lastTokenAt <= SilentMembers.GoodFor;
        if (isVisited || _region.IsActive || (IsLeader && NeedsRound)) _silence.Collect(_region.View, observed, now);
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

    /// <summary>This member's own entry in the list of those that are behind.</summary>
    internal OwnLag OwnLag => _lag;

    private LagList Behind => _region.Ring.Behind;

    private NodeInfo[] Members => _region.View.Members;

    /// <summary>Takes up the token that has arrived, which is newer than all before.</summary>
    private void Take(in TokenHop hop, Instant now)
    {
        Debug.Assert(_isHandling && _in.IsWhole, "a whole token is in hand");
        Debug.Assert(hop.To == _region.Self && hop.From != _region.Self, "the hop is another member's, to this one");
        bool isNextRound = hop.Round != _walk.Round;
        // Another member has skipped this one and gone on without waiting for its hop. A hop unanswered at that time
        // may stay so for good.
        if (_walk.Waiting is { } open && (hop.Leader != _lead.Leader || isNextRound))
        {
            _silence.OnUnanswered(open, now);
            if (!Members[open].IsRemoved) _parts.Suspicions.OnUnanswered(Members[open].Number.Key, now);
        }
        _silence.OnListed(_in.Skipped, now);
        if (isNextRound || !_lead.IsOf(hop)) _silence.OnRound(now);
        _lead.Follow(hop, isNextRound, now);
        _walk.TakeUp(hop, _in.Skipped, ref _arrived);
        // A round begun here is over when another member leads. If it were awaited, none would begin when the lead
        // returns.
        _inFlight &= IsLeader;
        _lastTokenAt = now;
        HearRemovals(_walk.Token, now);
        if (_silence.HasSkips && IsMoreStable(_walk.Token)) _silence.OnAllVisited();
        if (isNextRound) ReportRound(_walk.Token.Told, now);
        if (!IsLeader) _lead.Watch(now);
    }

    /// <summary>True when the round before has raised stability: it left nobody out.</summary>
    private bool IsMoreStable(Token token)
    {
        for (int index = 0; index < token.StreamCount; index++)
        {
            if (token[index].IsOrphan) continue;
            if (_region.Streams.Met(token[index].Sender) is { Orphan: null } stream
                && token[index].Cleanup > stream.Cleanup) return true;
        }
        return false;
    }

    private void ReportRound(LagList behind, Instant now)
    {
        if (behind != Behind) Behind.CopyFrom(behind);
        _node.Lags.Note(_region.View, Behind, now);
    }

    private bool TryReadArrived() =>
        _arrived.TryRead(_in.Bytes, Members.Length, _region.View.Partitions.Count);

    /// <summary>
    /// Handles a token of the same epoch whose leader ranks below the known one. It is stale, unless the known leader
    /// is removed and this token is the first to report it.
    /// </summary>
    private void HearThatLeaderIsGone(Instant now)
    {
        if (!TryReadArrived() || _arrived.Removed.BinarySearch(_lead.Leader) < 0 || IsLeader) return;
        _isHandling = true;
        HearRemovals(_arrived, now);
        _isHandling = false;
    }

    /// <summary>
    /// Members, and senders that are no members, count as removed from the time when the token lists them so.
    /// </summary>
    private void HearRemovals(Token token, Instant now)
    {
        foreach (int member in token.Removed)
        {
            if (member != _region.Self && !Members[member].IsRemoved) _node.Events.OnRemovalHeard(Members[member], now);
        }
        for (int index = 0; index < token.StreamCount; index++)
        {
            if (token[index].IsOrphan) _parts.Removed.Hear(token[index].Sender, now);
        }
    }

    private void PaceNext(Instant now)
    {
        bool isDue = _startedAt == Instant.Zero || _urgency == FeedbackUrgency.Immediate;
        Instant earliest = isDue ? now : _startedAt + Distance;
        if (earliest <= now && !_isHandling) StartRound(now);
        else _pace.SetIfEarlier(earliest);
    }

    // Interval between the starts of two rounds, while no sender wants one at once.
    private TimeSpan Distance
    {
        get
        {
            RecoverySettings settings = _node.Settings;
            return _urgency == FeedbackUrgency.Low ? settings.LongestTokenInterval : settings.MinTokenInterval;
        }
    }

    private void StartRound(Instant now)
    {
        if (_inFlight || !IsLeader) return;
        Debug.Assert(!_isHandling, "no round begins within a token's visit");
        _pace.Cancel();
        ulong round = Math.Max(_myRound, _walk.Round) + 1;
        if (!_walk.TryBegin(round, now)) return;
        _walk.Token.Told.CopyFrom(Behind);
        _urgency = FeedbackUrgency.Low;
        _inFlight = true;
        _startedAt = now;
        _roundEra = _lead.Era;
        _myRound = round;
        _silence.OnRound(now);
        _lead.StopWatching();
        _walk.Start(now);
        if (_inFlight) _lead.WatchOwnRound(now);
    }

    /// <summary>The token is back: its results are judged, and the next round is paced if one is needed.</summary>
    private void OnWalkEnded(Instant now)
    {
        if (!_inFlight || _walk.Round != _myRound) return;
        Debug.Assert(IsLeader, "a round under way is the leader's own");
        Debug.Assert(_walk.Token.Phase == TokenPhase.Done, "the token has walked all partitions");
        _inFlight = false;
        _lead.OnRoundEnded();
        RecoveryCounters counters = _node.Counters;
        TimeSpan took = now - _startedAt;
        TimeSpan smoothed = TimeSpan.FromTicks(((counters.TokenRoundTrip.Ticks * 7) + took.Ticks) / 8);
        counters.TokenRoundTrip = counters.TokenRounds == 0 ? took : smoothed;
        counters.TokenRounds++;
        RoundTrip = RoundTrip == TimeSpan.Zero ? took : TimeSpan.FromTicks(((RoundTrip.Ticks * 7) + took.Ticks) / 8);
        if (_walk.Token.Complete) _silence.OnAllVisited();
        else _node.Probes.Reached("a round ends that left somebody out");
        _lag.Conclude(_walk.Token, _plan.Skipped, Behind);
        ReportRound(Behind, now);
        bool isWell = _verdict.Judge(_walk.Token, _myRound, _roundEra == _lead.Era ? _lead.Era : 0, now);
        if (!isWell && _urgency < FeedbackUrgency.Normal) _urgency = FeedbackUrgency.Normal;
        _node.Probes.Reached(
            isWell
                ? "a round finds that all have what was sent before the round before it"
                : "a round finds a member behind or left one out");
        if (NeedsRound) PaceNext(now);
    }

    /// <summary>
    /// No token has come for too long while data is unstable: this member takes the lead or, as leader, starts over.
    /// </summary>
    private void OnPatienceEnded(Instant now)
    {
        if (!IsLeader && !_region.IsActive) return;
        if (!IsLeader)
        {
            _lead.TakeOver();
        }
        else if (!_inFlight || now - _lastTokenAt < _lead.PatienceOfFirst)
        {
            // The round is alive: its token passed here a moment ago.
            if (_inFlight) _lead.WatchOwnRound(now);
            return;
        }
        if (_inFlight) _node.Probes.Reached("a leader's token does not come back and it begins again");
        _lead.BeginEpoch();
        _inFlight = false;
        _walk.Stop();
        StartRound(now);
    }
}
