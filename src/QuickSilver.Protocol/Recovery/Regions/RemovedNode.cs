using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Recovery.Regions;

/// <summary>A removed node, until all its streams to views of this node are closed.</summary>
internal sealed class RemovedNode(NodeInfo node)
{
    public NodeInfo Node { get; } = node;

    /// <summary>
    /// True once the membership server has confirmed the removal, in order with its steps: every view that the node
    /// could send to is installed here. Until then only a peer has reported it, which may be ahead.
    /// </summary>
    public bool IsConfirmed { get; set; }
}
