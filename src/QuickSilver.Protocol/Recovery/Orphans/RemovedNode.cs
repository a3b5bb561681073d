using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Recovery.Orphans;

/// <summary>A node that was removed, until all its streams to views of this node are closed.</summary>
internal sealed class RemovedNode(NodeInfo node)
{
    public NodeInfo Node { get; } = node;

    /// <summary>
    /// The membership server has said so itself, in order with its steps: every view that the node could send to is installed here. Until then it is
    /// only known from a peer, which may be ahead.
    /// </summary>
    public bool IsConfirmed { get; set; }
}
