using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Timed;

/// <summary>Length and destination of one datagram.</summary>
/// <param name="Length">Its length, header included.</param>
/// <param name="View">Sent to all members of a region view; null: to one node.</param>
/// <param name="To">The node, when there is no view.</param>
internal readonly record struct TimedDatagram(int Length, RegionView? View, NodeInfo? To);
