using System.CommandLine;
using System.Globalization;
using QuickSilver.Cli.Arguments;
using QuickSilver.Cli.Printing;
using QuickSilver.WideArea;

namespace QuickSilver.Cli.Commands;

/// <summary>Lists the other sites, and the links of the own site's gateway.</summary>
internal sealed class Sites : NodeCommand
{
    private const double UsualSeconds = 3;
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(50);

    private readonly Option<double> _seconds = new Option<double>("--seconds")
    {
        Description = "How long a gateway of the site is listened for, at most.",
        DefaultValueFactory = static _ => UsualSeconds,
    }.Above(0.0);

    /// <summary>Makes the command.</summary>
    public Sites()
        : base("sites", "Lists the other sites, how they are reached, and the links of this site's gateway.") =>
        Line.Options.Add(_seconds);

    /// <inheritdoc/>
    protected override async Task<int> RunAsync(CommandCall call)
    {
        await using QuickSilverNode node = await StartAsync(call).ConfigureAwait(false);
        await using SiteView view = await SiteView.OpenAsync(node, call.Stop).ConfigureAwait(false);
        IReadOnlyList<SiteRoute> sites =
            await HearAsync(view, TimeSpan.FromSeconds(call.Value(_seconds)), call.Stop).ConfigureAwait(false);
        if (sites.Count == 0)
        {
            throw CommandFailure.Of(
                "No gateway of a site was heard. Start one in this cluster (docs/wide-area.md), or give --server and "
                + "--cluster of a cluster that has one.");
        }
        var table = new TextTable(
            "SITE", "VIA", "LINK", "STATE", ">ROUND TRIP", ">LOSS", ">BYTES/S", ">WAITING", ">SENT AGAIN", ">FAILURES");
        foreach (SiteRoute site in sites)
        {
            SiteLinkStatistics? link = site.Link;
            table.Add(
            [
                site.Site, site.Via ?? "not reached", .. link is null ? Enumerable.Repeat("", 8) :
                [
                    link.Transport.ToString(), link.State.ToString(),
                    Text($"{link.RoundTrip.TotalMilliseconds:N1} ms"), Text($"{link.Loss * 100:N1} %"),
                    Text($"{link.BytesPerSecond:N0}"), Text($"{link.Waiting:N0}"), Text($"{link.PacketsResent:N0}"),
                    Text($"{link.Failures:N0}"),
                ],
            ]);
        }
        call.Printer.Print(table, sites.Select(Of));
        return sites.All(static site => site.Via is not null) ? ExitCode.Done : ExitCode.NotInOrder;
    }

    /// <summary>Waits until the gateway has told how it reaches other sites.</summary>
    /// <returns>Its routes; none when no gateway was heard in that time.</returns>
    /// <exception cref="OperationCanceledException">The command is to end.</exception>
    internal static async Task<IReadOnlyList<SiteRoute>> HearAsync(
        SiteView view, TimeSpan time, CancellationToken stop)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(stop);
        limit.CancelAfter(time);
        while (view.GetRoutes().Count == 0 && !limit.IsCancellationRequested)
            await Task.Delay(Look, limit.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        stop.ThrowIfCancellationRequested();
        return view.GetRoutes();
    }

    private static PrintItem Of(SiteRoute site)
    {
        SiteLinkStatistics? link = site.Link;
        PrintItem item = new PrintItem("site").Add("site", site.Site).Add("via", site.Via);
        if (link is null) return item;
        return item.Add("transport", link.Transport.ToString()).Add("state", link.State.ToString())
            .Add("roundTrip", link.RoundTrip).Add("leastRoundTrip", link.LeastRoundTrip).Add("loss", link.Loss)
            .Add("bytesPerSecond", link.BytesPerSecond).Add("waiting", link.Waiting).Add("open", link.Open)
            .Add("packetsSent", link.PacketsSent).Add("packetsResent", link.PacketsResent)
            .Add("packetsReceived", link.PacketsReceived).Add("packetsRebuilt", link.PacketsRebuilt)
            .Add("bytesSent", link.BytesSent).Add("rejected", link.Rejected).Add("ups", link.Ups)
            .Add("failures", link.Failures);
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
