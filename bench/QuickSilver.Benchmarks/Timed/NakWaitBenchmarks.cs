using BenchmarkDotNet.Attributes;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Timed;

namespace QuickSilver.Benchmarks.Timed;

/// <summary>
/// One drawn wait before a request, by each law; beside them one number of the framework's seeded generator.
/// </summary>
[MemoryDiagnoser]
public class NakWaitBenchmarks
{
    private static readonly TimeSpan Longest = TimeSpan.FromMilliseconds(4);
    private static readonly TimeSpan RoundTrip = TimeSpan.FromMilliseconds(1);

    private readonly SeededRandom _ours = new(1);
    private readonly Random _framework = new(1);

    [Benchmark(Baseline = true)]
    public double FrameworkNumber() => _framework.NextDouble();

    [Benchmark]
    public TimeSpan Uniform() => NakWait.Draw(NakTimers.Uniform, Longest, RoundTrip, 45, 0, _ours);

    [Benchmark]
    public TimeSpan Exponential() => NakWait.Draw(NakTimers.Exponential, Longest, RoundTrip, 45, 0, _ours);
}
