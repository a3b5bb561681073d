using QuickSilver.Samples;

namespace QuickSilver.Scenarios.Traffic;

/// <summary>What the process used during the measured part of a run. Begin and End are called by the thread that sends or receives.</summary>
internal sealed class LoadMeter
{
    private ProcessUsage? _begin;
    private ProcessUsage? _end;

    /// <summary>
    /// Reads the counters once, unused: the first reading compiles what reads them, which costs more than an idle process uses in ten seconds.
    /// </summary>
    public LoadMeter() => _ = ProcessUsage.Now();

    /// <summary>Processor time of all threads, in seconds.</summary>
    public double CpuSeconds => _begin is null ? 0 : (_end ?? ProcessUsage.Now()).CpuSeconds - _begin.CpuSeconds;

    /// <summary>Bytes allocated on the managed heap, exactly; the meter's own few hundred included.</summary>
    public long AllocatedBytes => _begin is null ? 0 : (_end ?? ProcessUsage.Now()).AllocatedBytes - _begin.AllocatedBytes;

    /// <summary>The measured part begins.</summary>
    public void Begin() => _begin = ProcessUsage.Now();

    /// <summary>It has ended.</summary>
    public void End() => _end ??= ProcessUsage.Now();
}
