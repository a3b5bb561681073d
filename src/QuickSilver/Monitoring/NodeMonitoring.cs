using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Runtime;

namespace QuickSilver.Monitoring;

/// <summary>
/// Cluster-wide statistics of one node: it publishes its own while somebody asks, and tells its monitors of nodes that
/// are gone. While nobody asks it has no task, no timer and no state. Core thread only, unless a member says otherwise.
/// </summary>
/// <param name="core">The node.</param>
/// <param name="join">Joins the group of snapshots.</param>
internal sealed class NodeMonitoring(NodeCore core, JoinHandle join) : IMonitoringEvents
{
    private readonly Lock _lock = new();
    private readonly List<ClusterWatch> _watches = [];
    private readonly ViewTimeline _timeline = new();
    private SnapshotPublishing? _publishing;

    /// <inheritdoc/>
    public void OnMonitored(bool isOpen)
    {
        core.Services.CheckCoreThread();
        if (isOpen == _publishing is not null) return;
        _publishing?.Stop();
        _publishing = null;
        _timeline.Clear();
        if (!isOpen) return;
        _publishing = new SnapshotPublishing(core, join, new SnapshotMaker(core, _timeline).Make);
        _publishing.Start();
    }

    /// <inheritdoc/>
    public void OnStepInstalled(InstalledStep step)
    {
        if (_publishing is not null) _timeline.OnStepInstalled(step);
    }

    /// <inheritdoc/>
    public void OnNodesRemoved(IReadOnlyList<NodeInfo> nodes)
    {
        lock (_lock)
        {
            foreach (ClusterWatch watch in _watches)
            {
                foreach (NodeInfo node in nodes) watch.Table.Remove(new MemberId(node));
            }
        }
    }

    /// <summary>Opens a monitor. Any thread.</summary>
    /// <param name="cancellationToken">Cancels the wait.</param>
    public async Task<ClusterWatch> OpenAsync(CancellationToken cancellationToken)
    {
        var table = new ClusterTable(core.Services.Options.ClusterName);
        GroupHandle handle = await join(StatisticsGroup.Name, false, cancellationToken).ConfigureAwait(false);
        var watch = new ClusterWatch(core, handle, table, Remove);
        lock (_lock) _watches.Add(watch);
        watch.Start();
        return watch;
    }

    private void Remove(ClusterWatch watch)
    {
        lock (_lock) _watches.Remove(watch);
    }
}
