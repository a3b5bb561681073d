using System.Diagnostics;
using QuickSilver.Bench.Processes;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Runs;

/// <summary>Starts the processes of one run, leads them through it and collects what they found.</summary>
internal static class ClusterRunner
{
    private static readonly TimeSpan StartLimit = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan FinishLimit = TimeSpan.FromSeconds(60);

    /// <summary>Runs a cluster on ports and under a name of its own. This process hosts the membership and takes no
    /// part otherwise.</summary>
    public static async Task<RunReport> RunClusterAsync(
        RunReport run, IReadOnlyList<RoleOrder> orders, CancellationToken ct)
    {
        var options = new QuickSilverOptions
        {
            ClusterName = $"scenario-{Environment.ProcessId}-{run.Repetition}",
            NodeName = "host"
        };
        options.Membership.Port = FreePort.Find();
        options.Transport.Kind = orders[0].Transport;
        options.Security.UseRunKey(orders[0].Key);
        await using QuickSilverNode host = await QuickSilverNode.StartAsync(options, ct);
        return await RunAsync(
            run,
            [.. orders.Select(
                order => order with { Cluster = options.ClusterName, MembershipPort = options.Membership.Port })],
            ct);
    }

    /// <summary>Runs processes that need no membership.</summary>
    public static async Task<RunReport> RunAsync(RunReport run, IReadOnlyList<RoleOrder> orders, CancellationToken ct)
    {
        var processes = new List<RoleProcess>();
        try
        {
            foreach (RoleOrder order in orders) processes.Add(await RoleProcess.StartAsync(order));
            await RunLimit.WaitAsync(
                processes, Task.WhenAll(processes.Select(process => process.Ready)), StartLimit, "to start", ct);

            List<RoleProcess> receivers = [
                .. processes.Where(process => process.Order.Role is RoleKind.Receiver or RoleKind.RawReceiver)];
            List<RoleProcess> others = [.. processes.Except(receivers)];
            long now = Stopwatch.GetTimestamp();
            foreach (RoleProcess process in others) await process.TellAsync(new RoleCommand("go", now));
            TimeSpan runTime = TimeSpan.FromSeconds(orders.Max(order => order.WarmUpSeconds + order.MeasuredSeconds));
            Task<ProcessReport[]> sending = Task.WhenAll(others.Select(process => process.Result));
            Task<DistanceReport?> distance = ProcessorDistance.WatchAsync(orders, sending);
            ProcessReport[] sent = await RunLimit.WaitAsync(
                processes, sending, runTime + FinishLimit, "to send", ct);

            long total = sent.Sum(report => report.Sent);
            foreach (RoleProcess process in receivers) await process.TellAsync(new RoleCommand("total", total));
            Task<ProcessReport[]> receiving = Task.WhenAll(receivers.Select(process => process.Result));
            ProcessReport[] received = await RunLimit.WaitAsync(
                processes, receiving, FinishLimit, "to receive the rest", ct);
            return run with { Processes = [.. sent, .. received], Distance = await distance };
        }
        catch (RunFailedException failure)
        {
            return run with { Failures = [failure.Message] };
        }
        finally
        {
            await Task.WhenAll(processes.Select(process => process.DisposeAsync().AsTask()));
        }
    }
}
