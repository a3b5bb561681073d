using BenchmarkDotNet.Attributes;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Control;

namespace QuickSilver.Benchmarks.Timed;

/// <summary>
/// The leaky bucket of timed groups: one question whether a packet conforms, and one packet taken. Beside it the
/// textbook's virtual scheduling form (GCRA) on bare numbers: the base framework has no limiter.
/// </summary>
[MemoryDiagnoser]
public class BucketBenchmarks
{
    private const int Packet = 1_100;
    private const double TicksPerByte = 0.01;
    private const double Tolerance = 160_000;

    private readonly TokenBucket _ours = new(1e9, 1 << 20, new Instant(1));
    private double _theoreticalArrival;
    private long _ticks = 1;

    [Benchmark(Baseline = true)]
    public bool Textbook()
    {
        long now = _ticks += 20;
        if (now < _theoreticalArrival - Tolerance) return false;
        _theoreticalArrival = Math.Max(now, _theoreticalArrival) + (Packet * TicksPerByte);
        return true;
    }

    [Benchmark]
    public bool Ours()
    {
        var now = new Instant(_ticks += 20);
        if (_ours.Available(now) < 1) return false;
        _ours.Take(Packet, now);
        return true;
    }
}
