namespace QuickSilver;

/// <summary>What the nodes of a cluster say of themselves, put together by a <see cref="ClusterMonitor"/>. A snapshot:
/// it does not change. Texts in it were chosen by other nodes: escape them before they are shown.</summary>
public sealed record ClusterSnapshot
{
    /// <summary>When the snapshot was put together, by the clock of the monitor's machine.</summary>
    public DateTimeOffset Time { get; init; }

    /// <summary>Name of the cluster.</summary>
    public string Cluster { get; init; } = "";

    /// <summary>The nodes that have told of themselves, by name, then by id. A node that falls silent stays until it is
    /// removed from the cluster.</summary>
    public IReadOnlyList<NodeReport> Nodes { get; init; } = [];

    /// <summary>The members that are behind, in the words of all nodes: one entry a member, those that hold up first
    /// before those that are merely late. <see cref="MemberLag.Groups"/> and <see cref="MemberLag.Regions"/> are of the
    /// node that tells of most packets.</summary>
    public IReadOnlyList<MemberLag> Slowest { get; init; } = [];

    /// <summary>Snapshots of nodes that were dropped since the monitor's start, because they broke a bound.</summary>
    public long SnapshotsRejected { get; init; }

    /// <summary>Returns the report of a node; null when it has none. O(nodes).</summary>
    /// <param name="id">Address and incarnation of the node.</param>
    public NodeReport? Find(MemberId id)
    {
        foreach (NodeReport node in Nodes)
        {
            if (node.Snapshot.Member.Id == id) return node;
        }
        return null;
    }
}
