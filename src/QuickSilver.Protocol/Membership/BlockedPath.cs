namespace QuickSilver.Protocol.Membership;

/// <summary>
/// A node whose control datagrams arrive at this one while no data of any length does: the way between the two is
/// <em>blocked</em>.
/// </summary>
/// <param name="From">Key of the node's number.</param>
/// <param name="BlockedFor">Time for which every measurement has found the way blocked.</param>
internal readonly record struct BlockedPath(ulong From, TimeSpan BlockedFor);
