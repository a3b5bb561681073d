using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Stack;

/// <summary>Builds one node out of the rooms, and is its face to the host. Core thread only.</summary>
public sealed class NodeStack : ICompletionHandler, IPullRoots
{
    /// <summary>Builds a node that does nothing yet.</summary>
    public NodeStack(NodeSettings settings, NodeHost host)
    {
        _ = settings;
        _ = host;
    }

    /// <summary>Counters and gauges.</summary>
    public NodeCounters Counters { get; } = new();

    /// <summary>The cluster as installed here.</summary>
    public ClusterView Cluster => throw new NotSupportedException();

    /// <summary>The step this node sends in.</summary>
    public Wire.StepNumber SendStep => throw new NotSupportedException();

    /// <inheritdoc/>
    public bool HasWork => throw new NotSupportedException();

    /// <summary>The channel to the membership server is open: the node registers, or registers again.</summary>
    public void OnMembershipConnected(Instant now) => throw new NotSupportedException();

    /// <summary>The channel is closed.</summary>
    public void OnMembershipDisconnected(Instant now) => throw new NotSupportedException();

    /// <summary>One frame from the membership server, without its length prefix.</summary>
    public void OnMembershipFrame(ReadOnlySpan<byte> frame, Instant now) => throw new NotSupportedException();

    /// <summary>Joins groups.</summary>
    public void Join(JoinRequest request, Instant now) => throw new NotSupportedException();

    /// <summary>Stops caring for a join: what it was admitted to is left again.</summary>
    public void CancelJoin(JoinRequest request, Instant now) => throw new NotSupportedException();

    /// <summary>Leaves groups, after what was admitted to them is bound.</summary>
    public void Leave(LeaveRequest request, Instant now) => throw new NotSupportedException();

    /// <summary>A group this node is in; null when it is not.</summary>
    public LocalGroup? FindGroup(string name) => throw new NotSupportedException();

    /// <summary>Says goodbye to the membership server and releases every buffer, channel and alarm. The stack is not used afterwards.</summary>
    public void Shutdown(Instant now) => throw new NotSupportedException();

    /// <inheritdoc/>
    public void Handle(in Completion completion, Instant now) => throw new NotSupportedException();

    /// <inheritdoc/>
    public int PullAll(Instant now) => throw new NotSupportedException();
}
