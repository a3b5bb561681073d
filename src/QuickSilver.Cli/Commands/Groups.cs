using System.Globalization;
using QuickSilver.Cli.Printing;

namespace QuickSilver.Cli.Commands;

/// <summary>Lists the busiest groups of the cluster.</summary>
internal sealed class Groups : ClusterCommand
{
    /// <summary>Makes the command.</summary>
    public Groups()
        : base("groups", "Lists groups of the cluster, busiest first: of each node at most its 32 busiest.",
            isOnce: true)
    {
    }

    /// <inheritdoc/>
    protected override async Task<int> RunAsync(CommandCall call)
    {
        ClusterSnapshot cluster = await LookAsync(call).ConfigureAwait(false);
        var table = new TextTable(
            "GROUP", "MODE", ">MEMBERS", ">REGIONS", ">SENT", ">BYTES SENT", ">PENDING", ">UNREAD",
            ">DROPPED", ">LOST");
        var items = new List<PrintItem>();
        IEnumerable<IGrouping<string, GroupStatistics>> groups = cluster.Nodes
            .SelectMany(static node => node.Snapshot.Groups).GroupBy(static one => one.Name, StringComparer.Ordinal)
            .OrderByDescending(static one => one.Sum(static row => row.BytesSent))
            .ThenBy(static one => one.Key, StringComparer.Ordinal);
        foreach (IGrouping<string, GroupStatistics> group in groups)
        {
            (int members, int regions) = (group.Max(static row => row.Members), group.Max(static row => row.Regions));
            string mode = group.First().Mode.ToString();
            long[] figures =
            [
                group.Sum(static row => row.MessagesSent), group.Sum(static row => row.BytesSent),
                group.Sum(static row => row.PendingBytes), group.Sum(static row => row.InboxMessages),
                group.Sum(static row => row.MessagesDropped), group.Sum(static row => row.MessagesLost),
            ];
            table.Add(
                [group.Key, mode, Number(members), Number(regions), .. figures.Select(Number)]);
            items.Add(new PrintItem("group").Add("group", group.Key).Add("mode", mode).Add("members", members)
                .Add("regions", regions).Add("sent", figures[0]).Add("bytesSent", figures[1])
                .Add("pendingBytes", figures[2]).Add("unread", figures[3]).Add("dropped", figures[4])
                .Add("lost", figures[5]));
        }
        call.Printer.Print(table, items);
        return ExitCode.Done;
    }

    private static string Number(long value) => value.ToString("N0", CultureInfo.InvariantCulture);
}
