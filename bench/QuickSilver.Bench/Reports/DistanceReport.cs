namespace QuickSilver.Bench.Reports;

/// <summary>How far apart the machine's processors were while a run was measured: nanoseconds of a cache line from one
/// to the other.</summary>
/// <param name="Median">Of the samples.</param>
/// <param name="Low">A tenth of the samples were lower.</param>
/// <param name="High">A tenth of the samples were higher.</param>
/// <param name="Samples">How many there were.</param>
internal sealed record DistanceReport(double Median, double Low, double High, int Samples)
{
    // Within a core or a third-level cache 24 to 60 ns were seen, between two 140 to 180.
    private const double MostNear = 90;

    /// <summary>All the time they were near.</summary>
    public bool IsNear => High < MostNear;

    /// <summary>All the time they were far.</summary>
    public bool IsFar => Low >= MostNear;

    /// <summary>Sums up; null without samples.</summary>
    public static DistanceReport? Of(IReadOnlyCollection<double> samples)
    {
        if (samples.Count == 0) return null;
        double[] sorted = [.. samples.Order()];
        return new DistanceReport(At(0.5), At(0.1), At(0.9), sorted.Length);

        double At(double share) => Math.Round(sorted[(int)(share * (sorted.Length - 1))], 1);
    }

    /// <summary>In words, as "25 ns", or "25 to 160 ns" where it changed.</summary>
    public override string ToString() => IsNear || IsFar ? $"{Median:N0} ns" : $"{Low:N0} to {High:N0} ns";
}
