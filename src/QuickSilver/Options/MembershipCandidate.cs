namespace QuickSilver;

/// <summary>A process that offers to serve a cluster's membership. Immutable.</summary>
/// <param name="Cluster">The name of the cluster.</param>
/// <param name="EndPoint">Where it listens: "10.0.0.5:14999", or "[fd00::5]:14999". It serves nobody yet.</param>
/// <param name="Node">The name of its node, for operators who look into the store.</param>
/// <param name="LowestTerm">The lowest term that may be granted. It keeps terms rising when the store has lost them.
/// </param>
public sealed record MembershipCandidate(string Cluster, string EndPoint, string Node, long LowestTerm);
