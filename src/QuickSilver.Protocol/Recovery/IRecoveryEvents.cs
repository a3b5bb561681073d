using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Recovery;

/// <summary>The reports of recovery to its node: to the application, and to the membership server. Core thread
/// only.</summary>
internal interface IRecoveryEvents
{
    /// <summary>
    /// A peer's token reports a removal that the membership server has not announced to this node yet. The node must
    /// count as removed when the call returns. The callee may report removals to recovery within the call.
    /// </summary>
    void OnRemovalHeard(NodeInfo removed, Instant now);

    /// <summary>
    /// Streams of removed senders are closed in a view: this member has the rest of them. The report may be repeated
    /// when the membership server has confirmed a removal.
    /// </summary>
    void OnStreamsClosed(RegionView view, IReadOnlyList<NodeInfo> senders, Instant now);

    /// <summary>A member begins, or ceases, to hold regions up. Twice a second at most.</summary>
    void OnLagChanged(Instant now)
    {
    }

    /// <summary>
    /// No multicast of a sender arrives here, although others report its packets. Called once each time that this
    /// begins.
    /// </summary>
    void OnSenderUnheard(NodeInfo sender, Instant now);

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
