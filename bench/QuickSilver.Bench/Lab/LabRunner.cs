using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Runs;

namespace QuickSilver.Bench.Lab;

/// <summary>
/// Leads the processes of one run through it, wherever they are: hosts first, then all others, then the word to go;
/// reads the network's counters and a broker's processor time before the first message and after the last.
/// </summary>
internal static class LabRunner
{
    private static readonly TimeSpan StartLimit = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan FinishLimit = TimeSpan.FromSeconds(60);

    /// <summary>Runs it. A failure is in the report, not thrown.</summary>
    /// <param name="run">Filled in and returned.</param>
    /// <param name="lab">Where it runs; stays the caller's.</param>
    /// <param name="starts">The processes; the first ones may be <see cref="RoleKind.Host"/>.</param>
    /// <param name="broker">Running already; null when there is none.</param>
    /// <param name="ct">Ends it.</param>
    /// <param name="meanwhile">Begun with the run, to do something to its processes; null for nothing.</param>
    public static async Task<RunReport> RunAsync(
        RunReport run,
        ILab lab,
        IReadOnlyList<RoleStart> starts,
        Broker? broker,
        CancellationToken ct,
        Func<IReadOnlyList<RoleProcess>, Task>? meanwhile = null)
    {
        var processes = new List<RoleProcess>();
        try
        {
            foreach (bool isHost in (bool[])[true, false])
            {
                foreach (RoleStart start in starts.Where(start => start.Order.Role == RoleKind.Host == isHost))
                {
                    processes.Add(await RoleProcess.StartAsync(start.Order, start.Launch));
                }
                await RunLimit.WaitAsync(
                    processes, Task.WhenAll(processes.Select(process => process.Ready)), StartLimit, "to start", ct);
            }
            List<RoleProcess> receivers =
            [
                .. processes.Where(
                    process => process.Order.Role.ToString()
                        .EndsWith(nameof(RoleKind.Receiver), StringComparison.Ordinal)),
            ];
            List<RoleProcess> senders = [
                .. processes.Where(process => process.Order.Role != RoleKind.Host).Except(receivers)];
            long bytes = await lab.SentBytesAsync();
            double cpu = broker?.CpuSeconds() ?? 0;
            foreach (RoleProcess process in senders) await process.TellAsync(new RoleCommand("go"));
            Task disturbing = meanwhile?.Invoke(processes) ?? Task.CompletedTask;
            TimeSpan runTime = TimeSpan.FromSeconds(
                starts.Max(start => start.Order.WarmUpSeconds + start.Order.MeasuredSeconds));
            Task<ProcessReport[]> sending = Task.WhenAll(senders.Select(process => process.Result));
            Task<DistanceReport?> distance = ProcessorDistance.WatchAsync(
                [.. starts.Select(start => start.Order)], sending);
            await RunLimit.WaitAsync(processes, sending, runTime + FinishLimit, "to send", ct);
            await disturbing;

            long total = sending.Result.Sum(report => report.Sent);
            foreach (RoleProcess process in receivers) await process.TellAsync(new RoleCommand("total", total));
            Task<ProcessReport[]> receiving = Task.WhenAll(receivers.Select(process => process.Result));
            await RunLimit.WaitAsync(processes, receiving, FinishLimit, "to receive the rest", ct);
            return run with
            {
                Processes = [.. sending.Result, .. receiving.Result.Select(WithEcho)],
                Distance = await distance,
                WireBytes = await lab.SentBytesAsync() - bytes,
                BrokerCpuSeconds = broker is null ? null : broker.CpuSeconds() - cpu,
            };

            // Where clocks differ, a receiver's latency is known to the sender.
            ProcessReport WithEcho(ProcessReport report, int index) => sending.Result[0].Echoes is { } echoes
                ? report with { Latency = echoes[receivers[index].Order.Number] } : report;
        }
        catch (RunFailedException failure)
        {
            return run with
            {
                Failures = [broker is null ? failure.Message : $"{failure.Message} (broker: {broker.LastLines})"]
            };
        }
        finally
        {
            await Task.WhenAll(processes.Select(process => process.DisposeAsync().AsTask()));
        }
    }
}
