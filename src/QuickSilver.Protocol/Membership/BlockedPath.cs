namespace QuickSilver.Protocol.Membership;

/// <summary>
/// A node of whose data nothing arrives at this one, of whatever length, though its control does: the way between the two
/// is <em>blocked</em>.
/// </summary>
/// <param name="From">Key of the node's number.</param>
/// <param name="BlockedFor">For how long every measurement has found it so.</param>
public readonly record struct BlockedPath(ulong From, TimeSpan BlockedFor);
