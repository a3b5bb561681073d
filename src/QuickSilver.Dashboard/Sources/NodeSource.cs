using System.Runtime.CompilerServices;

namespace QuickSilver.Dashboard.Sources;

/// <summary>Watches a cluster by a monitor of a node.</summary>
/// <param name="findNode">Waits for the node.</param>
internal sealed class NodeSource(Func<CancellationToken, Task<QuickSilverNode>> findNode) : IClusterSource
{
    /// <inheritdoc/>
    public async IAsyncEnumerable<ClusterSnapshot> ReadAllAsync(
        [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        QuickSilverNode node = await findNode(cancellationToken).ConfigureAwait(false);
        ClusterMonitor monitor = await node.MonitorClusterAsync(cancellationToken).ConfigureAwait(false);
        await using (monitor.ConfigureAwait(false))
        {
            await foreach (ClusterSnapshot snapshot in
                monitor.ReadAllAsync(cancellationToken).ConfigureAwait(false))
            {
                yield return snapshot;
            }
        }
    }
}
