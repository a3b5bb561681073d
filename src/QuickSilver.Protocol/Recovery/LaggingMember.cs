using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery;

/// <summary>A member that is behind in region views that this node is a member of or sends to. A snapshot.</summary>
/// <param name="Member">The member; may be this node.</param>
/// <param name="Cause">The gravest cause found in the last two seconds.</param>
/// <param name="Packets">Upper bound of the packets of one stream that it holds up; 0 when it holds all at the
/// moment.</param>
/// <param name="Since">When it fell behind.</param>
/// <param name="HoldsUp">True when it has been behind for a second more than it was not: it is not merely late.</param>
/// <param name="IsSteady">True when nearly every round of the last seconds has found it behind.</param>
/// <param name="Views">The views in which it is behind.</param>
internal sealed record LaggingMember(
    NodeInfo Member,
    LagCause Cause,
    ulong Packets,
    Instant Since,
    bool HoldsUp,
    bool IsSteady,
    IReadOnlyList<RegionView> Views)
{
    /// <summary>
    /// Orders the slowest first: members that hold a region up, by packets held up; among equals the one that is behind
    /// for longest, then by number.
    /// </summary>
    public static int CompareSlowestFirst(LaggingMember left, LaggingMember right)
    {
        if (left.HoldsUp != right.HoldsUp) return left.HoldsUp ? -1 : 1;
        int order = right.Packets.CompareTo(left.Packets);
        if (order == 0) order = left.Since.CompareTo(right.Since);
        return order != 0 ? order : left.Member.Number.Key.CompareTo(right.Member.Number.Key);
    }
}
