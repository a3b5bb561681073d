using System.Buffers;
using System.IO.Pipelines;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Bench.Tcp;

/// <summary>The other end of a <see cref="TcpFanOut"/>: walks the messages of each read where they lie. Ends with the
/// connection.</summary>
internal sealed class TcpReceiver(Stream stream, int size, TrafficSink sink)
{
    private const int ReadBytes = 256 << 10;

    /// <summary>Receives by a pipe reader.</summary>
    public async Task RunPipelinesAsync()
    {
        var options = new StreamPipeReaderOptions(bufferSize: ReadBytes, minimumReadSize: ReadBytes / 4);
        PipeReader reader = PipeReader.Create(stream, options);
        while (true)
        {
            ReadResult read = await reader.ReadAsync();
            ReadOnlySequence<byte> buffer = read.Buffer;
            SequencePosition consumed = Walk(buffer);
            reader.AdvanceTo(consumed, buffer.End);
            if (read.IsCompleted) return;
        }
    }

    /// <summary>Receives by blocking calls.</summary>
    public void RunBlocking()
    {
        byte[] buffer = new byte[ReadBytes];
        int held = 0;
        while (true)
        {
            int length = stream.Read(buffer.AsSpan(held));
            if (length == 0) return;
            held += length;
            int walked = Walk(buffer.AsSpan(0, held));
            buffer.AsSpan(walked, held - walked).CopyTo(buffer);
            held -= walked;
        }
    }

    private int Walk(ReadOnlySpan<byte> bytes)
    {
        int at = 0;
        while (bytes.Length - at >= TcpFraming.HeadBytes)
        {
            int length = TcpFraming.Read(bytes[at..]);
            if (bytes.Length - at - TcpFraming.HeadBytes < length) break;
            sink.Receive(bytes.Slice(at + TcpFraming.HeadBytes, length));
            at += TcpFraming.HeadBytes + length;
        }
        return at;
    }

    private SequencePosition Walk(ReadOnlySequence<byte> buffer)
    {
        Span<byte> straddling = stackalloc byte[TcpFraming.HeadBytes + size];
        while (true)
        {
            // Most messages lie in one segment whole.
            int walked = Walk(buffer.FirstSpan);
            buffer = buffer.Slice(walked);
            if (buffer.IsSingleSegment || buffer.Length < straddling.Length) return buffer.Start;
            buffer.Slice(0, straddling.Length).CopyTo(straddling);
            buffer = buffer.Slice(Walk(straddling));
        }
    }
}
