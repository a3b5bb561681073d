using BenchmarkDotNet.Attributes;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Rounds;

namespace QuickSilver.Benchmarks.Cluster;

/// <summary>
/// Processes on several hosts that carry rounds of messages (docs/measuring-your-cluster.md). The parameters come from
/// the command line.
/// </summary>
[Config(typeof(ClusterConfig))]
public abstract class ClusterBenchmark
{
    private readonly ClusterClock _clock = new();
    private RoundCluster? _cluster;

    [ParamsSource(nameof(AllHosts))]
    public int Hosts { get; set; }

    [ParamsSource(nameof(AllSenders))]
    public int Senders { get; set; }

    [ParamsSource(nameof(AllGroups))]
    public int Groups { get; set; }

    [ParamsSource(nameof(AllOverlaps))]
    public double Overlap { get; set; }

    [ParamsSource(nameof(AllSizes))]
    public int Size { get; set; }

    [ParamsSource(nameof(AllLosses))]
    public double Loss { get; set; }

    [ParamsSource(nameof(AllTransports))]
    public TransportKind Transport { get; set; }

    [ParamsSource(nameof(AllSecurities))]
    public RunSecurity Security { get; set; }

    public static IEnumerable<int> AllHosts => ClusterArguments.Given.Hosts;

    public static IEnumerable<int> AllSenders => ClusterArguments.Given.Senders;

    public static IEnumerable<int> AllGroups => ClusterArguments.Given.Groups;

    public static IEnumerable<double> AllOverlaps => ClusterArguments.Given.Overlaps;

    public static IEnumerable<int> AllSizes => ClusterArguments.Given.Sizes;

    public static IEnumerable<double> AllLosses => ClusterArguments.Given.Losses;

    public static IEnumerable<TransportKind> AllTransports => ClusterArguments.Given.Transports;

    public static IEnumerable<RunSecurity> AllSecurities => ClusterArguments.Given.Securities;

    private RoundPlan Plan => PlanOf(GetType(), title => title switch
    {
        nameof(Hosts) => Hosts,
        nameof(Senders) => Senders,
        nameof(Groups) => Groups,
        nameof(Overlap) => Overlap,
        nameof(Size) => Size,
        nameof(Loss) => Loss,
        nameof(Transport) => Transport,
        nameof(Security) => Security,
        nameof(ClusterLatency.Rate) => (this as ClusterLatency)?.Rate,
        _ => throw new ArgumentOutOfRangeException(nameof(title), title, null),
    });

    /// <summary>Starts the processes, and lets them run warm.</summary>
    [GlobalSetup]
    public async Task SetUp() => _cluster = await ClusterSession.Current.StartAsync(Plan);

    /// <summary>Reads the figures, and ends the processes.</summary>
    [GlobalCleanup]
    public async Task CleanUp()
    {
        if (_cluster is not { } cluster) return;
        await using (cluster) await ClusterSession.Current.EndAsync(cluster, Plan, _clock);
    }

    /// <summary>The plan of a benchmark with some parameters.</summary>
    internal static RoundPlan PlanOf(Type benchmark, Func<string, object?> parameter)
    {
        bool isPaced = typeof(ClusterLatency).IsAssignableFrom(benchmark);
        return new RoundPlan(
            (int)parameter(nameof(Hosts))!, (int)parameter(nameof(Senders))!, (int)parameter(nameof(Groups))!,
            (double)parameter(nameof(Overlap))!, (int)parameter(nameof(Size))!, (double)parameter(nameof(Loss))!,
            (TransportKind)parameter(nameof(Transport))!, (RunSecurity)parameter(nameof(Security))!,
            isPaced ? ClusterLatency.Messages : ClusterThroughput.Messages,
            isPaced ? (int)parameter(nameof(ClusterLatency.Rate))! : 0);
    }

    /// <summary>One round.</summary>
    private protected Task RunRoundAsync() =>
        _clock.TimeAsync(() => ClusterSession.Current.RunRoundAsync(_cluster!));
}
