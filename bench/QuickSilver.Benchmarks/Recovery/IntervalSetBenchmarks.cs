using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Benchmarks.Recovery;

/// <summary>
/// The interval set against the framework's sorted set, and against a list of bits, at keeping what is missing from a
/// stream: some of the sequences get lost, and come again in the order in which they were asked for.
/// </summary>
[MemoryDiagnoser]
[CategoriesColumn]
[GroupBenchmarksBy(BenchmarkLogicalGroupRule.ByCategory)]
public class IntervalSetBenchmarks
{
    private const int Sequences = 16_384;

    private readonly IntervalSet _intervals = new();
    private readonly SortedSet<ulong> _sorted = [];
    private readonly List<bool> _bits = [];
    private readonly SequenceRange[] _copy = new SequenceRange[64];
    private ulong[] _lost = [];
    private SequenceRange[] _bursts = [];

    /// <summary>Of a hundred sequences, how many get lost.</summary>
    [Params(1, 20)]
    public int LossPercent { get; set; }

    /// <summary>Draws what is lost, one by one and in bursts.</summary>
    [GlobalSetup]
    public void SetUp()
    {
        var random = new SeededRandom(1);
        _lost = [
            .. Enumerable.Range(1, Sequences).Where(_ => random.NextBelow(100) < (ulong)LossPercent)
            .Select(sequence => (ulong)sequence)];
        _bursts = new SequenceRange[Sequences / 128];
        for (int index = 0; index < _bursts.Length; index++)
        {
            ulong start = (ulong)index * 128;
            _bursts[index] = new SequenceRange(start, start + 1 + random.NextBelow(60));
        }
        _bits.AddRange(Enumerable.Repeat(false, Sequences + 1));
    }

    /// <summary>Sequences are found missing and filled, lowest first.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Sequences)]
    [BenchmarkCategory("loss and repair")]
    public int SortedSetLosesAndRepairs()
    {
        foreach (ulong sequence in _lost) _sorted.Add(sequence);
        foreach (ulong sequence in _lost) _sorted.Remove(sequence);
        return _sorted.Count;
    }

    /// <inheritdoc cref="SortedSetLosesAndRepairs"/>
    [Benchmark(OperationsPerInvoke = Sequences)]
    [BenchmarkCategory("loss and repair")]
    public int IntervalSetLosesAndRepairs()
    {
        foreach (ulong sequence in _lost) _intervals.Add(sequence);
        foreach (ulong sequence in _lost) _intervals.Remove(sequence);
        return _intervals.Count;
    }

    /// <inheritdoc cref="SortedSetLosesAndRepairs"/>
    [Benchmark(OperationsPerInvoke = Sequences)]
    [BenchmarkCategory("loss and repair")]
    public int ListOfBitsLosesAndRepairs()
    {
        foreach (ulong sequence in _lost) _bits[(int)sequence] = true;
        foreach (ulong sequence in _lost) _bits[(int)sequence] = false;
        return _bits.Count;
    }

    /// <summary>Bursts are found missing; the lowest 64 runs are listed for a request; then all is filled.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Sequences)]
    [BenchmarkCategory("bursts and requests")]
    public int SortedSetListsBursts()
    {
        foreach (SequenceRange burst in _bursts)
        {
            for (ulong sequence = burst.Start; sequence < burst.End; sequence++) _sorted.Add(sequence);
        }
        int runs = 0;
        ulong end = 0;
        foreach (ulong sequence in _sorted)
        {
            if (sequence == end && runs > 0) _copy[runs - 1] = _copy[runs - 1] with { End = sequence + 1 };
            else if (runs == _copy.Length) break;
            else _copy[runs++] = new SequenceRange(sequence, sequence + 1);
            end = sequence + 1;
        }
        _sorted.Clear();
        return runs;
    }

    /// <inheritdoc cref="SortedSetListsBursts"/>
    [Benchmark(OperationsPerInvoke = Sequences)]
    [BenchmarkCategory("bursts and requests")]
    public int IntervalSetListsBursts()
    {
        foreach (SequenceRange burst in _bursts) _intervals.Add(burst);
        int runs = _intervals.CopyTo(_copy);
        _intervals.Clear();
        return runs;
    }

    /// <inheritdoc cref="SortedSetListsBursts"/>
    [Benchmark(OperationsPerInvoke = Sequences)]
    [BenchmarkCategory("bursts and requests")]
    public int ListOfBitsListsBursts()
    {
        foreach (SequenceRange burst in _bursts)
        {
            for (ulong sequence = burst.Start; sequence < burst.End; sequence++) _bits[(int)sequence] = true;
        }
        int runs = 0;
        for (int sequence = 0; sequence <= Sequences && runs < _copy.Length; sequence++)
        {
            if (!_bits[sequence]) continue;
            int end = sequence;
            while (end <= Sequences && _bits[end]) end++;
            _copy[runs++] = new SequenceRange((ulong)sequence, (ulong)end);
            sequence = end;
        }
        foreach (SequenceRange burst in _bursts)
        {
            for (ulong sequence = burst.Start; sequence < burst.End; sequence++) _bits[(int)sequence] = false;
        }
        return runs;
    }
}
