using System.Globalization;
using QuickSilver.Cli.Printing;

namespace QuickSilver.Cli.Commands;

/// <summary>Lists the nodes of the cluster.</summary>
internal sealed class Members : ClusterCommand
{
    /// <summary>Makes the command.</summary>
    public Members()
        : base("members", "Lists the nodes of the cluster, this one included.", isOnce: true)
    {
    }

    /// <inheritdoc/>
    protected override async Task<int> RunAsync(CommandCall call)
    {
        ClusterSnapshot cluster = await LookAsync(call).ConfigureAwait(false);
        var table = new TextTable("NODE", "ID", "STATE", ">GROUPS", ">PUBLISHERS", ">UPTIME", "SECURITY", "VERSION");
        var items = new List<PrintItem>();
        foreach (NodeReport report in cluster.Nodes)
        {
            NodeStatistics statistics = report.Snapshot.Statistics;
            Member member = report.Snapshot.Member;
            string state = report.IsSilent ? "silent" : statistics.State.ToString();
            table.Add(
                member.Name, member.Id.ToString(), state, Number(statistics.Groups), Number(statistics.Publishers),
                Number((long)statistics.Uptime.TotalSeconds) + " s", statistics.Security.ToString(),
                report.Snapshot.Version);
            items.Add(new PrintItem("member").Add("node", member.Name).Add("id", member.Id.ToString())
                .Add("identity", member.Identity).Add("state", state).Add("groups", statistics.Groups)
                .Add("publishers", statistics.Publishers).Add("uptime", statistics.Uptime)
                .Add("security", statistics.Security.ToString()).Add("version", report.Snapshot.Version)
                .Add("age", report.Age));
        }
        call.Printer.Print(table, items);
        return ExitCode.Done;
    }

    private static string Number(long value) => value.ToString("N0", CultureInfo.InvariantCulture);
}
