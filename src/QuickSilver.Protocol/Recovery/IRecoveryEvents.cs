using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery;

/// <summary>What recovery asks and tells the rest of its node. Core thread only.</summary>
public interface IRecoveryEvents
{
    /// <summary>True when delivery can take a well-formed packet; false: it is treated as never received.</summary>
    bool HasRoomFor(RegionView view, NodeInfo sender, ReadOnlySpan<byte> datagram);

    /// <summary>True when delivery can take so many bytes more, whatever they are: what need not be asked for while it cannot.</summary>
    bool HasRoomFor(int bytes);

    /// <summary>True when the packet's body keeps its format: asked before the packet is stored.</summary>
    bool IsWellFormed(RegionView view, ReadOnlySpan<byte> datagram);

    /// <summary>
    /// A packet has been stored: deliver what is in it. Called once per packet, in any order of sequences; what delivery needs for longer it
    /// retains.
    /// </summary>
    void OnPacket(RegionView view, NodeInfo sender, Slice datagram, Instant now);

    /// <summary>This node leads the ring of a region that it sends to itself: feedback for its own stream.</summary>
    void OnOwnAck(RegionView view, in AckBody ack, Instant now);
}
