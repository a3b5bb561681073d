using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Ring;

/// <summary>
/// How long this member waits for each other member's acknowledgement of a hop: three times as long as they are seen to take, and never less than
/// <see cref="RecoverySettings.HopTimeout"/>. An acknowledgement that comes after the member was given up is measured too, so that a far member is
/// given up once, not for ever. It may come when the next hop has left for the same member, as a member given up gets one send a round: so the first
/// hop without an answer is remembered for a second beside the last one. The time is counted from a hop's last send: on a far link it errs on the
/// short side at first, but on a lossy one not on the long side, which would feed itself. Source: the estimate rises faster than it falls, as a
/// timeout's must; ours. O(1); one small array, made with the first hop.
/// </summary>
internal sealed class HopPace(RecoverySettings settings, int members)
{
    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(1);

    // Below it, an answer waits for a processor rather than for the network.
    private static readonly TimeSpan ShortestWait = TimeSpan.FromMilliseconds(2);

    private static readonly TimeSpan ShortFor = TimeSpan.FromMinutes(1);

    private Member[] _members = [];

    /// <summary>
    /// The usual round trip of this member's hops. One that takes much longer, as to a member that stood still, moves it by little.
    /// </summary>
    public TimeSpan Usual { get; private set; }

    /// <summary>A hop leaves, for the first time or again.</summary>
    public void OnSent(in TokenHop hop, Instant now)
    {
        if (_members.Length == 0) _members = new Member[members];
        ref Member to = ref _members[hop.To];
        if (to.Last.IsOpen && !hop.IsSameHop(to.Last.Hop) && (!to.Earlier.IsOpen || now - to.Earlier.SentAt > Longest)) to.Earlier = to.Last;
        to.Last = new Sent(hop, now);
    }

    /// <summary>An acknowledgement has come, in time or not.</summary>
    /// <returns>True when it is that of the last hop to its member, or of the earlier one remembered: the member lives, however far it is.</returns>
    public bool OnAnswered(in TokenHop hop, Instant now)
    {
        if (_members.Length == 0) return false;
        ref Member to = ref _members[hop.To];
        bool isLast = to.Last.Is(hop);
        if (!isLast && !to.Earlier.Is(hop)) return false;
        TimeSpan took = now - (isLast ? to.Last : to.Earlier).SentAt;
        to.Earlier = default;
        if (isLast) to.Last = default;
        if (to.RoundTrip == TimeSpan.Zero) to.RoundTrip = took;
        else to.RoundTrip = took > to.RoundTrip ? (to.RoundTrip + took) / 2 : ((to.RoundTrip * 7) + took) / 8;
        TimeSpan most = (Usual * 2) + settings.HopTimeout;
        Usual = Usual == TimeSpan.Zero ? took : ((Usual * 7) + (took < most ? took : most)) / 8;
        return true;
    }

    /// <summary>A member has answered none of the sends of a hop of long datagrams: length may be why.</summary>
    public void OnLongUnanswered(int member, Instant now) => _members[member].LongUnanswered = now;

    /// <summary>True while long datagrams may not reach a member.</summary>
    public bool MayBeNarrow(int member, Instant now)
    {
        if (_members.Length == 0) return false;
        Instant at = _members[member].LongUnanswered;
        return at != Instant.Zero && now - at < ShortFor;
    }

    /// <summary>After how long a member's answer is overdue, so that the hop may be lost: as long as <see cref="TimeoutOf"/>
    /// while nothing is measured.</summary>
    public TimeSpan OverdueOf(int member)
    {
        TimeSpan longest = TimeoutOf(member);
        if (_members.Length == 0 || _members[member].RoundTrip == TimeSpan.Zero) return longest;
        TimeSpan usual = _members[member].RoundTrip * 3;
        if (usual < ShortestWait) usual = ShortestWait;
        return usual < longest ? usual : longest;
    }

    /// <summary>How long to wait for a member.</summary>
    public TimeSpan TimeoutOf(int member)
    {
        TimeSpan wait = _members.Length == 0 ? TimeSpan.Zero : _members[member].RoundTrip * 3;
        if (wait > Longest) wait = Longest;
        return wait > settings.HopTimeout ? wait : settings.HopTimeout;
    }

    private readonly record struct Sent(TokenHop Hop, Instant SentAt)
    {
        public bool IsOpen => SentAt != Instant.Zero;

        public bool Is(in TokenHop hop) => IsOpen && Hop.IsSameHop(hop);
    }

    private struct Member
    {
        public Sent Last;
        public Sent Earlier;
        public TimeSpan RoundTrip;
        public Instant LongUnanswered;
    }
}
