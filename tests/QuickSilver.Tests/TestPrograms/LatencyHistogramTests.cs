using System.Diagnostics;
using QuickSilver.Bench;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Tests.TestPrograms;

public sealed class LatencyHistogramTests
{
    private static readonly long TicksPerMicro = Math.Max(1, Stopwatch.Frequency / 1_000_000);

    [Fact]
    public void Percentiles_are_at_most_a_sixtieth_above_the_exact_ones()
    {
        var random = new SeededRandom(11);
        var histogram = new LatencyHistogram();
        var exact = new List<long>();
        for (int count = 0; count < 20_000; count++)
        {
            // From nanoseconds to seconds, every magnitude as likely.
            long ticks = (long)Math.Pow(10, random.NextDouble() * 9);
            histogram.Record(ticks);
            exact.Add((long)(ticks * (1e9 / Stopwatch.Frequency)));
        }
        exact.Sort();
        foreach (double share in (double[])[0.001, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1])
        {
            long expected = exact[Math.Max(1, (int)Math.Ceiling(share * exact.Count)) - 1];
            Assert.InRange(histogram.Percentile(share), expected, expected + expected / 60);
        }
    }

    [Fact]
    public void The_maximum_is_exact_and_negative_durations_count_as_zero()
    {
        var histogram = new LatencyHistogram();
        histogram.Record(-5);
        histogram.Record(777 * TicksPerMicro);
        LatencySummary summary = histogram.Summarize()!;
        Assert.Equal(2, summary.Count);
        Assert.Equal(0, summary.P50);
        Assert.Equal(777, summary.Max, 0.001);
        Assert.Equal(777, summary.P999, 0.001);
    }

    [Fact]
    public void Two_histograms_add_up()
    {
        var first = new LatencyHistogram();
        var second = new LatencyHistogram();
        for (int micros = 1; micros <= 50; micros++) first.Record(micros * TicksPerMicro);
        for (int micros = 51; micros <= 100; micros++) second.Record(micros * TicksPerMicro);
        first.Add(second);
        LatencySummary summary = first.Summarize()!;
        Assert.Equal(100, summary.Count);
        Assert.InRange(summary.P50, 50, 51);
        Assert.Equal(100, summary.Max, 0.001);
    }

    [Fact]
    public void Nothing_recorded_has_no_summary() => Assert.Null(new LatencyHistogram().Summarize());
}
