using System.Diagnostics;

namespace QuickSilver.Benchmarks.Cluster;

/// <summary>Adds up the time of the rounds that count. One thread.</summary>
internal sealed class ClusterClock
{
    /// <summary>Rounds so far.</summary>
    public int Rounds { get; private set; }

    /// <summary>How long they took together.</summary>
    public TimeSpan Elapsed { get; private set; }

    /// <summary>Times one.</summary>
    public async Task TimeAsync(Func<Task> round)
    {
        long start = Stopwatch.GetTimestamp();
        await round();
        Elapsed += Stopwatch.GetElapsedTime(start);
        Rounds++;
    }
}
