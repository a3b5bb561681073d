using QuickSilver.Protocol.Recovery.Orphans;
using QuickSilver.Protocol.Recovery.Repairs;

namespace QuickSilver.Protocol.Recovery.Ring;

/// <summary>The parts of a view's recovery that its ring sets in motion.</summary>
/// <param name="Room">Whether there is room for packets.</param>
/// <param name="Gaps">Requests what is missing.</param>
/// <param name="Repairs">Sends what others miss; one for all views.</param>
/// <param name="Removed">The removed senders.</param>
/// <param name="Orphans">Settles their streams.</param>
/// <param name="Own">This node's own stream.</param>
/// <param name="Suspicions">The members that this node finds silent; one for all views.</param>
internal sealed record RingParts(
    PacketRoom Room, GapRepair Gaps, RepairFeed Repairs, RemovedSenders Removed, OrphanVisit Orphans, OwnStream Own,
    Suspicions Suspicions);
