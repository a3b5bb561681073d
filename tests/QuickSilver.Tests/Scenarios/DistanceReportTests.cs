using QuickSilver.Bench.Reports;

namespace QuickSilver.Tests.Scenarios;

/// <summary>Which runs are compared as alike: those during all of which the processors were near each other, or
/// far.</summary>
public sealed class DistanceReportTests
{
    [Fact]
    public void Nothing_sampled_is_no_report() => Assert.Null(DistanceReport.Of([]));

    [Fact]
    public void One_sample_in_twenty_that_was_disturbed_changes_nothing()
    {
        DistanceReport report = DistanceReport.Of([400, .. Enumerable.Repeat(26.04, 19)])!;
        Assert.True(report.IsNear);
        Assert.False(report.IsFar);
        Assert.Equal((26, 20), (report.Median, report.Samples));
        Assert.Equal("26 ns", report.ToString());
    }

    [Fact]
    public void Between_caches_is_far()
    {
        DistanceReport report = DistanceReport.Of([150, 163, 147])!;
        Assert.True(report.IsFar);
        Assert.False(report.IsNear);
        Assert.Equal("150 ns", report.ToString());
    }

    [Fact]
    public void A_run_that_was_moved_on_its_way_is_neither()
    {
        DistanceReport report = DistanceReport.Of([25, 25, 27, 152, 150])!;
        Assert.False(report.IsNear);
        Assert.False(report.IsFar);
        Assert.Equal("25 to 150 ns", report.ToString());
    }
}
