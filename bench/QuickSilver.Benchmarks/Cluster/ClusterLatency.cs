using BenchmarkDotNet.Attributes;

namespace QuickSilver.Benchmarks.Cluster;

/// <summary>
/// How long messages take at a fixed rate, from the instant each is due. An operation is a message delivered at every
/// receiver; its mean is the rate's, so the percentiles are what counts. Receivers echo, since clocks of hosts differ.
/// </summary>
public class ClusterLatency : ClusterBenchmark
{
    /// <summary>Of a round.</summary>
    internal const int Messages = 1_000;

    [ParamsSource(nameof(AllRates))]
    public int Rate { get; set; }

    public static IEnumerable<int> AllRates => ClusterArguments.Given.Rates;

    [Benchmark(OperationsPerInvoke = Messages)]
    public Task Round() => RunRoundAsync();
}
