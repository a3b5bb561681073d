using QuickSilver.Bench.Reports;

namespace QuickSilver.Bench.Longs;

/// <summary>The highest resident set of this process since an instant. Linux tells it exactly, elsewhere it is that of
/// the process's whole life.</summary>
internal sealed class MemoryPeak
{
    private const string Reset = "/proc/self/clear_refs";
    private const string ResetPeak = "5";

    /// <summary>Begins now.</summary>
    public MemoryPeak()
    {
        GC.Collect();
        try
        {
            if (OperatingSystem.IsLinux()) File.WriteAllText(Reset, ResetPeak);
        }
        catch (Exception refused) when (refused is IOException or UnauthorizedAccessException)
        {
            // A container may not allow it: the peak is then that of the process's life.
        }
        BeforeBytes = Environment.WorkingSet;
    }

    /// <summary>Resident set when it began.</summary>
    public long BeforeBytes { get; }

    /// <summary>What a message took since then.</summary>
    public LongReport Report(long bytes, double seconds, string? fault) => new(
        bytes, seconds, BeforeBytes, ProcessUsage.Now().PeakMemoryBytes, Environment.WorkingSet, fault);
}
