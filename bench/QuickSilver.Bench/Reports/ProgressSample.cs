namespace QuickSilver.Bench.Reports;

/// <summary>How far a receiver was at an instant.</summary>
/// <param name="Milliseconds">Of the machine's monotonic clock: the same for all processes.</param>
/// <param name="Delivered">Messages so far.</param>
/// <param name="BySender">The same for each sender.</param>
internal sealed record ProgressSample(double Milliseconds, long Delivered, IReadOnlyList<long> BySender);
