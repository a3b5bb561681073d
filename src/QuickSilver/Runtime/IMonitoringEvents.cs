using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;

namespace QuickSilver.Runtime;

/// <summary>What the room of cluster-wide statistics is told of its node. Core thread only; must not throw.</summary>
internal interface IMonitoringEvents
{
    /// <summary>A monitor is open in the cluster, or none is left, or the node has left the cluster. May be
    /// repeated.</summary>
    void OnMonitored(bool isOpen);

    /// <summary>A change of views is installed.</summary>
    void OnStepInstalled(InstalledStep step);

    /// <summary>Nodes are gone from the cluster.</summary>
    void OnNodesRemoved(IReadOnlyList<NodeInfo> nodes);
}
