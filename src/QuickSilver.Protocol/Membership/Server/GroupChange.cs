namespace QuickSilver.Protocol.Membership.Server;

/// <summary>One join or leave that a node has requested.</summary>
/// <param name="Group">Counter of the group.</param>
/// <param name="IsJoin">True for a join, false for a leave.</param>
internal readonly record struct GroupChange(uint Group, bool IsJoin);
