using System.Net;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Bench.Tcp;

/// <summary>Frames a batch once and writes the same bytes to every connection in turn, with blocking calls. One
/// thread.</summary>
internal sealed class BlockingFanOut(IPEndPoint at, bool isSecured)
    : TcpFanOut(at, isSecured)
{
    /// <inheritdoc/>
    public override Task RunAsync(TrafficSource source, int size)
    {
        var thread = new Thread(() => Run(source, size)) { Name = "sender" };
        thread.Start();
        thread.Join();
        return Task.CompletedTask;
    }

    private void Run(TrafficSource source, int size)
    {
        int stride = TcpFraming.HeadBytes + size;
        byte[] batch = new byte[Math.Max(1, TcpFraming.BatchBytes / stride) * stride];
        for (int at = 0; at < batch.Length; at += stride) TcpFraming.Write(batch.AsSpan(at), size);
        int filled = 0;
        while (source.TryNext(out MeasuredHeader header))
        {
            header.Write(batch.AsSpan(filled + TcpFraming.HeadBytes, size));
            filled += stride;
            if (filled < batch.Length && source.IsBehind) continue;
            Send(batch.AsSpan(0, filled));
            filled = 0;
        }
        Send(batch.AsSpan(0, filled));
        foreach (TcpConnection connection in Connections) connection.EndSending();
    }

    private void Send(ReadOnlySpan<byte> batch)
    {
        // A blocking write returns when the kernel has taken all of it.
        foreach (TcpConnection connection in Connections) connection.Stream.Write(batch);
    }
}
