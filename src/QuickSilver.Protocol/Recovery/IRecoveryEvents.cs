using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery;

/// <summary>What recovery asks and tells the rest of its node. Core thread only.</summary>
public interface IRecoveryEvents
{
    /// <summary>True when delivery can take a well-formed packet; false: it is treated as never received.</summary>
    bool HasRoomFor(RegionView view, NodeInfo sender, ReadOnlySpan<byte> datagram);

    /// <summary>
    /// Asked for a packet for which there is no room, and which is one of the few that follow the last before its stream's first gap: true when
    /// delivery takes it all the same, so that the stream goes on by more than one packet at a time. Then it is stored.
    /// </summary>
    bool TryTakeBeyondCap(RegionView view, NodeInfo sender, ReadOnlySpan<byte> datagram);

    /// <summary>True when <see cref="TryTakeBeyondCap"/> may take one more packet of a stream: what need not be asked for while it may not.</summary>
    bool MayTakeBeyondCap(RegionView view, NodeInfo sender);

    /// <summary>True when delivery can take so many bytes more, whatever they are: what need not be asked for while it cannot.</summary>
    bool HasRoomFor(int bytes);

    /// <summary>True when the packet's body keeps its format: asked before the packet is stored.</summary>
    bool IsWellFormed(RegionView view, ReadOnlySpan<byte> datagram);

    /// <summary>
    /// A packet has been stored: deliver what is in it. Called once per packet, in any order of sequences; what delivery needs
    /// for longer it retains.
    /// </summary>
    void OnPacket(RegionView view, NodeInfo sender, in Slice datagram, Instant now);

    /// <summary>A round has found which members of a view are behind; nobody, when the list is empty. Once for each round heard of, not allocated for.
    /// </summary>
    void OnRoundTold(RegionView view, LagList behind, Instant now);

    /// <summary>
    /// A peer's token says that a node is removed, which the membership server has not told this node yet: it must count as removed when the call
    /// returns. <see cref="Recoverer.OnNodesRemoved"/> may be called from inside.
    /// </summary>
    void OnRemovalHeard(NodeInfo removed, Instant now);

    /// <summary>
    /// Streams of removed senders are closed in a view: this member has what is left of them, and nothing more will come. May be told again when the
    /// membership server has confirmed a removal.
    /// </summary>
    void OnStreamsClosed(RegionView view, IReadOnlyList<NodeInfo> senders, Instant now);

    /// <summary>In a removed sender's stream packets were abandoned.</summary>
    /// <param name="view">The view.</param>
    /// <param name="sender">The removed sender.</param>
    /// <param name="isTail">True when the last packets known to have been sent are among them.</param>
    void OnPacketsAbandoned(RegionView view, NodeInfo sender, bool isTail);

    /// <summary>
    /// All streams of a removed sender to views of this node are closed: whoever waits for something of it may go on. Once for each removed node.
    /// </summary>
    void OnSenderClosed(NodeInfo sender, Instant now);

    /// <summary>Nothing that a sender multicasts arrives here, while others tell of it; told once for each time that it begins.</summary>
    void OnSenderUnheard(NodeInfo sender, Instant now);

    /// <summary>This node leads the ring of a region that it sends to itself: feedback for its own stream.</summary>
    void OnOwnAck(RegionView view, in AckBody ack, Instant now);

    /// <summary>A member has said how long this node's datagrams may be to reach it; it is not what it was.</summary>
    /// <param name="member">The member.</param>
    /// <param name="longest">The longest that arrives; 0: all do.</param>
    /// <param name="now">The present instant.</param>
    void OnPathTold(NodeInfo member, int longest, Instant now)
    {
    }

    /// <summary>It was measured how long a node's datagrams may be to arrive here; it is not what it was.</summary>
    /// <param name="from">The node.</param>
    /// <param name="longest">The longest that arrives; 0: all do.</param>
    /// <param name="full">The longest that the node would send.</param>
    /// <param name="now">The present instant.</param>
    void OnPathFound(NodeInfo from, int longest, int full, Instant now)
    {
    }

    /// <summary>No packet passes from one node to another, of whatever length, though control does.</summary>
    /// <param name="other">The other node.</param>
    /// <param name="isInbound">True: its packets do not arrive here; false: this node's do not arrive there.</param>
    /// <param name="now">The present instant.</param>
    void OnPathBlocked(NodeInfo other, bool isInbound, Instant now)
    {
    }
}
