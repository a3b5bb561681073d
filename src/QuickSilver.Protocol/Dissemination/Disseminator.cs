using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination;

/// <summary>The sending half of a node: its group senders, its streams, and the step it sends in. Core thread only.</summary>
public sealed class Disseminator
{
    /// <summary>Makes the sending half of a node; it sends nothing before <see cref="Start"/> and <see cref="SwitchTo"/>.</summary>
    public Disseminator(
        DisseminationSettings settings, ITransport transport, ISink roots, AlarmQueue alarms, BufferPool pool, DisseminationCounters counters, IDisseminationEvents events)
    {
        _ = (settings, transport, roots, alarms, pool, counters, events);
    }

    /// <summary>The step this node sends in; none before the first <see cref="SwitchTo"/>.</summary>
    public StepNumber ActiveStep => throw new NotSupportedException();

    /// <summary>The node is registered: what its datagrams will carry.</summary>
    public void Start(NodeInfo self, ulong clusterInstance) => throw new NotSupportedException();

    /// <summary>The sender of a group: the same object for ever per group id, so that message numbers survive leaves and joins.</summary>
    public GroupSender OpenGroup(GroupInfo group) => throw new NotSupportedException();

    /// <summary>This node's stream into a view, by what a datagram header names it with; null when there is none. O(1).</summary>
    public StreamSender? FindStream(uint viewTag, uint viewCounter) => throw new NotSupportedException();

    /// <summary>A step is installed; nothing is sent in it before <see cref="SwitchTo"/>.</summary>
    public void OnStepInstalled(InstalledStep step, Instant now) => throw new NotSupportedException();

    /// <summary>
    /// Sends in a step from now on, the one installed last: between two messages, all groups at once. Groups rebind at their next message; streams into superseded views end.
    /// </summary>
    public void SwitchTo(StepNumber step, ClusterView cluster, Instant now) => throw new NotSupportedException();

    /// <summary>A view is gone for good: its stream's record and channel go.</summary>
    public void OnViewRetired(RegionView view, Instant now) => throw new NotSupportedException();

    /// <summary>Nodes are gone from the cluster (<see cref="NodeInfo.IsRemoved"/> is set): nothing waits for them any more.</summary>
    public void OnNodesRemoved(IReadOnlyList<NodeInfo> nodes, Instant now) => throw new NotSupportedException();

    /// <summary>Feedback of a region to one of this node's streams.</summary>
    /// <returns>False when it names what was never sent; then nothing has changed.</returns>
    public bool OnAck(StreamSender stream, in AckBody ack, Instant now) => throw new NotSupportedException();

    /// <summary>A member of the stream's view, or its whole partition, lacks packets.</summary>
    /// <returns>False when it names what was never sent; then nothing has changed.</returns>
    public bool OnNak(StreamSender stream, in NakBody nak, NodeInfo asker, Instant now) => throw new NotSupportedException();

    /// <summary>Releases every buffer, channel and alarm; tickets and markers are not told. Not used afterwards.</summary>
    public void Close() => throw new NotSupportedException();
}
