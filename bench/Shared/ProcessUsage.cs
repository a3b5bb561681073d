using System.Diagnostics;

namespace QuickSilver.Bench;

/// <summary>What the process has used since its start.</summary>
/// <param name="CpuSeconds">User and kernel time of all its threads.</param>
/// <param name="AllocatedBytes">On the managed heap, exactly.</param>
/// <param name="PeakMemoryBytes">Largest resident set; 0 where the system does not tell.</param>
internal sealed record ProcessUsage(double CpuSeconds, long AllocatedBytes, long PeakMemoryBytes)
{
    /// <summary>Reads the counters. Pauses the process's threads for a moment to count allocations exactly.</summary>
    public static ProcessUsage Now()
    {
        using var process = Process.GetCurrentProcess();
        return new ProcessUsage(
            Environment.CpuUsage.TotalTime.TotalSeconds, GC.GetTotalAllocatedBytes(precise: true),
            process.PeakWorkingSet64);
    }
}
