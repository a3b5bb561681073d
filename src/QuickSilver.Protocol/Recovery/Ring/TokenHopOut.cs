using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Repairs;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Ring;

/// <summary>
/// The one hop that this member has under way: its bytes, sent again unchanged until they are acknowledged or the member addressed is given up.
/// <para>
/// A lost hop holds up the whole round, and with it the window of every sender, so it is sent again as soon as an answer is overdue, then after twice
/// as long, and so on; but a member that is merely slow must not be given up for it. So when to send again follows the usual round trip, and when to
/// give up is a time of its own, fixed when the hop begins.
/// </para>
/// <para>
/// Each datagram names all members that the round has skipped. Where so many are silent at once that the token finds no room beside the list, it goes
/// no further, and the round is lost: a round without them could raise no stability, and the members that do not answer are told of all the same.
/// </para>
/// <para>
/// Ways may drop long datagrams, and nobody measures the way of a token. So over a wire all datagrams of a hop are
/// short enough for every way. Within a machine they are as long as any. To a member that did not answer such a hop
/// they are short for a minute.
/// </para>
/// </summary>
internal sealed class TokenHopOut : IFeed
{
    // The least part of a datagram that is left to the token, as 1 in so many.
    private const int LeastRoom = 4;

    // Where datagrams are long, so many hold any token.
    private const int MostLongParts = 4;

    private readonly Recoverer _node;
    private readonly RegionRecovery _region;
    private readonly Action<int, Instant> _unanswered;
    private readonly Alarm _timeout;
    private readonly List<int> _skipped = [];
    private byte[] _bytes = [];
    private int _length;
    private int _partBytes;
    private TokenHop _hop;
    private bool _active;
    private bool _isLong;
    private TimeSpan _again;
    private Instant _givenUpAt;
    private Instant _startedAt;
    private int _nextPart;

    public TokenHopOut(Recoverer node, RegionRecovery region, Action<int, Instant> unanswered)
    {
        _node = node;
        _region = region;
        _unanswered = unanswered;
        Pace = new HopPace(node.Settings, region.View.Members.Length);
        _timeout = new Alarm(node.Alarms, OnTimeout);
    }

    /// <summary>How long each member is waited for.</summary>
    public HopPace Pace { get; }

    /// <summary>The member whose acknowledgement is waited for; null when none is.</summary>
    public int? Waiting => _active ? _hop.To : null;

    /// <summary>Begins a hop with the token as it is now; with no room for it beside the list of the skipped, none is under way.</summary>
    /// <param name="hop">Which.</param>
    /// <param name="token">What it carries.</param>
    /// <param name="skipped">Whom the round has skipped.</param>
    /// <param name="sends">For how many timeouts an answer is waited for; one: sent once, since the member is believed to be silent.</param>
    /// <param name="now">The present instant.</param>
    public void Send(in TokenHop hop, Token token, List<int> skipped, int sends, Instant now)
    {
        _skipped.Clear();
        _skipped.AddRange(skipped);
        int slot = LongestTo(hop.To, sends, now);
        _partBytes = slot - DatagramHeader.Length - TokenHop.MaxLength(skipped);
        if (_partBytes < slot / LeastRoom)
        {
            Cancel();
            return;
        }
        int room = _partBytes * (slot > PathLadder.Floor ? MostLongParts : TokenHop.MaxParts);
        if (_bytes.Length < room) _bytes = new byte[room];
        var writer = new WireWriter(_bytes.AsSpan(0, room));
        // A record that did not fit is left to a later round; the rotation sees to it that every stream has its turn.
        token.WriteTo(ref writer, hop.Round);
        if (writer.Overflowed)
        {
            // Not even what stands before the records: the list of the removed is as long.
            Cancel();
            return;
        }
        _length = writer.Written;
        if (_length > TokenHop.MaxParts && _node.Probes.Here(BuggifySite.TokenInSmallParts))
            _partBytes = (_length + TokenHop.MaxParts - 1) / TokenHop.MaxParts;
        int most = PathLadder.Floor - DatagramHeader.Length - TokenHop.MaxLength(skipped);
        _isLong = Math.Min(_length, _partBytes) > most;
        int parts = Math.Max(1, (_length + _partBytes - 1) / _partBytes);
        _hop = hop with { Parts = (byte)parts };
        TimeSpan patience = Pace.TimeoutOf(hop.To);
        _givenUpAt = now + (patience * sends);
        _again = sends > 1 ? Pace.OverdueOf(hop.To) : patience;
        _active = true;
        _startedAt = now;
        Offer(now);
    }

    /// <summary>Time since the last hop began.</summary>
    public TimeSpan Age(Instant now) => now - _startedAt;

    /// <summary>How long the hop under way has been waited for, if this acknowledges it; null otherwise.</summary>
    public TimeSpan? WaitedFor(in TokenHop hop, Instant now) => _active && hop.IsSameHop(_hop) ? now - _startedAt : null;

    /// <summary>Ends the hop under way, if this acknowledges it.</summary>
    /// <returns>False when it does not.</returns>
    public bool TryEnd(in TokenHop hop)
    {
        if (!_active || !hop.IsSameHop(_hop)) return false;
        Cancel();
        return true;
    }

    /// <summary>Forgets the hop: it was answered, or a newer token has come.</summary>
    public void Cancel()
    {
        _active = false;
        _timeout.Cancel();
    }

    /// <inheritdoc/>
    public bool TryPull(Instant now, out Train train)
    {
        train = default;
        if (!_active || _nextPart >= _hop.Parts) return false;
        var writer = new WireWriter(_node.Scratch.AsSpan(DatagramHeader.Length));
        TokenHop part = _hop with { Part = (byte)_nextPart };
        part.WriteTo(ref writer, System.Runtime.InteropServices.CollectionsMarshal.AsSpan(_skipped));
        int from = _nextPart * _partBytes;
        writer.WriteBytes(_bytes.AsSpan(from, Math.Min(_partBytes, _length - from)));
        _nextPart++;
        if (_nextPart == _hop.Parts && _node.Probes.Here(BuggifySite.TokenSentTwice)) _nextPart = 0;
        train = _node.Seal(_node.Header(_region.View, DatagramKind.Token), writer.Written, _region.View.Members[_hop.To]);
        return true;
    }

    private int LongestTo(int member, int sends, Instant now)
    {
        int slot = _node.Transport.Facts.SlotBytes;
        bool isSilent = sends < _node.Settings.HopSends;
        bool isShort = slot <= PathLadder.LongestOnWire || isSilent || Pace.MayBeNarrow(member, now);
        if (isShort) slot = Math.Min(slot, PathLadder.Floor);
        return Math.Min(slot, _node.Paths.LongestRepairTo(_region.View.Members[member]));
    }

    private void Offer(Instant now)
    {
        _nextPart = 0;
        Pace.OnSent(_hop, now);
        Instant due = now + (_node.Probes.Here(BuggifySite.HopTimesOutEarly) ? _again / 10 : _again);
        TimeSpan longest = Pace.TimeoutOf(_hop.To);
        _again = _again * 2 < longest ? _again * 2 : longest;
        _timeout.Set(due < _givenUpAt ? due : _givenUpAt);
        _node.Roots.Register(this, PriorityClass.Token);
    }

    private void OnTimeout(Instant now)
    {
        if (!_active) return;
        if (now < _givenUpAt && !_region.View.Members[_hop.To].IsRemoved)
        {
            _node.Probes.Hit(Mark.HopSentAgain);
            Offer(now);
            return;
        }
        _active = false;
        if (_isLong) Pace.OnLongUnanswered(_hop.To, now);
        _unanswered(_hop.To, now);
    }
}
