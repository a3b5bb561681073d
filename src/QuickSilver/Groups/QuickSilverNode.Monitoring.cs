using QuickSilver.Monitoring;

namespace QuickSilver;

/// <content>Statistics of all nodes of the cluster.</content>
public sealed partial class QuickSilverNode
{
    /// <summary>Opens a monitor, which shows the statistics of all nodes. From then on every node publishes a snapshot
    /// once a second, until no monitor is left in the cluster. The membership server asks
    /// <see cref="SecurityOptions.Authorize"/> first, with <see cref="AuthorizationRequest.IsMonitor"/>.</summary>
    /// <param name="cancellationToken">Cancels the wait; the opening is undone in the background.</param>
    /// <returns>The monitor. Dispose of it to end it.</returns>
    /// <exception cref="OperationCanceledException">The wait was cancelled; the message describes the
    /// obstacle.</exception>
    /// <exception cref="ObjectDisposedException">The node has been disposed of.</exception>
    /// <exception cref="NodeEvictedException">The node was removed from the cluster meanwhile.</exception>
    /// <exception cref="QuickSilverException"><see cref="ErrorCode.JoinTimedOut"/>;
    /// <see cref="ErrorCode.MembershipRefused"/>: this node may not monitor, or the membership server runs a version
    /// without cluster-wide statistics.</exception>
    public Task<ClusterMonitor> MonitorClusterAsync(CancellationToken cancellationToken = default) =>
        throw new NotImplementedException("The monitor comes with one of the next commits.");
}
