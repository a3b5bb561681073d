namespace QuickSilver.Protocol.Membership;

/// <summary>A member that is behind in one of this node's region views, or in one that it sends to.</summary>
/// <param name="Node">Key of its number.</param>
/// <param name="Packets">In the stream that it holds up most, the packets above what it holds, at most.</param>
/// <param name="HeldFor">Time for which it has held this node at its limit, once that is as long as the node waits for
/// a slow member; else zero.</param>
internal readonly record struct SlowMember(ulong Node, ulong Packets, TimeSpan HeldFor);
