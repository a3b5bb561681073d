using QuickSilver.Protocol.Recovery.Paths;
using QuickSilver.Protocol.Recovery.Repairs;
using QuickSilver.Protocol.Recovery.Ring;

namespace QuickSilver.Protocol.Recovery.Regions;

/// <summary>The parts that the recoveries of a node's views have in common.</summary>
/// <param name="Repairs">Sends what others miss.</param>
/// <param name="Joins">Joins packets that come in parts.</param>
/// <param name="Inbound">Measures the ways to this node.</param>
/// <param name="Suspicions">The members that this node finds silent.</param>
internal sealed record RecoveryParts(
    RepairFeed Repairs, RepairParts Joins, InboundPaths Inbound, Suspicions Suspicions);
