using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery;

/// <summary>
/// How long this member waits for each other member's acknowledgement of a hop: three times as long as they are seen to take, and never less than
/// <see cref="RecoverySettings.HopTimeout"/>. An acknowledgement that comes after the member was given up is measured too, so that a far member is
/// given up once, not for ever. The time is counted from the last send: on a far link it errs on the short side at first, but on a lossy one not on the
/// long side, which would feed itself.
/// Source: the estimate rises faster than it falls, as a timeout's must; ours. O(1); one small array, made with the first hop.
/// </summary>
internal sealed class HopPace(RecoverySettings settings, int members)
{
    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(1);

    private Member[] _members = [];

    /// <summary>The usual round trip of this member's hops. One that takes much longer, as to a member that stood still, moves it by little.</summary>
    public TimeSpan Usual { get; private set; }

    /// <summary>A hop leaves, for the first time or again.</summary>
    public void OnSent(in TokenHop hop, Instant now)
    {
        if (_members.Length == 0) _members = new Member[members];
        ref Member to = ref _members[hop.To];
        (to.Hop, to.SentAt) = (hop, now);
    }

    /// <summary>An acknowledgement has come, in time or not.</summary>
    /// <returns>True when it is that of the last hop to its member.</returns>
    public bool OnAnswered(in TokenHop hop, Instant now)
    {
        if (_members.Length == 0) return false;
        ref Member to = ref _members[hop.To];
        if (to.SentAt == Instant.Zero || !hop.IsSameHop(to.Hop)) return false;
        TimeSpan took = now - to.SentAt;
        to.SentAt = Instant.Zero;
        if (to.RoundTrip == TimeSpan.Zero) to.RoundTrip = took;
        else to.RoundTrip = took > to.RoundTrip ? (to.RoundTrip + took) / 2 : ((to.RoundTrip * 7) + took) / 8;
        TimeSpan most = (Usual * 2) + settings.HopTimeout;
        Usual = Usual == TimeSpan.Zero ? took : ((Usual * 7) + (took < most ? took : most)) / 8;
        return true;
    }

    /// <summary>How long to wait for a member.</summary>
    public TimeSpan TimeoutOf(int member)
    {
        TimeSpan wait = _members.Length == 0 ? TimeSpan.Zero : _members[member].RoundTrip * 3;
        if (wait > Longest) wait = Longest;
        return wait > settings.HopTimeout ? wait : settings.HopTimeout;
    }

    private struct Member
    {
        public TokenHop Hop;
        public Instant SentAt;
        public TimeSpan RoundTrip;
    }
}
