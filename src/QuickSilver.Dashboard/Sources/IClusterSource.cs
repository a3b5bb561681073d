namespace QuickSilver.Dashboard.Sources;

/// <summary>Where a dashboard has its figures from: a monitor of a node, or what a test makes up.</summary>
internal interface IClusterSource
{
    /// <summary>Watches the cluster from the first step of the enumeration to its end. A slow reader gets the newest
    /// snapshot and misses those between.</summary>
    /// <param name="cancellationToken">Ends the watch.</param>
    IAsyncEnumerable<ClusterSnapshot> ReadAllAsync(CancellationToken cancellationToken);
}
