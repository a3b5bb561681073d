namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>One request of a node.</summary>
/// <param name="Name">The group to join; null for a leave.</param>
/// <param name="Mode">Of a join, the mode.</param>
/// <param name="Group">Of a leave, the counter of the group.</param>
/// <param name="IsPublisher">True when the node is to publish to the group, or to cease, instead.</param>
internal readonly record struct AgentRequest(string? Name, byte Mode, uint Group, bool IsPublisher = false);
