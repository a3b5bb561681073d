using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Bench.Roles;

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
        // The sender's clock is another: it has the latency then.
        Latency = order.EchoEvery == 0 ? sink.Latency : null,
        CpuSeconds = meter.CpuSeconds,
        AllocatedBytes = meter.AllocatedBytes,
        PeakMemoryBytes = ProcessUsage.Now().PeakMemoryBytes,
        ResidentBytes = Environment.WorkingSet,
    };
}
