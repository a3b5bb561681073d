using System.Diagnostics;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Bench.Roles;

/// <summary>A member of a cluster in which nobody sends.</summary>
internal static class IdleRole
{
    /// <summary>Joins, waits for the others and the word to go, lets the start-up settle, then watches
    /// itself.</summary>
    public static async Task RunAsync(RoleChannel channel)
    {
        RoleOrder order = channel.Order;
        await using QuickSilverNode node = await RoleNode.StartAsync(order);
        IReadOnlyList<Group> groups = await node.JoinManyAsync(RoleNode.GroupNames(order.Groups));
        foreach (Group group in groups) await group.WaitForMembersAsync(order.Receivers);
        channel.TellReady();
        await channel.Go;
        await Task.Delay(TimeSpan.FromSeconds(order.WarmUpSeconds));

        var meter = new LoadMeter();
        NodeStatistics before = await SettledStatistics.ReadAsync(node);
        meter.Begin();
        long since = Stopwatch.GetTimestamp();
        await Task.Delay(TimeSpan.FromSeconds(order.MeasuredSeconds));
        meter.End();
        double seconds = Stopwatch.GetElapsedTime(since).TotalSeconds;
        NodeStatistics after = await SettledStatistics.ReadAsync(node);

        var report = new ProcessReport
        {
            Process = order.Name,
            Role = order.Role.ToString(),
            MeasuredSeconds = seconds,
            CpuSeconds = meter.CpuSeconds,
            AllocatedBytes = meter.AllocatedBytes,
            PeakMemoryBytes = ProcessUsage.Now().PeakMemoryBytes,
            Idle = new IdleReport(
                seconds,
                meter.CpuSeconds / seconds,
                after.DatagramsSent - before.DatagramsSent,
                after.LoopTurns - before.LoopTurns),
        };
        channel.TellResult(report.With(after));
        await RoleChannel.StayAsync();
    }
}
