using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Runtime;

/// <summary>
/// Decides how long a removed node stays away before it returns.
/// <para>
/// Idea: members detect missing datagrams by waiting for the node, which delays their groups. Most causes have passed
/// when the node is informed, so it returns at once. A node that is soon removed again for the same reason still has
/// the cause (a firewall, an address that the machine has lost). It would delay its groups for ever. It therefore stays
/// away for the detector's period, then doubles that each time, up to 32 periods.
/// </para>
/// Core thread only.
/// </summary>
/// <param name="period">The detector period; zero or less disables the pause.</param>
internal sealed class ReturnPause(TimeSpan period)
{
    private const int MaxDoublings = 5;

    // The time that the slowest detection takes in addition to detector periods.
    private static readonly TimeSpan Slack = TimeSpan.FromSeconds(15);

    private Instant _last;
    private TimeSpan _pause;
    private int _times;

    /// <summary>Notes a removal and returns the pause before the return.</summary>
    /// <param name="reason">The reason of the removal.</param>
    /// <param name="now">The instant of the removal.</param>
    /// <returns>The time to stay away; zero to return at once.</returns>
    public TimeSpan Next(MembershipRefusal reason, Instant now)
    {
        bool isLikelyToLast = reason
            is MembershipRefusal.Unreachable or MembershipRefusal.Unconfirmed or MembershipRefusal.PacketsBlocked
            or MembershipRefusal.ForeignAddress or MembershipRefusal.OtherFamily or MembershipRefusal.TooSlow;
        if (!isLikelyToLast || period <= TimeSpan.Zero) return TimeSpan.Zero;
        if (_times > 0 && now - _last > _pause + (4 * period) + Slack) _times = 0;
        _pause = _times == 0 ? TimeSpan.Zero : period * (1 << Math.Min(_times - 1, MaxDoublings));
        _last = now;
        _times++;
        return _pause;
    }
}
