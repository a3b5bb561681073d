using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery;

/// <summary>The questions and reports of recovery to the rest of its node. Core thread only.</summary>
public interface IRecoveryEvents
{
    /// <summary>
    /// True when delivery has room for a well-formed packet. On false the packet is treated as never received.
    /// </summary>
    bool HasRoomFor(RegionView view, NodeInfo sender, ReadOnlySpan<byte> datagram);

    /// <summary>
    /// Offers a packet for which there is no room, one of the few after the last before its stream's first gap. True
    /// when delivery takes it all the same: it is stored then. So the stream advances by more than one packet at a
    /// time.
    /// </summary>
    bool TryTakeBeyondCap(RegionView view, NodeInfo sender, ReadOnlySpan<byte> datagram);

    /// <summary>
    /// True when <see cref="TryTakeBeyondCap"/> may take one more packet of a stream. While it is false, none is
    /// requested.
    /// </summary>
    bool MayTakeBeyondCap(RegionView view, NodeInfo sender);

    /// <summary>
    /// True when delivery has room for that many bytes more, of any stream. While it is false, nothing is requested.
    /// </summary>
    bool HasRoomFor(int bytes);

    /// <summary>True when the packet's body keeps its format. Asked before the packet is stored.</summary>
    bool IsWellFormed(RegionView view, ReadOnlySpan<byte> datagram);

    /// <summary>
    /// A packet has been stored and is to be delivered. Called once per packet, in any order of sequences. Delivery
    /// retains the slice for as long as it needs it.
    /// </summary>
    void OnPacket(RegionView view, NodeInfo sender, in Slice datagram, Instant now);

    /// <summary>
    /// A round has found which members of a view are behind; the list is empty when none is. Called once for each round
    /// that this node hears of. The list is reused.
    /// </summary>
    void OnRoundTold(RegionView view, LagList behind, Instant now);

    /// <summary>
    /// A peer's token reports a removal that the membership server has not announced to this node yet. The node must
    /// count as removed when the call returns. The callee may call <see cref="Recoverer.OnNodesRemoved"/>.
    /// </summary>
    void OnRemovalHeard(NodeInfo removed, Instant now);

    /// <summary>
    /// Streams of removed senders are closed in a view: this member has the rest of them. The report may be repeated
    /// when the membership server has confirmed a removal.
    /// </summary>
    void OnStreamsClosed(RegionView view, IReadOnlyList<NodeInfo> senders, Instant now);

    /// <summary>Packets of a removed sender's stream were abandoned.</summary>
    /// <param name="view">The view that the stream belongs to.</param>
    /// <param name="sender">The removed sender.</param>
    /// <param name="isTail">True when the last packets known to have been sent are among them.</param>
    void OnPacketsAbandoned(RegionView view, NodeInfo sender, bool isTail);

    /// <summary>
    /// All streams of a removed sender to views of this node are closed, so nothing waits for them any longer. Called
    /// once for each removed node.
    /// </summary>
    void OnSenderClosed(NodeInfo sender, Instant now);

    /// <summary>
    /// No multicast of a sender arrives here, although others report its packets. Called once each time that this
    /// begins.
    /// </summary>
    void OnSenderUnheard(NodeInfo sender, Instant now);

    /// <summary>This node leads the ring of a region that it sends to itself: feedback for its own stream.</summary>
    void OnOwnAck(RegionView view, in AckBody ack, Instant now);

    /// <summary>A member has reported a new limit for this node's datagrams on the way to it.</summary>
    /// <param name="member">The member that reports.</param>
    /// <param name="longest">The longest datagram that arrives, in bytes; 0 when all do.</param>
    /// <param name="now">The time of the report.</param>
    void OnPathTold(NodeInfo member, int longest, Instant now)
    {
    }

    /// <summary>This node has measured a new limit for another node's datagrams on the way here.</summary>
    /// <param name="from">The node that sends.</param>
    /// <param name="longest">The longest datagram that arrives, in bytes; 0 when all do.</param>
    /// <param name="full">The longest datagram that the node would send.</param>
    /// <param name="now">The time of the measurement.</param>
    void OnPathFound(NodeInfo from, int longest, int full, Instant now)
    {
    }

    /// <summary>A way is blocked: packets of no length pass on it, although control datagrams do.</summary>
    /// <param name="other">The node at the other end.</param>
    /// <param name="isInbound">True: its packets do not arrive here; false: this node's do not arrive there.</param>
    /// <param name="now">The time of the finding.</param>
    void OnPathBlocked(NodeInfo other, bool isInbound, Instant now)
    {
    }
}
