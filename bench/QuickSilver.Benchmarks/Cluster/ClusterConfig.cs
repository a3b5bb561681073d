using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Toolchains.InProcess.Emit;

namespace QuickSilver.Benchmarks.Cluster;

/// <summary>
/// How BenchmarkDotNet measures a cluster: each iteration is one round, in the process that leads it, since what is
/// measured runs elsewhere. The first failure ends the whole run.
/// </summary>
internal sealed class ClusterConfig : ManualConfig
{
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(10);

    public ClusterConfig()
    {
        AddJob(Job.Default
            .WithId("rounds")
            .WithStrategy(RunStrategy.Monitoring)
            .WithToolchain(new InProcessEmitToolchain(Limit, logOutput: true))
            .WithInvocationCount(1)
            .WithUnrollFactor(1)
            .WithWarmupCount(0)
            .WithIterationCount(ClusterArguments.Given.Rounds));
        AddColumn([.. ClusterColumn.All]);
        HideColumns(Column.Error, Column.StdDev, Column.Median);
        WithOptions(ConfigOptions.StopOnFirstError);
    }
}
