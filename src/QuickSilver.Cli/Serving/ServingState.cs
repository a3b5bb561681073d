using System.Globalization;
using QuickSilver.Cli.Printing;

namespace QuickSilver.Cli.Serving;

/// <summary>What is told of the membership and of this tool's node in it. Any thread.</summary>
/// <param name="node">The node.</param>
/// <param name="cluster">Name of the cluster.</param>
internal sealed class ServingState(QuickSilverNode node, string cluster)
{
    private volatile string _reason = "";

    /// <summary>Notes why the node's state has changed.</summary>
    public void Note(NodeStateChanged changed) => _reason = changed.Reason;

    /// <summary>The state now.</summary>
    public PrintItem Now()
    {
        NodeStatistics statistics = node.GetStatistics();
        int? nodes = node.NodesServed;
        string place = node.ServingAt?.ToString() ?? "";
        string serves = nodes is { } count
            ? string.Create(CultureInfo.InvariantCulture, $"serves {count} nodes at {place}")
            : "is served by another process";
        string missing = statistics.MembersMissing == 0
            ? ""
            : string.Create(CultureInfo.InvariantCulture, $"; {statistics.MembersMissing} members are missing");
        string reason = _reason.Length == 0 || node.State == NodeState.Running
            ? ""
            : $": {TerminalText.Escape(_reason)}";
        return new PrintItem("membership").Add("cluster", cluster).Add("node", node.Name).Add("id", node.Id.ToString())
            .Add("state", node.State.ToString()).Add("serves", nodes is not null).Add("address", place)
            .Add("nodes", nodes).Add("missing", statistics.MembersMissing).Add("reason", _reason)
            .Add("security", statistics.Security.ToString()).Add("uptime", statistics.Uptime)
            .Say($"{TerminalText.Escape(node.Name)} ({node.Id}), {node.State} in cluster "
                + $"'{TerminalText.Escape(cluster)}', {serves}{missing}{reason}");
    }
}
