using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Benchmarks.Wire;

/// <summary>
/// Header and records of one packet: our reader and writer over spans against the framework's binary reader and writer
/// over a stream, which has the same seven-bit varints. Both do the same work; only ours checks that varints are
/// canonical. Per packet.
/// </summary>
[MemoryDiagnoser]
[CategoriesColumn]
[GroupBenchmarksBy(BenchmarkLogicalGroupRule.ByCategory)]
public class CodecBenchmarks
{
    private const int MessageBytes = 100;

    private static readonly Epoch ServerEpoch = new(1, 7);

    private readonly byte[] _datagram = new byte[4096];
    private readonly byte[] _message = new byte[MessageBytes];
    private MemoryStream _stream = new();
    private BinaryWriter _writer = new(Stream.Null);
    private BinaryReader _reader = new(Stream.Null);
    private int _length;
    private DatagramHeader _header;

    /// <summary>Messages in the packet.</summary>
    [Params(1, 10)]
    public int Messages { get; set; }

    /// <summary>Writes the packet once.</summary>
    [GlobalSetup]
    public void SetUp()
    {
        _stream = new MemoryStream(new byte[4096], 0, 4096, true, true);
        _writer = new BinaryWriter(_stream);
        _reader = new BinaryReader(_stream);
        _header = new DatagramHeader
        {
            Kind = DatagramKind.Data,
            Cluster = 1,
            ViewTag = 2,
            ViewCounter = 3,
            Sender = 4,
            Sequence = 5
        };
        WireWriter();
        BinaryWriter();
    }

    /// <summary>The framework's writer, and our checksum of the header.</summary>
    [Benchmark(Baseline = true)]
    [BenchmarkCategory("write")]
    public long BinaryWriter()
    {
        _stream.Position = DatagramHeader.Length;
        _writer.Write7BitEncodedInt64(12);
        for (int index = 0; index < Messages; index++)
        {
            _writer.Write((byte)0);
            _writer.Write7BitEncodedInt(index);
            _writer.Write7BitEncodedInt64(100_000 + index);
            _writer.Write7BitEncodedInt(MessageBytes);
            _writer.Write(_message);
        }
        long end = _stream.Position;
        _stream.Position = 0;
        _writer.Write((ushort)0x5351);
        _writer.Write((byte)1);
        _writer.Write((byte)DatagramKind.Data);
        _writer.Write((ushort)0);
        _writer.Write((ushort)end);
        _writer.Write(1UL);
        _writer.Write(2U);
        _writer.Write(3U);
        _writer.Write(4UL);
        _writer.Write(5UL);
        _writer.Write(Crc32C.Of(_stream.GetBuffer().AsSpan(0, 40)));
        _writer.Write(0U);
        return end;
    }

    /// <summary>Ours.</summary>
    [Benchmark]
    [BenchmarkCategory("write")]
    public int WireWriter()
    {
        var writer = new WireWriter(_datagram.AsSpan(DatagramHeader.Length));
        writer.WriteVarint(12);
        for (int index = 0; index < Messages; index++)
        {
            PacketRecord.WriteHead(
                ref writer, ServerEpoch, index, 100_000 + (ulong)index, false, default, MessageBytes, 0, MessageBytes);
            writer.WriteBytes(_message);
        }
        _length = DatagramHeader.Length + writer.Written;
        _header.WriteTo(_datagram.AsSpan(0, _length));
        return _length;
    }

    /// <summary>The framework's reader, with the checks of lengths that it leaves to its caller.</summary>
    [Benchmark(Baseline = true)]
    [BenchmarkCategory("read")]
    public long BinaryReader()
    {
        _stream.Position = 0;
        long sum = _reader.ReadUInt16() + _reader.ReadByte() + _reader.ReadByte() + _reader.ReadUInt16();
        int length = _reader.ReadUInt16();
        sum += (long)(_reader.ReadUInt64() + _reader.ReadUInt32() + _reader.ReadUInt32() + _reader.ReadUInt64()
            + _reader.ReadUInt64());
        if (_reader.ReadUInt32() != Crc32C.Of(_stream.GetBuffer().AsSpan(0, 40))) return -1;
        _reader.ReadUInt32();
        sum += _reader.Read7BitEncodedInt64();
        while (_stream.Position < length)
        {
            sum += _reader.ReadByte();
            sum += _reader.Read7BitEncodedInt();
            sum += _reader.Read7BitEncodedInt64();
            int bytes = _reader.Read7BitEncodedInt();
            if (bytes < 0 || bytes > length - _stream.Position) return -1;
            sum += bytes;
            _stream.Position += bytes;
        }
        return sum;
    }

    /// <summary>Ours.</summary>
    [Benchmark]
    [BenchmarkCategory("read")]
    public long WireReader()
    {
        ReadOnlySpan<byte> read = _datagram.AsSpan(0, _length);
        if (DatagramHeader.TryRead(read, out DatagramHeader header) != RejectReason.None) return -1;
        var reader = new WireReader(read[DatagramHeader.Length..]);
        long sum = (long)(header.Sequence + reader.ReadVarint());
        while (PacketRecord.TryRead(ref reader, read.Length, ServerEpoch, out PacketRecord record))
        {
            sum += record.GroupIndex + (long)record.Number + record.Bytes.Length;
        }
        return reader.IsAtEnd ? sum : -1;
    }
}
