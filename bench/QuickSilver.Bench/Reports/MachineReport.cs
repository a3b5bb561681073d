using System.Runtime;
using System.Runtime.InteropServices;

namespace QuickSilver.Bench.Reports;

/// <summary>The machine and the runtime that a report comes from.</summary>
internal sealed record MachineReport
{
    public required string System { get; init; }

    public required string Processor { get; init; }

    public int Cores { get; init; }

    public long MemoryBytes { get; init; }

    public required string Runtime { get; init; }

    public required string Collector { get; init; }

    /// <summary>Largest receive buffer that the kernel grants, in bytes; null where it does not say.</summary>
    public string? LargestReceiveBuffer { get; init; }

    /// <summary>Load averages before the first run: what else the machine had to do.</summary>
    public string? Load { get; init; }

    /// <summary>Looks around.</summary>
    public static MachineReport Here() => new()
    {
        System = $"{RuntimeInformation.OSDescription} {RuntimeInformation.OSArchitecture}",
        Processor = ProcessorName(),
        Cores = Environment.ProcessorCount,
        MemoryBytes = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes,
        Runtime = RuntimeInformation.FrameworkDescription,
        Collector = $"{(GCSettings.IsServerGC ? "server" : "workstation")}, {GCSettings.LatencyMode}",
        LargestReceiveBuffer = FirstLine("/proc/sys/net/core/rmem_max"),
        Load = FirstLine("/proc/loadavg"),
    };

    private static string ProcessorName()
    {
        const string Key = "model name";
        if (!File.Exists("/proc/cpuinfo")) return RuntimeInformation.ProcessArchitecture.ToString();
        string? line = File.ReadLines("/proc/cpuinfo")
            .FirstOrDefault(text => text.StartsWith(Key, StringComparison.Ordinal));
        return line is null
            ? RuntimeInformation.ProcessArchitecture.ToString()
            : line[(line.IndexOf(':', StringComparison.Ordinal) + 1)..].Trim();
    }

    private static string? FirstLine(string path) =>
        File.Exists(path) ? File.ReadLines(path).FirstOrDefault()?.Trim() : null;
}
