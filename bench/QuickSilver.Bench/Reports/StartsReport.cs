namespace QuickSilver.Bench.Reports;

/// <summary>How a member lived on an overloaded machine.</summary>
/// <param name="StartedSeconds">Seconds until its node had started.</param>
/// <param name="Evictions">How often it was removed from the cluster while it lived.</param>
internal sealed record StartsReport(double StartedSeconds, int Evictions);
