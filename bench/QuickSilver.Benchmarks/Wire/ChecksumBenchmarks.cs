using System.Numerics;
using System.Runtime.InteropServices;
using BenchmarkDotNet.Attributes;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Benchmarks.Wire;

/// <summary>
/// The checksum of a packet's payload: three lanes at once against one, which is what
/// <see cref="BitOperations.Crc32C(uint, ulong)"/> gives in a loop. 40 bytes are a header, 1,320 a packet on Ethernet,
/// 8,000 and 60,000 packets over loopback.
/// </summary>
[MemoryDiagnoser]
public class ChecksumBenchmarks
{
    private byte[] _bytes = [];

    [Params(40, 1_320, 8_000, 60_000)]
    public int Bytes { get; set; }

    [GlobalSetup]
    public void Setup()
    {
        _bytes = new byte[Bytes];
        new Random(1).NextBytes(_bytes);
    }

    [Benchmark(Baseline = true)]
    public uint OneLane()
    {
        uint crc = ~0u;
        foreach (ulong word in MemoryMarshal.Cast<byte, ulong>(_bytes)) crc = BitOperations.Crc32C(crc, word);
        return ~crc;
    }

    [Benchmark]
    public uint Ours() => Crc32C.Of(_bytes);
}
