using System.Runtime.CompilerServices;
using QuickSilver.Monitoring;

namespace QuickSilver;

/// <summary>
/// Shows the statistics of all nodes of a cluster (<see cref="QuickSilverNode.MonitorClusterAsync"/>). While one is
/// open anywhere, each node publishes a <see cref="NodeSnapshot"/> once a second; without one, none does. Nodes that
/// run a version without cluster-wide statistics are not shown.
/// <para>
/// A monitor ends with <see cref="DisposeAsync"/>, with its node, and with an eviction of its node: open another then.
/// Any number of readers may be open. All members may be called from any thread.
/// </para>
/// </summary>
public sealed class ClusterMonitor : IAsyncDisposable
{
    private readonly ClusterWatch _watch;

    internal ClusterMonitor(ClusterWatch watch) => _watch = watch;

    /// <summary>The newest snapshot. Never null; without nodes at first. Does not wait and allocates nothing.</summary>
    public ClusterSnapshot Latest => _watch.Latest;

    /// <summary>Completes when the monitor has ended. Faults when it ended by itself, with the reason, such as a
    /// <see cref="NodeEvictedException"/>.</summary>
    public Task Completion => _watch.Completion;

    /// <summary>Reads snapshots as they are put together, about once a second. A reader that is slow gets the newest
    /// one and misses those between; nothing is queued for it.</summary>
    /// <param name="cancellationToken">Ends the reading with an <see cref="OperationCanceledException"/>.</param>
    /// <returns>Snapshots, the present one first if it has nodes. The sequence ends with the monitor.</returns>
    /// <exception cref="OperationCanceledException">The reading was cancelled.</exception>
    /// <exception cref="QuickSilverException">The monitor ended by itself; this is the reason.</exception>
    public async IAsyncEnumerable<ClusterSnapshot> ReadAllAsync(
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        ClusterSnapshot? last = null;
        while (await _watch.NextAsync(last, cancellationToken).ConfigureAwait(false) is { } next)
        {
            yield return next;
            last = next;
        }
    }

    /// <summary>Ends the monitor. Nodes cease to publish when no other monitor is open in the cluster. Never throws;
    /// repeated calls wait for the same end.</summary>
    public ValueTask DisposeAsync() => _watch.DisposeAsync();
}
