using System.Buffers;
using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Bench.Tcp;

/// <summary>The other end of a <see cref="TcpFanOut"/>: walks the messages of each read where they lie. Ends with the
/// connection.</summary>
internal sealed class TcpReceiver(Socket socket, int size, TrafficSink sink)
{
    private const int ReadBytes = 256 << 10;
    private static readonly TimeSpan ConnectLimit = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan ConnectPause = TimeSpan.FromMilliseconds(50);

    /// <summary>Connects; tries again while the sender is not yet listening.</summary>
    /// <exception cref="SocketException">It never was.</exception>
    public static async Task<Socket> ConnectAsync(IPEndPoint to)
    {
        DateTime limit = DateTime.UtcNow + ConnectLimit;
        while (true)
        {
            var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
            try
            {
                await socket.ConnectAsync(to);
                return socket;
            }
            catch (SocketException) when (DateTime.UtcNow < limit)
            {
                socket.Dispose();
                await Task.Delay(ConnectPause);
            }
        }
    }

    /// <summary>Receives by a pipe reader.</summary>
    public async Task RunPipelinesAsync()
    {
        var options = new StreamPipeReaderOptions(bufferSize: ReadBytes, minimumReadSize: ReadBytes / 4);
        PipeReader reader = PipeReader.Create(new NetworkStream(socket), options);
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
            int length = socket.Receive(buffer.AsSpan(held));
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
