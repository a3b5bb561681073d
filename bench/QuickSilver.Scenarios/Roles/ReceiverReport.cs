using QuickSilver.Bench;
using QuickSilver.Scenarios.Reports;
using QuickSilver.Scenarios.Traffic;

namespace QuickSilver.Scenarios.Roles;

/// <summary>Makes a receiver's report.</summary>
internal static class ReceiverReport
{
    /// <summary>What a sink and a meter have counted.</summary>
    public static ProcessReport Of(RoleOrder order, TrafficSink sink, LoadMeter meter, long total) => new()
    {
        Process = order.Name,
        Role = order.Role.ToString(),
        Delivered = sink.Delivered,
        Lost = Math.Max(0, total - (sink.Delivered - sink.OutOfOrder - sink.Damaged)),
        OutOfOrder = sink.OutOfOrder,
        Damaged = sink.Damaged,
        Measured = sink.Measured,
        MeasuredSeconds = sink.Duration.TotalSeconds,
        Rate = sink.Rate,
        Latency = sink.Latency,
        CpuSeconds = meter.CpuSeconds,
        AllocatedBytes = meter.AllocatedBytes,
        PeakMemoryBytes = ProcessUsage.Now().PeakMemoryBytes,
        ResidentBytes = Environment.WorkingSet,
    };
}
