using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Runtime;

/// <summary>
/// How long a node that has been removed stays away before it returns.
/// <para>
/// Idea: a removal for lack of datagrams is found out by those who waited for the node, at their cost. Most have passed when the node is told, so it
/// returns at once. One that is removed for the same again, soon after, still has what keeps its datagrams away (a firewall, an address that is no
/// longer the machine's), and would hold its groups up for ever: it stays away for the detector's period, then for twice as long, up to 32 times.
/// </para>
/// Core thread only.
/// </summary>
/// <param name="period">The detector's.</param>
internal sealed class ReturnPause(TimeSpan period)
{
    private const int MostDoublings = 5;

    // What the slowest ways of finding out take, beside periods.
    private static readonly TimeSpan Slack = TimeSpan.FromSeconds(15);

    private Instant _last;
    private TimeSpan _pause;
    private int _times;

    /// <summary>The node has been removed.</summary>
    /// <param name="reason">Why.</param>
    /// <param name="now">The present instant.</param>
    /// <returns>How long it is to stay away.</returns>
    public TimeSpan Next(MembershipRefusal reason, Instant now)
    {
        bool isLikelyToLast =
            reason is MembershipRefusal.Unreachable or MembershipRefusal.PacketsBlocked or MembershipRefusal.ForeignAddress;
        if (!isLikelyToLast || period <= TimeSpan.Zero) return TimeSpan.Zero;
        if (_times > 0 && now - _last > _pause + (4 * period) + Slack) _times = 0;
        _pause = _times == 0 ? TimeSpan.Zero : period * (1 << Math.Min(_times - 1, MostDoublings));
        _last = now;
        _times++;
        return _pause;
    }
}
