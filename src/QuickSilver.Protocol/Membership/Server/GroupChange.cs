namespace QuickSilver.Protocol.Membership.Server;

/// <summary>One join or leave that a node has asked for.</summary>
/// <param name="Group">Counter of the group.</param>
/// <param name="IsJoin">True: a join; false: a leave.</param>
internal readonly record struct GroupChange(uint Group, bool IsJoin);
