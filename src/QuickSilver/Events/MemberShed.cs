namespace QuickSilver;

/// <summary>A member of a region that this node is in or sends to was removed because it was too slow: it held senders
/// at their limit for longer than <see cref="PendingOptions.SlowMemberTimeout"/>, while others kept up.</summary>
/// <param name="Member">The member that was removed.</param>
public sealed record MemberShed(Member Member) : NodeEvent;
