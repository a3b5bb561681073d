using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Stack;

/// <summary>A member that is behind in region views that this node is a member of or sends to. A snapshot.</summary>
/// <param name="Member">The member; may be this node.</param>
/// <param name="Cause">The gravest cause found in the last two seconds.</param>
/// <param name="Packets">Upper bound of the packets of one stream that it holds up; 0 when it holds all at the
/// moment.</param>
/// <param name="Since">When it fell behind.</param>
/// <param name="HoldsUp">True when it has been behind for a second more than it was not: it is not merely late.</param>
/// <param name="Views">The views in which it is behind.</param>
public sealed record LaggingMember(
    NodeInfo Member, LagCause Cause, ulong Packets, Instant Since, bool HoldsUp, IReadOnlyList<RegionView> Views)
{
    /// <summary>
    /// Orders the slowest first: members that hold a region up, for longest; among equals by packets held up, then by
    /// number.
    /// </summary>
    public static int CompareSlowestFirst(LaggingMember left, LaggingMember right)
    {
        if (left.HoldsUp != right.HoldsUp) return left.HoldsUp ? -1 : 1;
        int order = left.Since.CompareTo(right.Since);
        if (order == 0) order = right.Packets.CompareTo(left.Packets);
        return order != 0 ? order : left.Member.Number.Key.CompareTo(right.Member.Number.Key);
    }
}
