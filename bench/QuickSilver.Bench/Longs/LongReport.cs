namespace QuickSilver.Bench.Longs;

/// <summary>What a long message took at one end of it.</summary>
/// <param name="Bytes">Of the message: written, or read and right.</param>
/// <param name="Seconds">From the word to go until it was complete.</param>
/// <param name="BeforeBytes">Resident set when all had joined.</param>
/// <param name="PeakBytes">Highest resident set from then on; 0 where the system does not tell.</param>
/// <param name="AfterBytes">Resident set when the message was complete.</param>
/// <param name="Fault">Why the message did not end well; null when it did.</param>
internal sealed record LongReport(
    long Bytes, double Seconds, long BeforeBytes, long PeakBytes, long AfterBytes, string? Fault)
{
    /// <summary>Bytes more than before, at the highest.</summary>
    public long GrowthBytes => Math.Max(PeakBytes, AfterBytes) - BeforeBytes;
}
