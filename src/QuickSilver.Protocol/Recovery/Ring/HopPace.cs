using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Ring;

/// <summary>
/// Measures how long each other member takes to acknowledge a hop. The timeout for a member is three times its usual
/// time, at least <see cref="RecoverySettings.HopTimeout"/>.
/// A late acknowledgement is measured too, so that a far member is given up once, not every time. It may come after the
/// next hop has left for the same member, since a member that was given up gets one send a round. So the first
/// unanswered hop is remembered for a second in addition to the last one.
/// Time counts from a hop's last send. On a far link this is too short at first. On a lossy link it is not too long,
/// which would reinforce itself. Source: the estimate rises faster than it falls, as a timeout's must; new here. O(1);
/// one small array, made with the first hop.
/// </summary>
internal sealed class HopPace(RecoverySettings settings, int members)
{
    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(1);

    // Shorter answer times depend on the scheduler, not on the network.
    private static readonly TimeSpan ShortestWait = TimeSpan.FromMilliseconds(2);

    private static readonly TimeSpan ShortFor = TimeSpan.FromMinutes(1);

    private Member[] _members = [];

    /// <summary>
    /// The usual round trip of this member's hops. A much longer one, as to a member that paused, moves it by little.
    /// </summary>
    public TimeSpan Usual { get; private set; }

    /// <summary>A hop leaves, for the first time or again.</summary>
    public void OnSent(in TokenHop hop, Instant now)
    {
        if (_members.Length == 0) _members = new Member[members];
        ref Member to = ref _members[hop.To];
        bool isOther = to.Last.IsOpen && !hop.IsSameHop(to.Last.Hop);
        if (isOther && (!to.Earlier.IsOpen || now - to.Earlier.SentAt > Longest)) to.Earlier = to.Last;
        to.Last = new Sent(hop, now);
    }

    /// <summary>An acknowledgement has come, in time or not.</summary>
    /// <returns>True for the last hop to its member, or the earlier one remembered: the member is alive, however far
    /// away.</returns>
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
        TimeSpan limit = (Usual * 2) + settings.HopTimeout;
        Usual = Usual == TimeSpan.Zero ? took : ((Usual * 7) + (took < limit ? took : limit)) / 8;
        return true;
    }

    /// <summary>
    /// A member has answered none of the sends of a hop of long datagrams: their length may be the reason.
    /// </summary>
    public void OnLongUnanswered(int member, Instant now) => _members[member].LongUnanswered = now;

    /// <summary>True while long datagrams may not reach a member.</summary>
    public bool MayBeNarrow(int member, Instant now)
    {
        if (_members.Length == 0) return false;
        Instant since = _members[member].LongUnanswered;
        return since != Instant.Zero && now - since < ShortFor;
    }

    /// <summary>
    /// Time after which a member's answer is overdue, so that the hop may be lost: <see cref="TimeoutOf"/> while
    /// nothing is measured.
    /// </summary>
    public TimeSpan OverdueOf(int member)
    {
        TimeSpan longest = TimeoutOf(member);
        if (_members.Length == 0 || _members[member].RoundTrip == TimeSpan.Zero) return longest;
        TimeSpan usual = _members[member].RoundTrip * 3;
        if (usual < ShortestWait) usual = ShortestWait;
        return usual < longest ? usual : longest;
    }

    /// <summary>
    /// Time to wait for a member that another could not reach. It is that of a usual member: one that is slow needs no
    /// way around, and a round must not wait for it twice.
    /// </summary>
    public TimeSpan TimeoutOfDetour => Usual * 3 > settings.HopTimeout ? Usual * 3 : settings.HopTimeout;

    /// <summary>Time to wait for a member's answer.</summary>
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
