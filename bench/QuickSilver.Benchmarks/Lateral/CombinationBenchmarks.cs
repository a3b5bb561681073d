using System.Numerics;
using System.Runtime.InteropServices;
using BenchmarkDotNet.Attributes;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Lateral;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Benchmarks.Lateral;

/// <summary>
/// What a packet of a lateral group costs: one block added to a repair by exclusive or, and with a coefficient in
/// GF(256), beside the same by bytes, by the framework's vectors, and a copy. And its way into the bins of nine peers,
/// beside nine lists of the framework. The framework has no product in GF(256).
/// </summary>
[MemoryDiagnoser]
public class CombinationBenchmarks
{
    private const int Bytes = 1024;
    private const int Peers = 9;
    private const int PacketsPerRepair = 8;

    private readonly byte[] _sum = new byte[Bytes];
    private readonly byte[] _block = new byte[Bytes];
    private readonly RepairBins _bins = new(new SeededRandom(1));
    private readonly List<LateralId>[] _lists =
        [.. Enumerable.Range(0, Peers).Select(static _ => new List<LateralId>())];

    private ulong _number;

    /// <summary>Fills the block, and makes the bins of a group of ten.</summary>
    [GlobalSetup]
    public void SetUp()
    {
        new Random(1).NextBytes(_block);
        var region = new LateralRegion([0]);
        for (uint peer = 1; peer <= Peers; peer++)
        {
            region.Members.Add(
                new NodeInfo(new NodeNumber(new Epoch(1, 7), peer), $"peer {peer}", 1, default, default, 1 << 20));
        }
        _bins.Rebuild(new MultiGroupView([1], [Peers], [region]), [2], PacketsPerRepair, LateralCode.Field,
            lanes: 1, self: 1);
    }

    /// <summary>A copy of the block: what memory alone costs.</summary>
    [Benchmark(Baseline = true)]
    public void Copy() => _block.CopyTo(_sum, 0);

    /// <summary>Exclusive or.</summary>
    [Benchmark]
    public void Add() => GaloisField.Add(_sum, _block);

    /// <summary>Exclusive or, byte by byte.</summary>
    [Benchmark]
    public void AddByByte()
    {
        for (int index = 0; index < _sum.Length; index++) _sum[index] ^= _block[index];
    }

    /// <summary>Exclusive or, by the framework's vectors.</summary>
    [Benchmark]
    public void AddByVector()
    {
        Span<Vector<byte>> sum = MemoryMarshal.Cast<byte, Vector<byte>>(_sum.AsSpan());
        ReadOnlySpan<Vector<byte>> block = MemoryMarshal.Cast<byte, Vector<byte>>(_block.AsSpan());
        for (int index = 0; index < sum.Length; index++) sum[index] ^= block[index];
    }

    /// <summary>A product in GF(256), added.</summary>
    [Benchmark]
    public void AddProduct() => GaloisField.AddProduct(_sum, _block, 83);

    /// <summary>The same byte by byte, from tables.</summary>
    [Benchmark]
    public void AddProductByByte()
    {
        for (int index = 0; index < _sum.Length; index++) _sum[index] ^= GaloisField.Multiply(83, _block[index]);
    }

    /// <summary>A packet goes into the bins of nine peers; repairs that are due are taken.</summary>
    [Benchmark]
    public void IntoBins()
    {
        _bins.Add(0, new LateralId(99, 1, ++_number, 0), isOwn: false, default);
        while (_bins.TryTake(out RepairBin bin)) _bins.Clear(bin);
    }

    /// <summary>The same ids into nine lists, each emptied when it is full.</summary>
    [Benchmark]
    public void IntoLists()
    {
        var id = new LateralId(99, 1, ++_number, 0);
        foreach (List<LateralId> list in _lists)
        {
            list.Add(id);
            if (list.Count == PacketsPerRepair * Peers / 2) list.Clear();
        }
    }
}
