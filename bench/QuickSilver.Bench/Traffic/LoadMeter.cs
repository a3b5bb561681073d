using System.Diagnostics;

namespace QuickSilver.Bench.Traffic;

/// <summary>
/// What the process used during the measured part of a run. Begin and End are called by the thread that sends or
/// receives, so they read two counters and no more: a look at the process as a whole walks through its threads' files,
/// which holds that thread up for milliseconds at the beginning of what it measures, and has the runtime compile for
/// seconds after.
/// </summary>
internal sealed class LoadMeter
{
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(50);
    private Reading? _begin;
    private Reading? _end;

    /// <summary>Reads the counters once, unused: the first reading compiles what reads them.</summary>
    public LoadMeter() => _ = Reading.Now();

    /// <summary>Processor time of all threads, in seconds.</summary>
    public double CpuSeconds => _begin is { } begin ? (_end ?? Reading.Now()).CpuSeconds - begin.CpuSeconds : 0;

    /// <summary>Bytes allocated on the managed heap, exactly; the meter's own few hundred included.</summary>
    public long AllocatedBytes =>
        _begin is { } begin ? (_end ?? Reading.Now()).AllocatedBytes - begin.AllocatedBytes : 0;

    /// <summary>The measured part begins.</summary>
    public void Begin() => _begin = Reading.Now();

    /// <summary>It has ended.</summary>
    public void End() => _end ??= Reading.Now();

    /// <summary>Begins and ends with the measured part of a run, whichever threads send in it, and if none does.
    /// Returns when the run is over.</summary>
    public async Task FollowAsync(RunClock clock)
    {
        while (clock.PhaseAt(Stopwatch.GetTimestamp()) == RunPhase.WarmUp) await Task.Delay(Look);
        Begin();
        while (clock.PhaseAt(Stopwatch.GetTimestamp()) == RunPhase.Measured) await Task.Delay(Look);
        End();
        while (clock.PhaseAt(Stopwatch.GetTimestamp()) is not null) await Task.Delay(Look);
    }

    private readonly record struct Reading(double CpuSeconds, long AllocatedBytes)
    {
        public static Reading Now() =>
            new(Environment.CpuUsage.TotalTime.TotalSeconds, GC.GetTotalAllocatedBytes(precise: true));
    }
}
