using QuickSilver.Dashboard.Json;

namespace QuickSilver.Dashboard.Figures;

/// <summary>Makes figures of snapshots, one after another. One thread at a time.</summary>
internal sealed class FigureMaker
{
    private const int MostPoints = 300;

    private readonly List<ClusterPoint> _points = [];
    private Dictionary<MemberId, NodeHistory> _histories = [];

    /// <summary>Takes the next snapshot.</summary>
    public ClusterFigures Make(ClusterSnapshot snapshot)
    {
        var histories = new Dictionary<MemberId, NodeHistory>(snapshot.Nodes.Count);
        var nodes = new List<NodeFigures>(snapshot.Nodes.Count);
        foreach (NodeReport report in snapshot.Nodes)
        {
            MemberId id = report.Snapshot.Member.Id;
            NodeHistory history = _histories.GetValueOrDefault(id) ?? new NodeHistory();
            if (!histories.TryAdd(id, history)) continue;
            history.Take(report.Snapshot);
            nodes.Add(NodeFigures.Of(report, history));
        }
        // A node that has left takes its history with it.
        _histories = histories;
        var figures = new ClusterFigures(snapshot, [.. nodes], _points);
        _points.Add(figures.Overview.Point);
        if (_points.Count > MostPoints) _points.RemoveAt(0);
        return figures;
    }
}
