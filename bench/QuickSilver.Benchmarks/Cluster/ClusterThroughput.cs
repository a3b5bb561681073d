using BenchmarkDotNet.Attributes;

namespace QuickSilver.Benchmarks.Cluster;

/// <summary>
/// How fast a cluster carries messages. An operation is a message delivered at every receiver of its group; a round of
/// them begins with the coordinator's word and ends when the last receiver has said that it has all.
/// </summary>
public class ClusterThroughput : ClusterBenchmark
{
    /// <summary>Of a round.</summary>
    internal const int Messages = 120_000;

    [Benchmark(OperationsPerInvoke = Messages)]
    public Task Round() => RunRoundAsync();
}
