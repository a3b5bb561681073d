using System.Buffers;
using System.Text.Json.Serialization;
using BenchmarkDotNet.Attributes;
using QuickSilver.Typed;

namespace QuickSilver.Benchmarks.Typed;

/// <summary>
/// What a group of values costs beside a group of bytes: a message of 200 bytes sent by one node and read by another,
/// in memory. Values are the same 200 bytes, copied by their serializer, or JSON of about as many. What each serializer
/// costs by itself, to write a value and to read it, is a row too: the rest of a typed row, beside the raw one, is the
/// envelope's and the wrapper's. Figures are per message, on both ends together.
/// </summary>
[MemoryDiagnoser]
public class TypedBenchmarks
{
    private const int Messages = 50_000;
    private const int Bytes = 200;

    private readonly byte[] _payload = new byte[Bytes];
    private readonly Sample _sample = new("ABC", 1.25m, new string('x', 160));
    private readonly ArrayBufferWriter<byte> _writer = new();
    private readonly Copying _copying = new();
    private readonly JsonPayloadSerializer<Sample> _jsonSerializer = new(SampleContext.Default.Sample);
    private TwoNodes _nodes = null!;
    private Group _raw = null!;
    private Group _rawReader = null!;
    private Group<byte[]> _copied = null!;
    private Group<byte[]> _copiedReader = null!;
    private Group<Sample> _json = null!;
    private Group<Sample> _jsonReader = null!;

    [GlobalSetup]
    public async Task SetUp()
    {
        var sending = new GroupOptions { SelfDelivery = false };
        _nodes = await TwoNodes.StartAsync();
        _raw = await _nodes.One.JoinAsync("raw", sending);
        _rawReader = await _nodes.Other.JoinAsync("raw");
        _copied = (await _nodes.One.JoinAsync("copied", sending)).As(_copying);
        _copiedReader = (await _nodes.Other.JoinAsync("copied")).As(_copying);
        _json = (await _nodes.One.JoinAsync("json", sending)).As(_jsonSerializer);
        _jsonReader = (await _nodes.Other.JoinAsync("json")).As(_jsonSerializer);
        foreach (Group group in (Group[])[_raw, _copied.Raw, _json.Raw]) await group.WaitForMembersAsync(2);
    }

    [GlobalCleanup]
    public async Task CleanUp() => await _nodes.DisposeAsync();

    [Benchmark(OperationsPerInvoke = Messages, Baseline = true)]
    public async Task Raw()
    {
        Task reading = CountAsync(_rawReader.ReadAllAsync());
        for (int index = 0; index < Messages; index++) await _raw.SendAsync(_payload.AsMemory());
        await reading;
    }

    [Benchmark(OperationsPerInvoke = Messages)]
    public async Task Typed()
    {
        Task reading = CountAsync(_copiedReader.ReadAllAsync());
        for (int index = 0; index < Messages; index++) await _copied.SendAsync(_payload);
        await reading;
    }

    [Benchmark(OperationsPerInvoke = Messages)]
    public async Task TypedAsJson()
    {
        Task reading = CountAsync(_jsonReader.ReadAllAsync());
        for (int index = 0; index < Messages; index++) await _json.SendAsync(_sample);
        await reading;
    }

    [Benchmark]
    public byte[] CopyAlone() => WriteAndRead(_copying, _payload);

    [Benchmark]
    public decimal JsonAlone() => WriteAndRead(_jsonSerializer, _sample).Price;

    private T WriteAndRead<T>(IPayloadSerializer<T> serializer, T value)
    {
        _writer.ResetWrittenCount();
        serializer.Serialize(value, _writer);
        return serializer.Deserialize(_writer.WrittenMemory);
    }

    private static async Task CountAsync<T>(IAsyncEnumerable<T> messages)
    {
        int count = 0;
        await foreach (T _ in messages)
        {
            if (++count == Messages) return;
        }
    }

    private sealed class Copying : IPayloadSerializer<byte[]>
    {
        public void Serialize(byte[] value, IBufferWriter<byte> writer) => writer.Write(value);

        public byte[] Deserialize(ReadOnlyMemory<byte> payload) => payload.ToArray();
    }
}

/// <summary>A value of about 200 bytes of JSON.</summary>
internal sealed record Sample(string Symbol, decimal Price, string Text);

[JsonSerializable(typeof(Sample))]
internal sealed partial class SampleContext : JsonSerializerContext;
