using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Bench.Roles;

/// <summary>Makes a sender's report.</summary>
internal static class SenderReport
{
    /// <summary>What a source and a meter have counted.</summary>
    public static ProcessReport Of(RoleOrder order, TrafficSource source, LoadMeter meter) => new()
    {
        Process = order.Name,
        Role = order.Role.ToString(),
        Sent = source.Sent,
        Measured = source.Measured,
        MeasuredSeconds = order.MeasuredSeconds,
        Rate = source.Measured / order.MeasuredSeconds,
        Lateness = source.Lateness,
        CpuSeconds = meter.CpuSeconds,
        AllocatedBytes = meter.AllocatedBytes,
        PeakMemoryBytes = ProcessUsage.Now().PeakMemoryBytes,
        ResidentBytes = Environment.WorkingSet,
    };
}
