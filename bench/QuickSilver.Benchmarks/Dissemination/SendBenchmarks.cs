using System.IO.Pipelines;
using BenchmarkDotNet.Attributes;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Transports;

namespace QuickSilver.Benchmarks.Dissemination;

/// <summary>
/// From a message to the train that the socket would get, per message, the node's delivery to itself included: written
/// by a source, and handed over by one, as what is long or confirmed is. The framework's alternative is a pipe with a
/// length before each message, which numbers nothing, keeps nothing and delivers nothing.
/// </summary>
[MemoryDiagnoser]
public class SendBenchmarks
{
    private const int Messages = 8192;

    private readonly SendingNode _node = new();
    private readonly Pipe _pipe = new(
        new PipeOptions(pauseWriterThreshold: 0, resumeWriterThreshold: 0, useSynchronizationContext: false));
    private Source? _source;
    private FixedPayload? _payload;

    /// <summary>Bytes of a message.</summary>
    [Params(64, 1000)]
    public int Bytes { get; set; }

    /// <summary>Registers the source.</summary>
    [GlobalSetup]
    public void SetUp()
    {
        _payload = new FixedPayload(Bytes);
        _source = new Source(Bytes);
        _node.Group.AddSource(_source);
    }

    /// <summary>A source writes each message when it is asked.</summary>
    [Benchmark(OperationsPerInvoke = Messages)]
    public long Pulled()
    {
        _source!.Left = Messages;
        _node.Group.Signal(_source, _node.Now);
        return _node.SendAll();
    }

    /// <summary>A source hands each message over with its bytes.</summary>
    [Benchmark(OperationsPerInvoke = Messages)]
    public long Handed()
    {
        _source!.Left = Messages;
        _source.Payload = _payload;
        _node.Group.Signal(_source, _node.Now);
        long bytes = _node.SendAll();
        _source.Payload = null;
        return bytes;
    }

    /// <summary>Length and bytes into a pipe, read off in 64 KiB.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Messages)]
    public long PipeWriter()
    {
        long read = 0;
        for (int index = 0; index < Messages; index++)
        {
            Span<byte> room = _pipe.Writer.GetSpan(Bytes + sizeof(int));
            BitConverter.TryWriteBytes(room, Bytes);
            room.Slice(sizeof(int), Bytes).Fill(1);
            _pipe.Writer.Advance(Bytes + sizeof(int));
            if (_pipe.Writer.UnflushedBytes < Train.MaxBytes) continue;
            read += Read();
        }
        return read + Read();
    }

    private long Read()
    {
        _pipe.Writer.FlushAsync().GetAwaiter().GetResult();
        _pipe.Reader.TryRead(out ReadResult result);
        long length = result.Buffer.Length;
        _pipe.Reader.AdvanceTo(result.Buffer.End);
        return length;
    }

    private sealed class Source(int bytes) : IMessageSource
    {
        public int Left { get; set; }

        /// <summary>Handed over for each message; null: each is written.</summary>
        public Payload? Payload { get; set; }

        public bool Write(MessageWriter messages)
        {
            while (Left > 0)
            {
                Left--;
                if (Payload is null)
                {
                    messages.GetSpan(bytes)[..bytes].Fill(1);
                    messages.Advance(bytes);
                }
                bool takesMore = Payload is null ? messages.EndMessage() : messages.Hand(Payload, ticket: null);
                if (!takesMore) return true;
            }
            return false;
        }
    }

    private sealed class FixedPayload : Payload
    {
        private readonly byte[] _bytes;

        public FixedPayload(int bytes)
        {
            _bytes = new byte[bytes];
            _bytes.AsSpan().Fill(1);
        }

        public override ReadOnlySpan<byte> Span => _bytes;

        protected override void Recycle()
        {
        }
    }
}
