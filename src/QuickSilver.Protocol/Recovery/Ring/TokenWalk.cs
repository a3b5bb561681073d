using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Ring;

/// <summary>
/// The way of one round's token through the members, as far as this member decides it: the work on the token here, its
/// next member, and the members that are skipped.
/// <para>
/// Idea: the token walks the members of partition 0 in order and returns to the first of them. It then walks partition
/// 1, and so on, and ends at the leader: m members and k partitions make m + k hops.
/// </para>
/// <para>
/// Awkward cases: a member that answers none of a hop's sends is skipped. The round is then incomplete: it may raise no
/// stability. A member skipped twice in a row gets a single send a round until it answers, or a few where rounds are
/// far apart. If it was to begin its partition's walk, the next member does.
/// </para>
/// <para>
/// Ways around: only the way between two members may be broken. The member that the token visits after a skipped one
/// tries that one too, with a single send, and takes the token back from there. For the last of the walk, the member at
/// which it began does. If such a try was in vain, this member tries nobody for a second. When a token cannot return to
/// the beginning of its walk, the member that it came from closes the walk. When it cannot return to its leader, that
/// member brings it there. If that is in vain as well, the walk is closed where the token is, or the round is lost.
/// </para>
/// Cost: a hop is linear in active streams and bounded lists; nothing is allocated once buffers have grown. Source:
/// first paper, section 2.2, Figures 6 and 7; acknowledged hops and skipping are new here.
/// </summary>
internal sealed class TokenWalk
{
    private const int Nobody = -1;
    private static readonly TimeSpan DetourPause = TimeSpan.FromSeconds(1);

    private readonly RecoveryContext _node;
    private readonly RegionState _region;
    private readonly RingParts _parts;
    private readonly RingPlan _plan;
    private readonly RingLeadership _lead;
    private readonly SilentMembers _silence;
    private readonly OwnLag _lag;
    private readonly Action<Instant> _ended;
    private readonly TokenVisit _visit;
    private readonly TokenHopOut _out;
    private readonly byte[] _skips;
    private uint _hop;
    private int _giver = Nobody;
    private int _detour = Nobody;
    private TokenPhase _broughtIn;
    private bool _isBrought;
    private (uint Epoch, ulong Round) _visitedIn;
    private Instant _nextDetourAt;

    /// <summary>Begins before any token was met.</summary>
    /// <param name="node">The recovery of this node.</param>
    /// <param name="region">The recovery of the view.</param>
    /// <param name="parts">What the walk sets in motion.</param>
    /// <param name="plan">The order in which the present round visits members.</param>
    /// <param name="lead">Decides the leader.</param>
    /// <param name="silence">Records members that do not answer.</param>
    /// <param name="lag">Adds this member's own entry to the list of members that are behind.</param>
    /// <param name="ended">Called when the token is here and its walk is over.</param>
    public TokenWalk(
        RecoveryContext node,
        RegionState region,
        RingParts parts,
        RingPlan plan,
        RingLeadership lead,
        SilentMembers silence,
        OwnLag lag,
        Action<Instant> ended)
    {
        _node = node;
        _region = region;
        _parts = parts;
        _plan = plan;
        _lead = lead;
        _silence = silence;
        _lag = lag;
        _ended = ended;
        _visit = new TokenVisit(node, region, parts, lag);
        _out = new TokenHopOut(node, region, OnHopUnanswered);
        _skips = new byte[region.View.Members.Length];
    }

    /// <summary>The token in hand, or as it was when it left.</summary>
    public Token Token { get; private set; } = new();

    /// <summary>The round met last.</summary>
    public ulong Round { get; private set; }

    /// <summary>The member whose acknowledgement is awaited; null when none is.</summary>
    public int? Waiting => _out.Waiting;

    /// <summary>True for a member that did not answer this one's last hop to it.</summary>
    public bool HasSkipped(int member) => _skips[member] > 0;

    /// <summary>True when a hop of the same leader is ahead of the last one accepted.</summary>
    public bool IsBehind(in TokenHop hop)
    {
        if (hop.Round != Round) return hop.Round > Round;
        return hop.Hop > _hop;
    }

    /// <summary>True when a token's phase excludes this member as the addressee of its hop.</summary>
    public bool IsMisplaced(Token token, in TokenHop hop) =>
        (token.Phase == TokenPhase.Walk && token.Partition != _region.View.Partitions.OfMember(_region.Self))
        || (token.Phase == TokenPhase.Done && hop.From == hop.Leader);

    /// <summary>On the leader: makes the token of a new round.</summary>
    /// <returns>False when no stream needs one; then no round has begun.</returns>
    public bool TryBegin(ulong round, Instant now)
    {
        Debug.Assert(_lead.IsHere, "the leader alone begins rounds");
        Debug.Assert(round > Round, "rounds rise");
        if (!_visit.Begin(Token, round, _lead.Term, now)) return false;
        // A hop of the round before may still be awaited: its timeout does not concern the new token.
        _out.Cancel();
        Round = round;
        _hop = 0;
        _giver = _detour = Nobody;
        _broughtIn = TokenPhase.Walk;
        _isBrought = false;
        _plan.Begin(null);
        EnterPartition(_plan.PartitionFrom(0));
        return true;
    }

    /// <summary>On the leader: sends the token of a new round on its way.</summary>
    public void Start(Instant now) => ContinueFrom(Token.PartitionLead, now);

    /// <summary>
    /// Takes up a token that is newer than all before, in exchange for the one in hand, and gives up the hop under way.
    /// </summary>
    public void TakeUp(in TokenHop hop, List<int> skipped, ref Token token)
    {
        Debug.Assert(hop.To == _region.Self && hop.From != _region.Self, "the hop is another member's, to this one");
        Debug.Assert(_lead.IsOf(hop), "the leader of the hop is followed first");
        (Token, token) = (token, Token);
        _out.Cancel();
        _plan.Begin(skipped);
        _isBrought = Token.Phase == TokenPhase.Walk && _plan.Visit(_region.Self);
        if (_isBrought)
        {
            _node.Probes.Reached("a token visits a member that another could not reach");
            Token.Complete |= _plan.IsWhole();
        }
        _giver = hop.From;
        _detour = Nobody;
        _broughtIn = Token.Phase;
        Round = hop.Round;
        _hop = hop.Hop;
    }

    /// <summary>Does this member's work on the token in hand, then sends it on.</summary>
    /// <param name="before">The member whose visit the token brings; <see cref="Nobody"/> when it begins a partition
    /// here, or only ends one.</param>
    /// <param name="now">The time of the visit.</param>
    public void Continue(int before, Instant now)
    {
        Debug.Assert(before == Nobody || before != _region.Self, "a token does not come from its own visit");
        Debug.Assert(_out.Waiting is null, "a token in hand is at no other member");
        while (true)
        {
            switch (Token.Phase)
            {
                case TokenPhase.Walk:
                    // One that went around, and is back, has begun before.
                    bool isBack = _visitedIn == (_lead.Epoch, Round);
                    _visitedIn = (_lead.Epoch, Round);
                    _visit.Visit(Token, Token.PartitionLead == _region.Self && !isBack, before, now);
                    if (TryReturn(now) || TryDetourFrom(before, now) || TryGoOn(now)) return;
                    break;
                case TokenPhase.Close:
                    if (Token.PartitionLead == _region.Self && IsOfWalk(before) && before > _region.Self
                        && TryDetour(before, int.MaxValue, now)) return;
                    _visit.ClosePartition(Token, _plan.IsWhole(Token.Partition));
                    if (!EnterNextPartition(now)) return;
                    break;
                default:
                    if (_lead.IsHere) _ended(now);
                    else Send(_lead.Leader, now);
                    return;
            }
        }
    }

    /// <summary>A hop of this member was acknowledged, in time or late.</summary>
    public void OnAcknowledged(in TokenHop hop, Instant now)
    {
        if (_out.WaitedFor(hop, now) is { } waited) _lag.OnAnswered(hop.To, waited);
        bool isKnown = _out.Pace.OnAnswered(hop, now);
        _region.Ring.UsualRoundTrip = _out.Pace.Usual;
        if (!_out.TryEnd(hop) && !isKnown) return;
        if (_skips[hop.To] > 0) _node.Probes.Reached("a member that was skipped answers again");
        _skips[hop.To] = 0;
    }

    /// <summary>Cancels the wait for an acknowledgement.</summary>
    public void Stop() => _out.Cancel();

    private bool IsOfWalk(int member) =>
        member != Nobody && _region.View.Partitions.OfMember(member) == Token.Partition;

    /// <summary>Sends the token to the next member of the walk, or to the one at which it began.</summary>
    /// <returns>False when the walk ends here.</returns>
    private bool TryGoOn(Instant now)
    {
        int next = _plan.NextInPartition(_region.Self);
        if (next < 0)
        {
            Token.Phase = TokenPhase.Close;
            if (Token.PartitionLead == _region.Self) return false;
            next = Token.PartitionLead;
        }
        Send(next, now);
        return true;
    }

    // A member that was skipped, and is visited after all, knows only one that it certainly reaches.
    private bool TryReturn(Instant now)
    {
        if (!_isBrought || _giver <= _region.Self) return false;
        Send(_giver, now);
        return true;
    }

    // The second of the walk looks for those that were to begin it, too. Those that this member has skipped itself are
    // left to others.
    private bool TryDetourFrom(int before, Instant now)
    {
        if (before == Nobody) return false;
        bool isWithin = IsOfWalk(before) && before < _region.Self && before != Token.PartitionLead;
        return TryDetour(isWithin ? before : Nobody, _region.Self, now);
    }

    /// <summary>Sends the token to a member that another has skipped.</summary>
    private bool TryDetour(int after, int before, Instant now)
    {
        Debug.Assert(Token.Phase is TokenPhase.Walk or TokenPhase.Close, "detours belong to the walk of a partition");
        int member = now < _nextDetourAt ? Nobody : _plan.SkippedBetween(Token.Partition, after, before);
        if (member == Nobody) return false;
        if (Token.Phase == TokenPhase.Close)
        {
            // The one that comes compares with the member before it, which is this one.
            Token.Phase = TokenPhase.Walk;
            _visit.Visit(Token, firstOfPartition: false, after, now);
        }
        _detour = member;
        Send(member, now);
        return true;
    }

    private void EnterPartition(int partition)
    {
        Token.Phase = TokenPhase.Walk;
        Token.Partition = partition;
        Token.PartitionLead = _plan.LeadOf(partition);
        Debug.Assert(Token.PartitionLead >= 0, "a partition that is entered has a member to visit");
        TokenVisit.BeginPartition(Token);
    }

    /// <summary>Turns to the next partition, or to the end of the round.</summary>
    /// <returns>True when this member continues with the token; false when the token has left.</returns>
    private bool EnterNextPartition(Instant now)
    {
        int partition = _plan.PartitionFrom(Token.Partition + 1);
        if (partition >= 0) EnterPartition(partition);
        else Token.Phase = TokenPhase.Done;
        int to = partition >= 0 ? Token.PartitionLead : _lead.Leader;
        if (to == _region.Self) return true;
        Send(to, now);
        return false;
    }

    // The token goes on at a member that may be this one.
    private void ContinueFrom(int member, Instant now)
    {
        if (member == _region.Self) Continue(Nobody, now);
        else Send(member, now);
    }

    private void Send(int to, Instant now)
    {
        Debug.Assert(to != _region.Self, "a token is not sent to its holder");
        Debug.Assert((uint)to < (uint)_region.View.Members.Length, "a hop goes to a member of the view");
        _hop++;
        var hop = new TokenHop(_lead.Epoch, _lead.Leader, Round, _hop, _region.Self, to, 0, 1);
        bool isProbe = _skips[to] >= 2;
        int sends = isProbe ? _node.Settings.ProbeSends(_out.Pace.TimeoutOf(to)) : _node.Settings.HopSends;
        if (isProbe) _node.Probes.Reached("a member that was skipped twice gets its single send");
        TimeSpan? patience = to == _detour || IsBringing ? _out.Pace.TimeoutOfDetour : null;
        if (to == _detour) sends = 1;
        // When the list of silent members leaves no room, the round is lost, and the leader's timeout begins another.
        _out.Send(hop, Token, _plan.Skipped, sends, now, patience);
    }

    /// <summary>The addressed member does not answer: it is skipped in this round.</summary>
    private void OnHopUnanswered(int member, Instant now)
    {
        Debug.Assert(_out.Waiting is null, "the hop has ended");
        Debug.Assert(member != _region.Self, "no member waits for itself");
        if (member == _detour)
        {
            // It is left out already, and the one that skipped it accuses it.
            GoOnFromDetour(member, now);
            return;
        }
        _node.Counters.TokenSkips++;
        _silence.OnUnanswered(member, now);
        _lag.OnUnanswered(member, _out.Age(now), Token);
        if (_skips[member] < byte.MaxValue) _skips[member]++;
        bool isRemoved = _region.View.Members[member].IsRemoved;
        if (!isRemoved) _parts.Suspicions.OnUnanswered(_region.View.Members[member].Number.Key, now);
        switch (Token.Phase)
        {
            case TokenPhase.Walk:
                if (!isRemoved) Token.Complete = false;
                _plan.Skip(member);
                GoOnWithout(member, now);
                break;
            case TokenPhase.Close when CanBring(member):
                // It has been visited; only this member cannot reach it.
                _node.Probes.Reached("the walk of a partition returns by the member before");
                Send(_giver, now);
                break;
            case TokenPhase.Close:
                // The last member of the walk closes the partition in its lead's place.
                _node.Probes.Reached("the walk of a partition cannot return to where it began");
                Continue(Nobody, now);
                break;
            case TokenPhase.Done when CanBring(member):
                _node.Probes.Reached("a token returns to its leader by the member before");
                Send(_giver, now);
                break;
            default:
                // The leader is silent: the round is lost, and the ring's timeout decides the next leader.
                _node.Probes.Reached("a token cannot return to its leader");
                break;
        }
    }

    // True while this member takes a token to where another could not.
    private bool IsBringing => Token.Phase != TokenPhase.Walk && _broughtIn == Token.Phase && _giver != Nobody;

    // True when the member from which the token came may bring it to another, in whose phase it did not come.
    private bool CanBring(int to) =>
        _giver != Nobody && _giver != to && _broughtIn != Token.Phase && !_region.View.Members[_giver].IsRemoved;

    private void GoOnFromDetour(int member, Instant now)
    {
        _detour = Nobody;
        _nextDetourAt = now + DetourPause;
        // From the end of the walk it went to one behind this member, from within to one before.
        if (member > _region.Self) Token.Phase = TokenPhase.Close;
        else if (TryGoOn(now)) return;
        Continue(Nobody, now);
    }

    private void GoOnWithout(int member, Instant now)
    {
        Debug.Assert(Token.Phase == TokenPhase.Walk, "only the walk goes on without a member");
        int next = _plan.NextInPartition(member);
        if (member != Token.PartitionLead)
        {
            if (next < 0)
            {
                Token.Phase = TokenPhase.Close;
                next = Token.PartitionLead;
            }
            ContinueFrom(next, now);
            return;
        }
        // The walk had not begun.
        _node.Probes.Reached("the member at which a partition's walk begins does not answer");
        if (next >= 0)
        {
            Token.PartitionLead = next;
            ContinueFrom(next, now);
        }
        else if (EnterNextPartition(now))
        {
            Continue(Nobody, now);
        }
    }
}
