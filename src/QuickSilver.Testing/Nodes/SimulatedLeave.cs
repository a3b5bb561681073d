using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Stack;

namespace QuickSilver.Testing.Nodes;

/// <summary>One departure of a simulated node from groups.</summary>
internal sealed class SimulatedLeave : LeaveRequest
{
    private readonly SimulatedNode _node;

    internal SimulatedLeave(SimulatedNode node, IReadOnlyList<LocalGroup> groups)
        : base(groups) => _node = node;

    /// <summary>True once the node is out of the groups.</summary>
    public bool IsCompleted { get; private set; }

    /// <inheritdoc/>
    public override void OnCompleted(Instant now)
    {
        IsCompleted = true;
        _node.Application.OnLeft(Groups);
    }
}
