namespace QuickSilver.Protocol.Membership.Server;

/// <summary>One change of a node's groups that it has requested.</summary>
/// <param name="Group">Counter of the group.</param>
/// <param name="IsJoin">True for a join, or a publisher that opens; false for a leave, or one that closes.</param>
/// <param name="IsPublisher">True when the node publishes to the group, or ceases to; false for membership.</param>
internal readonly record struct GroupChange(uint Group, bool IsJoin, bool IsPublisher = false)
{
    /// <summary>What it changes: the group, as a member or as a publisher.</summary>
    public ulong Subject => Group | (IsPublisher ? 1UL << 32 : 0);
}
