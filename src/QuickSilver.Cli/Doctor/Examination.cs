using System.Collections.Concurrent;
using QuickSilver.Cli.Arguments;
using QuickSilver.Cli.Commands;
using QuickSilver.WideArea;

namespace QuickSilver.Cli.Doctor;

/// <summary>Gathers what the checks look at.</summary>
internal static class Examination
{
    private const int MostRecords = 1_000;
    private static readonly TimeSpan SitesTime = TimeSpan.FromSeconds(1.5);

    /// <summary>Examines.</summary>
    /// <param name="call">The command line.</param>
    /// <param name="arguments">The options of the node.</param>
    /// <param name="length">How long messages are exchanged.</param>
    public static async Task<Scene> RunAsync(CommandCall call, NodeArguments arguments, TimeSpan length)
    {
        var records = new ConcurrentQueue<HeardRecord>();
        QuickSilverOptions options = arguments.Read(
            call,
            (id, _, text) =>
            {
                if (records.Count < MostRecords) records.Enqueue(new HeardRecord(id, text));
            },
            quiet: true);
        var scene = new Scene(options, MachineFacts.Read());
        Task<ServerAnswer[]> asking = AskServersAsync(call, arguments);
        Scene joined;
        try
        {
            await using QuickSilverNode node = await QuickSilverNode.StartAsync(options, call.Stop)
                .ConfigureAwait(false);
            joined = await ExchangeAsync(node, scene, length, call.Stop).ConfigureAwait(false);
            joined = joined with { Sites = await HearSitesAsync(node, call.Stop).ConfigureAwait(false) };
        }
        catch (Exception failure) when (failure is QuickSilverException)
        {
            joined = scene with { StartFailure = failure };
        }
        return joined with { Servers = await asking.ConfigureAwait(false), Records = [.. records] };
    }

    private static async Task<Scene> ExchangeAsync(
        QuickSilverNode node, Scene scene, TimeSpan length, CancellationToken stop)
    {
        await using Announcements? announcements = scene.IsLocal ? null : new Announcements(node);
        await using Exchange exchange = await Exchange.JoinAsync(node, stop).ConfigureAwait(false);
        using var end = CancellationTokenSource.CreateLinkedTokenSource(stop);
        end.CancelAfter(length);
        await exchange.SendAsync(end.Token).ConfigureAwait(false);
        stop.ThrowIfCancellationRequested();
        return scene with
        {
            Peers = exchange.Peers(),
            Announced = announcements?.Servers() ?? [],
            Refused = announcements?.Refused() ?? [],
            Carrier = exchange.Carrier,
            Statistics = await node.GetStatisticsAsync(stop).ConfigureAwait(false),
        };
    }

    // After the exchange: one more group would give this node another region than the other doctors have.
    private static async Task<IReadOnlyList<SiteRoute>> HearSitesAsync(QuickSilverNode node, CancellationToken stop)
    {
        await using SiteView view = await SiteView.OpenAsync(node, stop).ConfigureAwait(false);
        return await Sites.HearAsync(view, SitesTime, stop).ConfigureAwait(false);
    }

    // Two that serve are two clusters. With one address there is nothing to compare.
    private static async Task<ServerAnswer[]> AskServersAsync(CommandCall call, NodeArguments arguments)
    {
        QuickSilverOptions common = arguments.Read(call, quiet: true);
        string[] servers = [.. common.Membership.Servers.Distinct()];
        if (common.Membership.Mode != MembershipMode.Client || servers.Length < 2) return [];
        return await Task.WhenAll(servers.Select(server => Task.Run(() => AskAsync(call, arguments, server))))
            .ConfigureAwait(false);
    }

    private static async Task<ServerAnswer> AskAsync(CommandCall call, NodeArguments arguments, string server)
    {
        QuickSilverOptions options = arguments.Read(call, quiet: true);
        options.NodeName = null;
        options.Membership.Servers.Clear();
        options.Membership.Servers.Add(server);
        try
        {
            await using QuickSilverNode node = await QuickSilverNode.StartAsync(options, call.Stop)
                .ConfigureAwait(false);
            return new ServerAnswer(server, null);
        }
        catch (QuickSilverException failure)
        {
            return new ServerAnswer(server, failure);
        }
    }
}
