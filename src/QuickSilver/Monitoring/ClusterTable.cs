using QuickSilver.Protocol.Core;

namespace QuickSilver.Monitoring;

/// <summary>What a monitor knows of all nodes. Any thread.</summary>
/// <param name="cluster">Name of the cluster.</param>
internal sealed class ClusterTable(string cluster)
{
    private const int MostNodes = 1 << 12;
    private const int MostRemoved = 1 << 12;

    private readonly Lock _lock = new();
    private readonly Dictionary<MemberId, ClusterRow> _rows = [];

    // Snapshots of a removed node may still be unread. An id never returns.
    private readonly HashSet<MemberId> _removed = [];
    private readonly Queue<MemberId> _removedInOrder = [];
    private long _rejected;

    /// <summary>Takes a message of a node.</summary>
    /// <param name="sender">The node, as the membership knows it.</param>
    /// <param name="payload">What it sent.</param>
    /// <param name="now">The present instant.</param>
    public void Take(Member sender, ReadOnlySpan<byte> payload, Instant now)
    {
        if (!MayTell(sender.Id, now)) return;
        NodeSnapshot? snapshot = SnapshotReader.TryRead(payload, sender);
        lock (_lock)
        {
            if (snapshot is null) _rejected++;
            else if (_removed.Contains(sender.Id)) return;
            else if (_rows.TryGetValue(sender.Id, out ClusterRow? row)) row.Take(snapshot, now);
            else _rows.Add(sender.Id, new ClusterRow(snapshot, now));
        }
    }

    /// <summary>A node is gone from the cluster.</summary>
    public void Remove(MemberId node)
    {
        lock (_lock)
        {
            _rows.Remove(node);
            if (!_removed.Add(node)) return;
            _removedInOrder.Enqueue(node);
            if (_removedInOrder.Count > MostRemoved) _removed.Remove(_removedInOrder.Dequeue());
        }
    }

    /// <summary>Puts a snapshot of the cluster together. O(n log n) of the nodes.</summary>
    public ClusterSnapshot Build(Instant now)
    {
        var nodes = new List<NodeReport>();
        long rejected;
        lock (_lock)
        {
            foreach (ClusterRow row in _rows.Values) nodes.Add(row.Report(now));
            rejected = _rejected;
        }
        nodes.Sort(static (left, right) =>
        {
            (Member a, Member b) = (left.Snapshot.Member, right.Snapshot.Member);
            int order = string.CompareOrdinal(a.Name, b.Name);
            return order != 0 ? order : a.Id.CompareTo(b.Id);
        });
        return new ClusterSnapshot
        {
            Time = TimeProvider.System.GetUtcNow(),
            Cluster = cluster,
            Nodes = nodes.AsReadOnly(),
            Slowest = SlowestMembers.Of(nodes),
            SnapshotsRejected = rejected,
        };
    }

    private bool MayTell(MemberId sender, Instant now)
    {
        lock (_lock)
        {
            if (_removed.Contains(sender)) return false;
            bool isGood = _rows.TryGetValue(sender, out ClusterRow? row)
                ? row.MayTell(now)
                : _rows.Count < MostNodes;
            if (!isGood) _rejected++;
            return isGood;
        }
    }
}
