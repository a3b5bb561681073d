using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Ordering;

/// <summary>
/// Runs the present ring: what a node does with the token. Repairs and the first packets of a visit leave before the
/// token, the last ones after it. A token that seems to be lost is sent again by the node that had it. When two rounds
/// have brought nothing new the leader keeps the token, until it has something to send or another node says so.
/// <para>
/// Source: Spread's accelerated ring. The leader's keeping and the wake are Spread's "hurry". Core thread only.
/// </para>
/// </summary>
internal sealed class RingRunner
{
    private const int MostRepairs = 64;
    private const int LeastWindow = 8;
    private const int IdleRounds = 3;
    // The longest pause before a token, or a word that it is wanted, is sent again.
    private static readonly TimeSpan LongestPatience = TimeSpan.FromMilliseconds(320);

    private readonly OrderedParts _parts;
    private readonly RingPacker _packer;
    private readonly RingFeed _feed;
    private readonly RingToken _token = new();
    private readonly Alarm _resend;
    private readonly Alarm _wake;
    private TimeSpan _resendPause;
    private TimeSpan _wakePause;
    private Slice _sent;
    private Instant _sentAt;
    private Instant _wantedAt;
    private ulong _sentHop;
    private ulong _sentSequence;
    private ulong _hop;
    private ulong _sequenceBefore;
    private int _idleRounds;
    private int _visits;
    private bool _hasToken;
    private bool _keepsToken;
    private bool _wasQuiet;
    private bool _isWakeWanted;
    private bool _isVisitOver;

    public RingRunner(OrderedParts parts, RingPacker packer, RingFeed feed)
    {
        _parts = parts;
        _packer = packer;
        _feed = feed;
        _resend = new Alarm(parts.Mode.Alarms, Resend);
        _wake = new Alarm(parts.Mode.Alarms, _ => AskForToken());
    }

    /// <summary>The ring; null while there is none.</summary>
    public Ring? Ring { get; private set; }

    /// <summary>True once the rings before are concluded here: the token may be used, and messages delivered.</summary>
    public bool IsRunning { get; private set; }

    /// <summary>Called when the token comes a second time: all members have concluded the rings before.</summary>
    public Action<Instant> OnAllConcluded { get; set; } = static _ => { };

    /// <summary>Called while this node waits for a member that does not take the token, or does not give it
    /// away.</summary>
    public Action<NodeInfo, Instant> OnAwaited { get; set; } = static (_, _) => { };

    /// <summary>A new ring is known; nothing is done in it before <see cref="Start"/>.</summary>
    public void Enter(Ring ring)
    {
        Reset();
        Ring = ring;
        _parts.Counters.Rings++;
    }

    /// <summary>The rings before are concluded here.</summary>
    public void Start(Instant now)
    {
        Debug.Assert(Ring is not null && !IsRunning, "a ring is entered, and starts once");
        IsRunning = true;
        if (Ring!.IsLeader && !_hasToken && _hop == 0)
        {
            _token.Step = Ring.Id.Counter;
            _hasToken = true;
        }
        Ring.Delivery.Deliver(Ring.Turn.Stable, now);
        _feed.Wake();
    }

    /// <summary>There is no ring any more.</summary>
    public void Leave()
    {
        Reset();
        Ring = null;
    }

    /// <summary>There may be something to send, or a view waits for its place: the token is wanted.</summary>
    public void Kick()
    {
        if (!IsRunning) return;
        if (_keepsToken && IsTokenWanted(Ring!)) Resume();
        else if (_wasQuiet && !_hasToken && !_keepsToken) AskForToken();
    }

    /// <summary>Takes a token.</summary>
    public RejectReason OnToken(in OrderedTokenBody body, NodeInfo from, Instant now)
    {
        if (Ring is not { } ring || body.Ring != ring.Id) return RejectReason.None;
        if (from != ring.Previous) return RejectReason.UnknownSender;
        if (body.Hop <= _hop)
        {
            SendWord(body.Hop, from);
            return RejectReason.None;
        }
        bool isPossible = body.Sequence >= _token.Sequence && EndOf(body.Asked) <= body.Sequence + 1
            && (body.Sequence == 0 || body.Sequence <= ring.Log.UpTo || ring.Log.HasRoomFor(body.Sequence));
        if (!isPossible) return RejectReason.BeyondWindow;
        if (body.Hop > _sentHop) StopResending();
        _token.Read(body);
        _hop = body.Hop;
        _hasToken = true;
        _isWakeWanted = false;
        _wantedAt = Instant.Zero;
        _wake.Cancel();
        _feed.Wake();
        return RejectReason.None;
    }

    /// <summary>Takes a word about the token.</summary>
    public RejectReason OnWord(in OrderedWordBody word, NodeInfo from, Instant now)
    {
        if (Ring is not { } ring || word.Ring != ring.Id) return RejectReason.None;
        if (word.Hop > 0)
        {
            if (from == ring.Next && word.Hop >= _sentHop) StopResending();
            return RejectReason.None;
        }
        if (!ring.IsLeader) return RejectReason.None;
        _idleRounds = 0;
        if (_keepsToken) Resume();
        return RejectReason.None;
    }

    /// <summary>Takes a packet of the ring that was not here.</summary>
    public void OnPacket(ulong sequence, Instant now)
    {
        // A later member has had the token.
        if (sequence > _sentSequence) StopResending();
        if (IsRunning) Ring!.Delivery.Deliver(Ring.Turn.Stable, now);
    }

    /// <summary>A step is installed: what has waited for it is delivered.</summary>
    public void OnStep(Instant now)
    {
        if (IsRunning) Settle(now);
    }

    /// <summary>Visits the token, or settles what the last visit has shown.</summary>
    /// <returns>False when there is nothing to do.</returns>
    public bool Work(Instant now)
    {
        if (!IsRunning) return false;
        if (_isWakeWanted)
        {
            SendWake(now);
            return true;
        }
        if (_isVisitOver) return SettleVisit(now);
        if (!_hasToken) return false;
        Visit(now);
        return true;
    }

    /// <summary>Ends the timers.</summary>
    public void Close() => Leave();

    private void Reset()
    {
        StopResending();
        _wake.Cancel();
        IsRunning = _hasToken = _keepsToken = _wasQuiet = _isWakeWanted = _isVisitOver = false;
        _hop = _sentHop = _sentSequence = _sequenceBefore = 0;
        _idleRounds = _visits = 0;
        _wantedAt = Instant.Zero;
        _token.Read(new OrderedTokenBody());
    }

    private void Resume()
    {
        _keepsToken = false;
        _hasToken = true;
        _idleRounds = 0;
        _feed.Wake();
    }

    private void AskForToken()
    {
        _isWakeWanted = true;
        _feed.Wake();
    }

    private void SendWake(Instant now)
    {
        _isWakeWanted = false;
        if (_hasToken || _keepsToken || !IsTokenWanted(Ring!)) return;
        if (_wantedAt == Instant.Zero) (_wantedAt, _wakePause) = (now, _parts.Settings.Patience);
        else if (now - _wantedAt >= RollCall.Patience) OnAwaited(Ring!.Members[0], now);
        SendWord(hop: 0, Ring!.Members[0]);
        _wake.Set(now + _wakePause);
        _wakePause = Longer(_wakePause);
    }

    private void Visit(Instant now)
    {
        Ring ring = Ring!;
        _hasToken = false;
        _parts.Counters.TokenVisits++;
        if (++_visits == 2) OnAllConcluded(now);
        ulong received = _token.Sequence;
        ulong stepBefore = _token.Step;
        int resent = Repair(ring);
        int sent = 0;
        if (MaySend(ring))
        {
            _token.Step = _parts.Active.Counter;
            int allowed = ring.Turn.Allowed(_token, resent, GlobalWindow(ring));
            sent = _packer.Pack(ring, received, allowed, _parts.LongestDatagram(), now);
        }
        _parts.Counters.PacketsAsked += ring.Turn.End(_token, sent, resent);
        ring.Delivery.MarkStep(received, _token.Step);
        bool isQuiet = sent == 0 && resent == 0 && _token.Asked.Count == 0 && _token.Held == _token.Sequence
            && ring.Turn.Stable == _token.Sequence;
        bool isSame = _sequenceBefore == received && stepBefore == _token.Step;
        _idleRounds = isQuiet && isSame ? _idleRounds + 1 : 0;
        _sequenceBefore = _token.Sequence;
        _wasQuiet = isQuiet;
        _isVisitOver = true;
        if (ring.IsLeader && _idleRounds >= IdleRounds)
        {
            _keepsToken = true;
            if (ring.Members.Length > 1) SendWord(_hop, ring.Previous);
            return;
        }
        int first = ring.Turn.BeforeToken(sent);
        _feed.AddPackets(ring.Log, received + 1, first, DatagramKind.OrderedData);
        Pass(ring, now);
        _feed.AddPackets(ring.Log, received + 1 + (ulong)first, sent - first, DatagramKind.OrderedData);
    }

    // Messages are sent in one step after the other: a node that is behind waits until its step comes into use.
    private bool MaySend(Ring ring) =>
        _parts.Active.Epoch.Term == ring.Id.Term && _parts.Active.Counter >= _token.Step;

    private static ulong EndOf(in SequenceRangeList ranges)
    {
        ulong end = 0;
        foreach (SequenceRange range in ranges) end = range.End;
        return end;
    }

    private int GlobalWindow(Ring ring)
    {
        int smallest = int.MaxValue;
        foreach (NodeInfo member in ring.Members) smallest = Math.Min(smallest, member.ReceiveBufferBytes);
        int fitting = smallest / 2 / Math.Max(1, _parts.LongestDatagram());
        return Math.Min(Math.Max(fitting, LeastWindow), _parts.Settings.GlobalWindow);
    }

    private int Repair(Ring ring)
    {
        int resent = 0;
        for (int index = _token.Asked.Count - 1; index >= 0; index--)
        {
            SequenceRange range = _token.Asked[index];
            _token.Asked.RemoveAt(index);
            // What is forgotten here is held by all.
            range = range with { Start = Math.Max(range.Start, ring.Log.Forgotten + 1) };
            // The parts that are not here stay.
            ulong start = range.Start;
            int place = index;
            for (ulong sequence = range.Start; sequence < range.End; sequence++)
            {
                if (!ring.Log.Keeps(sequence) || resent >= MostRepairs) continue;
                _feed.AddPackets(ring.Log, sequence, 1, DatagramKind.OrderedRepair);
                resent++;
                if (start < sequence) _token.Asked.Insert(place++, new SequenceRange(start, sequence));
                start = sequence + 1;
            }
            if (start < range.End) _token.Asked.Insert(place, new SequenceRange(start, range.End));
        }
        _parts.Counters.Repairs += (ulong)resent;
        int over = _token.Asked.Count - OrderedTokenBody.MaxRanges;
        if (over > 0) _token.Asked.RemoveRange(OrderedTokenBody.MaxRanges, over);
        return resent;
    }

    private void Pass(Ring ring, Instant now)
    {
        ulong hop = _hop + 1;
        if (ring.Members.Length == 1)
        {
            _hop = hop;
            _hasToken = true;
            return;
        }
        StopResending();
        Slice room = _feed.Room(OrderedTokenBody.MaxLength);
        var writer = new WireWriter(room.Span[DatagramHeader.Length..]);
        var body = new OrderedTokenBody
        {
            Ring = ring.Id,
            Hop = hop,
            Sequence = _token.Sequence,
            Held = _token.Held,
            LoweredBy = _token.LoweredBy,
            Flow = _token.Flow,
            Step = _token.Step,
        };
        body.WriteTo(ref writer, System.Runtime.InteropServices.CollectionsMarshal.AsSpan(_token.Asked));
        _sent = _feed.Trim(room, writer.Written);
        _sentHop = hop;
        _sentSequence = _token.Sequence;
        SendToken(ring);
        _sentAt = now;
        _resendPause = _parts.Settings.Patience;
        _resend.Set(now + _resendPause);
    }

    private void SendToken(Ring ring)
    {
        _sent.Retain();
        _feed.AddWord(DatagramKind.OrderedToken, _sent, ring.Next);
    }

    private void Resend(Instant now)
    {
        if (Ring is not { } ring || _sent.IsEmpty) return;
        _parts.Counters.TokensResent++;
        if (now - _sentAt >= RollCall.Patience) OnAwaited(ring.Next, now);
        SendToken(ring);
        _resendPause = Longer(_resendPause);
        _resend.Set(now + _resendPause);
    }

    private void StopResending()
    {
        _resend.Cancel();
        _sent.Release();
        _sent = default;
    }

    private void SendWord(ulong hop, NodeInfo to)
    {
        Slice room = _feed.Room(OrderedWordBody.MaxLength);
        var writer = new WireWriter(room.Span[DatagramHeader.Length..]);
        new OrderedWordBody(Ring!.Id, hop).WriteTo(ref writer);
        _feed.AddWord(DatagramKind.OrderedWord, _feed.Trim(room, writer.Written), to);
    }

    // A member alone has the token again at once, and so has the leader that had kept it. The next visit is of the next
    // turn: a source that always has messages would hold this one for ever.
    private bool SettleVisit(Instant now)
    {
        Settle(now);
        if (!_hasToken) return true;
        _feed.Wake();
        return false;
    }

    // After the token has left, so that the others do not wait for this node's handlers.
    private void Settle(Instant now)
    {
        _isVisitOver = false;
        Ring ring = Ring!;
        ring.Delivery.Deliver(ring.Turn.Stable, now);
        if (ring != Ring) return;
        ulong done = Math.Min(ring.Turn.Stable, ring.Delivery.Next - 1);
        ring.Log.Forget(done);
        _packer.OnStable(done, now);
        if (IsTokenWanted(ring)) Kick();
    }

    private bool IsTokenWanted(Ring ring) =>
        MaySend(ring) && (_packer.HasWork || _parts.Views.Awaits(RingId.Of(_parts.Active)));

    private static TimeSpan Longer(TimeSpan pause) => pause * 2 < LongestPatience ? pause * 2 : LongestPatience;
}
