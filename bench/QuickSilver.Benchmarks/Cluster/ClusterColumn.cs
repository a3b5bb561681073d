using System.Globalization;
using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using QuickSilver.Bench.Rounds;

namespace QuickSilver.Benchmarks.Cluster;

/// <summary>A figure of a run over a cluster, as a column of BenchmarkDotNet's table.</summary>
/// <param name="name">Its heading.</param>
/// <param name="legend">What it is.</param>
/// <param name="format">Of its number.</param>
/// <param name="number">Takes it from the figures.</param>
internal sealed class ClusterColumn(string name, string legend, string format, Func<ClusterFigures, double> number)
    : IColumn
{
    /// <summary>All, in the order of the table.</summary>
    public static IReadOnlyList<ClusterColumn> All { get; } =
    [
        new("messages/s", "Messages a second, each delivered at every receiver of its group", "N0",
            figures => figures.MessagesPerSecond),
        new("MB/s", "Payload a second", "N1", figures => figures.MegabytesPerSecond),
        new("p50 us", "Half of a round trip: median of all receivers' echoes", "N0",
            figures => figures.LatencyMicros(50)),
        new("p99 us", "Half of a round trip: 99th percentile", "N0", figures => figures.LatencyMicros(99)),
        new("p99.9 us", "Half of a round trip: 99.9th percentile", "N0", figures => figures.LatencyMicros(99.9)),
        new("CPU us/msg", "Processor time of senders and receivers together", "N2", figures => figures.CpuMicros),
        new("B/msg", "Bytes allocated by senders and receivers together", "N1", figures => figures.AllocatedBytes),
        new("repairs peer/k", "Packets repaired by peers, per 1,000 messages", "N2",
            figures => figures.RepairsFromPeers),
        new("repairs sender/k", "Packets repaired by senders, per 1,000 messages", "N2",
            figures => figures.RepairsFromSenders),
        new("wire B/msg", "Bytes that the hosts' cards sent", "N0", figures => figures.WireBytes),
    ];

    /// <inheritdoc/>
    public string Id => nameof(ClusterColumn) + name;

    /// <inheritdoc/>
    public string ColumnName => name;

    /// <inheritdoc/>
    public bool AlwaysShow => true;

    /// <inheritdoc/>
    public ColumnCategory Category => ColumnCategory.Custom;

    /// <inheritdoc/>
    public int PriorityInCategory => All.ToList().IndexOf(this);

    /// <inheritdoc/>
    public bool IsNumeric => true;

    /// <inheritdoc/>
    public UnitType UnitType => UnitType.Dimensionless;

    /// <inheritdoc/>
    public string Legend => legend;

    /// <inheritdoc/>
    public string GetValue(Summary summary, BenchmarkCase benchmarkCase)
    {
        RoundPlan plan = ClusterBenchmark.PlanOf(
            benchmarkCase.Descriptor.Type, title => benchmarkCase.Parameters[title]);
        double? value = ClusterSession.Current.FiguresOf(plan) is { } figures ? number(figures) : null;
        return value is null or double.NaN ? "-" : value.Value.ToString(format, CultureInfo.InvariantCulture);
    }

    /// <inheritdoc/>
    public string GetValue(Summary summary, BenchmarkCase benchmarkCase, SummaryStyle style) =>
        GetValue(summary, benchmarkCase);

    /// <inheritdoc/>
    public bool IsDefault(Summary summary, BenchmarkCase benchmarkCase) => false;

    /// <inheritdoc/>
    public bool IsAvailable(Summary summary) => true;
}
