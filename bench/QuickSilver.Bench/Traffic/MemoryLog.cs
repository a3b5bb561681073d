using System.Diagnostics;
using QuickSilver.Bench.Reports;

namespace QuickSilver.Bench.Traffic;

/// <summary>Notes what the process holds, once a second, and forces full collections on the way if it is told to. Uses
/// a timer of its own; its samples are a few dozen bytes a second.</summary>
internal sealed class MemoryLog : IDisposable
{
    private static readonly TimeSpan Period = TimeSpan.FromSeconds(1);

    private readonly Lock _lock = new();
    private readonly List<MemorySample> _samples = [];
    private readonly double _collectSeconds;
    private readonly long _start = Stopwatch.GetTimestamp();
    private readonly Timer _timer;
    private double _collectedAt;

    /// <summary>Begins to note.</summary>
    /// <param name="collectSeconds">Seconds between forced full, blocking, compacting collections; 0: none.</param>
    public MemoryLog(double collectSeconds)
    {
        _collectSeconds = collectSeconds;
        _timer = new Timer(static state => ((MemoryLog)state!).Note(), this, Period, Period);
    }

    /// <summary>The longest of the collections that were forced.</summary>
    public TimeSpan LongestCollection { get; private set; }

    /// <summary>How many were forced.</summary>
    public int Collections { get; private set; }

    /// <summary>What was noted so far, oldest first.</summary>
    public IReadOnlyList<MemorySample> Samples
    {
        get
        {
            lock (_lock) return [.. _samples];
        }
    }

    /// <summary>Ends it.</summary>
    public void Dispose() => _timer.Dispose();

    private void Note()
    {
        // A collection can take longer than the period: then this call is left out.
        if (!_lock.TryEnter()) return;
        try
        {
            double now = Stopwatch.GetElapsedTime(_start).TotalSeconds;
            if (_collectSeconds > 0 && now - _collectedAt >= _collectSeconds)
            {
                _collectedAt = now;
                long before = Stopwatch.GetTimestamp();
                GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true, compacting: true);
                TimeSpan took = Stopwatch.GetElapsedTime(before);
                if (took > LongestCollection) LongestCollection = took;
                Collections++;
            }
            _samples.Add(new MemorySample(now, Environment.WorkingSet, GC.GetTotalMemory(forceFullCollection: false)));
        }
        finally
        {
            _lock.Exit();
        }
    }
}
