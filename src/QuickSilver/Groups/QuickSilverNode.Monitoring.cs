using QuickSilver.Monitoring;
using QuickSilver.Runtime;

namespace QuickSilver;

/// <content>Statistics of all nodes of the cluster.</content>
public sealed partial class QuickSilverNode
{
    // A monitor that is late shows what is new, and is not ended for it.
    private static readonly GroupOptions MonitorOptions = new()
    {
        InboxMaxMessages = 1 << 12,
        InboxMaxBytes = 64L << 20,
        Overflow = OverflowPolicy.DropOldest,
        SelfDelivery = true,
    };

    private readonly NodeMonitoring _monitoring;

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
    /// <see cref="ErrorCode.NotAuthorized"/>: this node may not monitor; <see cref="ErrorCode.MembershipRefused"/>: the
    /// membership server runs a version without cluster-wide statistics.</exception>
    public async Task<ClusterMonitor> MonitorClusterAsync(CancellationToken cancellationToken = default) =>
        new(await _monitoring.OpenAsync(cancellationToken).ConfigureAwait(false));

    // Past the rule for names: the group's is reserved.
    private async Task<GroupHandle> JoinReservedAsync(
        string name, bool isPublisher, CancellationToken cancellationToken)
    {
        HandleSettings settings = isPublisher
            ? HandleSettings.From((PublisherOptions?)null, _defaults)
            : HandleSettings.From(MonitorOptions, _parts.Services.Options.Delivery);
        MessageSender[] joined = await JoinAllAsync([name], settings, cancellationToken).ConfigureAwait(false);
        return joined[0].Handle;
    }
}
