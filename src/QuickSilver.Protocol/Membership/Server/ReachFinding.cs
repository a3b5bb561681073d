using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>One node's finding that another does not answer; kept by <see cref="ReachabilityMonitor"/>.</summary>
/// <param name="Accused">The other node.</param>
/// <param name="IsOwn">True when the node itself has asked it; false when a token lists it as skipped.</param>
/// <param name="Since">Time since which the node has reported it without a break.</param>
internal sealed record ReachFinding(ServerNode Accused, bool IsOwn, Instant Since);
