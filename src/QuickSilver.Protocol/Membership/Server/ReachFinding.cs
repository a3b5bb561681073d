using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>A node's word that another does not answer; kept by <see cref="ReachabilityMonitor"/>.</summary>
/// <param name="Accused">The other.</param>
/// <param name="IsOwn">True: it was asked by the node itself; false: the node has heard that others passed it over.</param>
/// <param name="Since">Since when the node has said so without a break.</param>
internal sealed record ReachFinding(ServerNode Accused, bool IsOwn, Instant Since);
