using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Toolchains.InProcess.Emit;

namespace QuickSilver.Benchmarks.Membership;

/// <summary>
/// What a change of a group's members costs the membership server until every member's notification is written: a node
/// joins or leaves a group of many. In a secured cluster the view has a new secret, which goes to each member in a
/// frame of its own: the difference of the two rows is the cost of the keys. Answers of the members are not in it.
/// </summary>
[MemoryDiagnoser]
[Config(typeof(Changes))]
public class RekeyBenchmarks
{
    private const string Group = "group";

    private QuietCluster _cluster = null!;
    private bool _isIn;

    [Params(100, 1000)]
    public int Members { get; set; }

    [Params(false, true)]
    public bool Secured { get; set; }

    [GlobalSetup]
    public void SetUp()
    {
        _cluster = new QuietCluster(Members + 1, Secured);
        for (int node = 0; node < Members; node++) _cluster.Join(node, Group);
        _cluster.Settle();
    }

    [IterationSetup]
    public void Ask()
    {
        _cluster.Settle();
        if (_isIn) _cluster.Leave(Members);
        else _cluster.Join(Members, Group);
        _isIn = !_isIn;
    }

    [Benchmark]
    public int Change()
    {
        _cluster.RunServer();
        int least = Secured ? 2 * Members : Members;
        return _cluster.FramesDown >= least
            ? _cluster.FramesDown
            : throw new InvalidOperationException($"{_cluster.FramesDown} frames wait for {Members} members.");
    }

    // An iteration is one change, in this process.
    private sealed class Changes : ManualConfig
    {
        public Changes() => AddJob(Job.Default
            .WithStrategy(RunStrategy.Monitoring)
            .WithToolchain(InProcessEmitToolchain.Instance)
            .WithInvocationCount(1)
            .WithUnrollFactor(1)
            .WithWarmupCount(2)
            .WithIterationCount(10));
    }
}
