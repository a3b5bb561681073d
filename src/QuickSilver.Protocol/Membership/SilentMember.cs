namespace QuickSilver.Protocol.Membership;

/// <summary>
/// A member of one of this node's region views that does not answer its ring, though its connection to the server may
/// stand.
/// </summary>
/// <param name="Node">Key of its number.</param>
/// <param name="SilentFor">Time for which it has answered no request of this node; zero unless this is the node's own
/// finding.</param>
/// <param name="IsOwnFinding">True when this node asked it more than once without answer; false when a token lists it
/// as skipped.</param>
internal readonly record struct SilentMember(ulong Node, TimeSpan SilentFor, bool IsOwnFinding);
