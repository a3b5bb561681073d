namespace QuickSilver.Bench;

/// <summary>Percentiles of durations, in microseconds.</summary>
internal sealed record LatencySummary(long Count, double P50, double P99, double P999, double Max);
