using System.Diagnostics;
using QuickSilver.Bench.Processes;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Runs;

/// <summary>
/// Leads members through a run of <c>joins</c>: all join at once, a pair may send meanwhile, then one is killed. This
/// process hosts the membership.
/// </summary>
internal static class JoinsRunner
{
    private static readonly TimeSpan StartLimit = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan PartLimit = TimeSpan.FromSeconds(120);
    private static readonly TimeSpan Settling = TimeSpan.FromSeconds(2.5);

    /// <summary>What the membership host of a run did.</summary>
    /// <param name="JoinTurnMillis">Its longest turn while all joined.</param>
    /// <param name="DeathTurnMillis">Its longest turn around the death of a member.</param>
    /// <param name="BytesPerName">Managed memory that each group takes there.</param>
    public sealed record HostFigures(double JoinTurnMillis, double DeathTurnMillis, double BytesPerName);

    /// <summary>Runs one node alone, which hosts its membership itself.</summary>
    public static Task<RunReport> RunAloneAsync(RunReport run, RoleOrder order, CancellationToken ct) =>
        ClusterRunner.RunAsync(
            run,
            [order with { Cluster = $"joins-{Environment.ProcessId}", MembershipPort = FreePort.Find() }],
            ct);

    /// <summary>Runs members, and the pair if there is one.</summary>
    public static async Task<(RunReport Run, HostFigures? Host)> RunAsync(
        RunReport run, IReadOnlyList<RoleOrder> members, IReadOnlyList<RoleOrder> pair, CancellationToken ct)
    {
        var options = new QuickSilverOptions { ClusterName = $"joins-{Environment.ProcessId}", NodeName = "host" };
        options.Membership.Port = FreePort.Find();
        options.Security.UseRunKey(members[0].Key);
        await using QuickSilverNode host = await QuickSilverNode.StartAsync(options, ct);
        var processes = new List<RoleProcess>();
        try
        {
            List<RoleProcess> first = await StartAsync([members[0] with { Number = -1, Name = "first" }]);
            List<RoleProcess> joiners = await StartAsync(members);
            List<RoleProcess> others = await StartAsync(pair);
            await WaitAsync(processes.Select(process => process.Ready), StartLimit, "to start");
            first[0].Kill();
            await Task.Delay(2 * Settling, ct);
            long before = GC.GetTotalMemory(forceFullCollection: true);
            RoleProcess? sender = others.Find(process => process.Order.Role == RoleKind.Sender);
            if (sender is not null)
            {
                await sender.TellAsync(new RoleCommand("go", Stopwatch.GetTimestamp()));
                await Task.Delay(TimeSpan.FromSeconds(sender.Order.WarmUpSeconds), ct);
            }
            await host.TakeLongestTurnsAsync();
            long go = Stopwatch.GetTimestamp();
            foreach (RoleProcess process in joiners) await process.TellAsync(new RoleCommand("go", go));
            await WaitAsync(joiners.Select(process => process.Done), PartLimit, "to join");
            double joinTurn = (await host.TakeLongestTurnsAsync()).Host.TotalMilliseconds;
            double bytes = (double)(GC.GetTotalMemory(forceFullCollection: true) - before) / members[0].Groups;
            List<ProcessReport> reports = [];
            if (sender is not null)
            {
                ProcessReport sent = await sender.Result.WaitAsync(PartLimit, ct);
                RoleProcess receiver = others.Find(process => process.Order.Role == RoleKind.Receiver)!;
                await receiver.TellAsync(new RoleCommand("total", sent.Sent));
                reports.AddRange([sent, await receiver.Result.WaitAsync(PartLimit, ct)]);
            }
            await host.TakeLongestTurnsAsync();
            joiners[^1].Kill();
            joiners.RemoveAt(joiners.Count - 1);
            await WaitAsync(joiners.Select(process => process.Result), PartLimit, "to see one die");
            double deathTurn = (await host.TakeLongestTurnsAsync()).Host.TotalMilliseconds;
            foreach (RoleProcess process in joiners) reports.Add(await process.Result);
            return (run with { Processes = reports }, new HostFigures(joinTurn, deathTurn, bytes));
        }
        catch (RunFailedException failure)
        {
            return (run with { Failures = [failure.Message] }, null);
        }
        finally
        {
            await Task.WhenAll(processes.Select(process => process.DisposeAsync().AsTask()));
        }

        async Task<List<RoleProcess>> StartAsync(IReadOnlyList<RoleOrder> orders)
        {
            List<RoleProcess> started = [];
            foreach (RoleOrder order in orders)
            {
                started.Add(await RoleProcess.StartAsync(
                    order with { Cluster = options.ClusterName, MembershipPort = options.Membership.Port }));
                processes.Add(started[^1]);
            }
            return started;
        }

        Task WaitAsync(IEnumerable<Task> tasks, TimeSpan limit, string what) =>
            RunLimit.WaitAsync(processes, Task.WhenAll(tasks), limit, what, ct);
    }
}
