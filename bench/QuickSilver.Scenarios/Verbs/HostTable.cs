using QuickSilver.Bench.Agents;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>Which host did what, and what it is.</summary>
internal static class HostTable
{
    /// <summary>Puts it below a table of figures; without agents there is nothing to add.</summary>
    /// <param name="figures">The table.</param>
    /// <param name="cluster">The hosts.</param>
    /// <param name="receivers">Of the runs; where they vary, of the largest.</param>
    public static IRenderable With(IRenderable figures, AgentCluster? cluster, int receivers)
    {
        if (cluster is null) return figures;
        Table table = new Table().Border(TableBorder.Simple).Title(new TableTitle(cluster.Text, Style.Plain));
        foreach (string title in (string[])[
            "host", "did", "processors", "kernel", "card", "MTU", "largest receive buffer", "offloads"])
        {
            table.AddColumn(title);
        }
        for (int number = 0; number < cluster.Agents.Count; number++)
        {
            HostFacts facts = cluster.Agents[number].Facts;
            table.AddRow(
                cluster.Agents[number].Name,
                cluster.DutiesOf(number, receivers),
                $"{facts.Machine.Cores}, {facts.Machine.Processor}",
                facts.Machine.System,
                facts.Card + (facts.BitsPerSecond > 0 ? $", {facts.BitsPerSecond / 1e6:N0} Mb/s" : ""),
                $"{facts.Mtu:N0}",
                facts.Machine.LargestReceiveBuffer ?? "?",
                facts.Offloads ?? "?");
        }
        return new Rows(
            figures, table,
            new Text("Clocks of hosts differ: latency is half of a round trip, which receivers echo, and what the "
                + "sender was late with the message."));
    }
}
