namespace QuickSilver.Protocol.Membership.Server;

/// <summary>Where a node was before a step; afterwards it is where its record says.</summary>
/// <param name="Node">The node.</param>
/// <param name="From">The region that carried it; null when it was in none.</param>
/// <param name="FromHome">The region of exactly its groups; null when it was in none.</param>
internal readonly record struct NodeMove(ServerNode Node, ServerRegion? From, ServerRegion? FromHome);
