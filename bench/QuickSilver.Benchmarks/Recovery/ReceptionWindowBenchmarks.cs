using BenchmarkDotNet.Attributes;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Recovery.Reception;

namespace QuickSilver.Benchmarks.Recovery;

/// <summary>
/// The reception window against a hash set of what is above the contiguous part, for each packet of a stream: in order,
/// and with packets that come late (their repair arrives 64 packets after the gap).
/// </summary>
[MemoryDiagnoser]
public class ReceptionWindowBenchmarks
{
    private const int Packets = 16_384;
    private const int Late = 64;

    private readonly HashSet<ulong> _above = [];
    private ReceptionWindow _window = new();
    private int[] _order = [];
    private ulong _base;
    private ulong _contiguous;

    /// <summary>Of a hundred packets, how many come late.</summary>
    [Params(0, 1, 20)]
    public int LatePercent { get; set; }

    /// <summary>Draws the order of arrival.</summary>
    [GlobalSetup]
    public void SetUp()
    {
        var random = new SeededRandom(1);
        _order = [
            .. Enumerable.Range(1, Packets)
            .OrderBy(sequence => sequence + (random.NextBelow(100) < (ulong)LatePercent ? Late : 0))];
        _window = new ReceptionWindow();
        _base = _contiguous = 0;
    }

    /// <summary>A hash set of what is above the contiguous part.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Packets)]
    public ulong HashSet()
    {
        ulong origin = _contiguous;
        foreach (int offset in _order)
        {
            ulong sequence = origin + (ulong)offset;
            if (sequence <= _contiguous) continue;
            if (sequence != _contiguous + 1)
            {
                _above.Add(sequence);
                continue;
            }
            _contiguous = sequence;
            while (_above.Count > 0 && _above.Remove(_contiguous + 1)) _contiguous++;
        }
        return _contiguous;
    }

    /// <summary>The reception window.</summary>
    [Benchmark(OperationsPerInvoke = Packets)]
    public ulong ReceptionWindow()
    {
        foreach (int offset in _order) _window.TryMark(_base + (ulong)offset);
        _base += Packets;
        return _window.Contiguous;
    }
}
