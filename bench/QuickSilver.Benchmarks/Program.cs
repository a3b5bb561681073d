using BenchmarkDotNet.Running;
using QuickSilver.Benchmarks.Cluster;

return await ClusterArguments.RunAsync(
    args, static rest => BenchmarkSwitcher.FromAssembly(typeof(Program).Assembly).Run(rest));
