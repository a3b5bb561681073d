using QuickSilver.Bench.Runs;

namespace QuickSilver.Bench.Reports;

/// <summary>One figure of one variant over its repetitions.</summary>
/// <param name="Variant">What ran.</param>
/// <param name="OfferedRate">Messages a second asked for; 0: full speed.</param>
/// <param name="Figure">Which figure, with its unit.</param>
/// <param name="Median">Of the repetitions.</param>
/// <param name="Lowest">Of the repetitions.</param>
/// <param name="Highest">Of the repetitions.</param>
/// <param name="Repetitions">How many there were.</param>
internal sealed record VariantSummary(
    string Variant, double OfferedRate, string Figure, double Median, double Lowest, double Highest, int Repetitions)
{
    /// <summary>Sums up; the median of an even number is the mean of the middle two.</summary>
    public static VariantSummary Of(string variant, double offeredRate, string figure, IEnumerable<double> values)
    {
        double[] sorted = [.. values.Order()];
        if (sorted.Length == 0) return new VariantSummary(variant, offeredRate, figure, 0, 0, 0, 0);
        double median = (sorted[(sorted.Length - 1) / 2] + sorted[sorted.Length / 2]) / 2;
        return new VariantSummary(variant, offeredRate, figure, median, sorted[0], sorted[^1], sorted.Length);
    }
}
