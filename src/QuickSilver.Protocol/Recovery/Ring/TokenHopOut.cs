using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Repairs;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Ring;

/// <summary>
/// The one hop that this member has under way. Its bytes are sent again unchanged until they are acknowledged or the
/// addressed member is given up.
/// <para>
/// A lost hop holds up the whole round, and so the window of every sender. It is sent again as soon as an answer is
/// overdue, then after twice as long, and so on. A member that is merely slow must not be given up for that. So the
/// resend time follows the usual round trip, and the time to give up is separate, fixed when the hop begins.
/// </para>
/// <para>
/// Each datagram lists all members that the round has skipped. When the list leaves too little room for the token, the
/// token is not sent and the round is lost. A round without that many members could raise no stability, and the silent
/// members are reported all the same.
/// </para>
/// <para>
/// Ways may drop long datagrams, and the way of a token is not measured. So over a wire all datagrams of a hop are
/// short enough for every way. Within a machine they have full length. To a member that did not answer a hop of full
/// length they are short for a minute.
/// </para>
/// </summary>
internal sealed class TokenHopOut : IFeed
{
    // The least part of a datagram that is left to the token, as a divisor.
    private const int LeastRoom = 4;

    // Number of long datagrams that hold any token.
    private const int MostLongParts = 4;

    private readonly RecoveryContext _node;
    private readonly RegionState _region;
    private readonly Action<int, Instant> _unanswered;
    private readonly Alarm _timeout;
    private readonly List<int> _skipped = [];
    private byte[] _bytes = [];
    private int _length;
    private int _partBytes;
    private TokenHop _hop;
    private bool _active;
    private bool _isLong;
    private TimeSpan _resendAfter;
    private Instant _givenUpAt;
    private Instant _startedAt;
    private int _nextPart;

    public TokenHopOut(RecoveryContext node, RegionState region, Action<int, Instant> unanswered)
    {
        _node = node;
        _region = region;
        _unanswered = unanswered;
        Pace = new HopPace(node.Settings, region.View.Members.Length);
        _timeout = new Alarm(node.Alarms, OnTimeout);
    }

    /// <summary>The timeouts of each member.</summary>
    public HopPace Pace { get; }

    /// <summary>The member whose acknowledgement is awaited; null when none is.</summary>
    public int? Waiting => _active ? _hop.To : null;

    /// <summary>
    /// Begins a hop with the token as it is now. When the list of the skipped leaves no room for it, no hop is under
    /// way.
    /// </summary>
    /// <param name="hop">The hop to begin.</param>
    /// <param name="token">The token that it carries.</param>
    /// <param name="skipped">Members that the round has skipped.</param>
    /// <param name="sends">Number of timeouts for which an answer is awaited; one for a member believed to be silent,
    /// which is sent to once.</param>
    /// <param name="now">The time of the first send.</param>
    /// <param name="patience">Time that each send waits for its answer; null: as the member's answers take.</param>
    public void Send(
        in TokenHop hop, Token token, List<int> skipped, int sends, Instant now, TimeSpan? patience = null)
    {
        Debug.Assert(hop.From == _region.Self && hop.To != _region.Self, "the hop goes from this member to another");
        Debug.Assert(sends > 0, "a hop is sent at least once");
        _skipped.Clear();
        _skipped.AddRange(skipped);
        int datagramBytes = LongestTo(hop.To, sends, now);
        _partBytes = datagramBytes - DatagramHeader.Length - TokenHop.MaxLength(skipped);
        if (_partBytes < datagramBytes / LeastRoom)
        {
            Cancel();
            return;
        }
        int room = _partBytes * (datagramBytes > PathLadder.Floor ? MostLongParts : TokenHop.MaxParts);
        if (_bytes.Length < room) _bytes = new byte[room];
        var writer = new WireWriter(_bytes.AsSpan(0, room));
        // A record that did not fit is left to a later round. The rotation gives every stream its turn.
        token.WriteTo(ref writer, hop.Round);
        if (writer.Overflowed)
        {
            // Even the part before the records does not fit: the list of the removed is too long.
            Cancel();
            return;
        }
        _length = writer.Written;
        if (_length > TokenHop.MaxParts && _node.Probes.Here(BuggifySite.TokenInSmallParts))
            _partBytes = (_length + TokenHop.MaxParts - 1) / TokenHop.MaxParts;
        int limit = PathLadder.Floor - DatagramHeader.Length - TokenHop.MaxLength(skipped);
        _isLong = Math.Min(_length, _partBytes) > limit;
        int parts = Math.Max(1, (_length + _partBytes - 1) / _partBytes);
        _hop = hop with { Parts = (byte)parts };
        TimeSpan wait = patience ?? Pace.TimeoutOf(hop.To);
        _givenUpAt = now + (wait * sends);
        _resendAfter = sends > 1 ? Pace.OverdueOf(hop.To) : wait;
        _active = true;
        _startedAt = now;
        Offer(now);
    }

    /// <summary>Time since the last hop began.</summary>
    public TimeSpan Age(Instant now) => now - _startedAt;

    /// <summary>Time for which the hop under way has been awaited, if this acknowledges it; null otherwise.</summary>
    public TimeSpan? WaitedFor(in TokenHop hop, Instant now) =>
        _active && hop.IsSameHop(_hop) ? now - _startedAt : null;

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
        DatagramHeader header = _node.Header(_region.View, DatagramKind.Token);
        train = _node.Seal(header, writer.Written, _region.View.Members[_hop.To]);
        return true;
    }

    private int LongestTo(int member, int sends, Instant now)
    {
        int longest = _node.Transport.Facts.SlotBytes;
        bool isSilent = sends < _node.Settings.HopSends;
        bool isShort = longest <= PathLadder.LongestOnWire || isSilent || Pace.MayBeNarrow(member, now);
        if (isShort) longest = Math.Min(longest, PathLadder.Floor);
        return Math.Min(longest, _node.Paths.LongestRepairTo(_region.View.Members[member]));
    }

    private void Offer(Instant now)
    {
        Debug.Assert(_active, "only the hop under way is sent");
        Debug.Assert(_hop.Parts is > 0 and <= TokenHop.MaxParts, "a hop has a bounded number of datagrams");
        _nextPart = 0;
        Pace.OnSent(_hop, now);
        Instant due = now + (_node.Probes.Here(BuggifySite.HopTimesOutEarly) ? _resendAfter / 10 : _resendAfter);
        TimeSpan longest = Pace.TimeoutOf(_hop.To);
        _resendAfter = _resendAfter * 2 < longest ? _resendAfter * 2 : longest;
        _timeout.Set(due < _givenUpAt ? due : _givenUpAt);
        _node.Roots.Register(this, PriorityClass.Token);
    }

    private void OnTimeout(Instant now)
    {
        if (!_active) return;
        if (now < _givenUpAt && !_region.View.Members[_hop.To].IsRemoved)
        {
            _node.Probes.Reached("a hop is sent again, since nobody acknowledged it in time");
            Offer(now);
            return;
        }
        _active = false;
        if (_isLong) Pace.OnLongUnanswered(_hop.To, now);
        _unanswered(_hop.To, now);
    }
}
