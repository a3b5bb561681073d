using System.IO.Pipelines;
using System.Net;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Bench.Tcp;

/// <summary>
/// A pipe and an asynchronous pump for each connection: a batch is framed once and copied into each pipe, and the pumps
/// write whatever has gathered in one call. A pipe that is full holds the sender up.
/// </summary>
internal sealed class PipelinesFanOut(IPEndPoint at, bool isSecured)
    : TcpFanOut(at, isSecured)
{
    private static readonly PipeOptions Options =
        new(minimumSegmentSize: TcpFraming.BatchBytes, pauseWriterThreshold: 8 * TcpFraming.BatchBytes,
        resumeWriterThreshold: 4 * TcpFraming.BatchBytes, useSynchronizationContext: false);

    /// <inheritdoc/>
    public override async Task RunAsync(TrafficSource source, int size)
    {
        Pipe[] pipes = [.. Connections.Select(_ => new Pipe(Options))];
        Task[] pumps = [.. Connections.Select((connection, number) => PumpAsync(connection, pipes[number].Reader))];
        // A thread of its own, because a paced sender sleeps in it.
        var thread = new Thread(() => Run(source, size, pipes)) { Name = "sender" };
        thread.Start();
        await Task.WhenAll(pumps);
        thread.Join();
    }

    private static void Run(TrafficSource source, int size, Pipe[] pipes)
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
            Send(batch.AsSpan(0, filled), pipes);
            filled = 0;
        }
        Send(batch.AsSpan(0, filled), pipes);
        foreach (Pipe pipe in pipes) pipe.Writer.Complete();
    }

    private static void Send(ReadOnlySpan<byte> batch, Pipe[] pipes)
    {
        foreach (Pipe pipe in pipes)
        {
            batch.CopyTo(pipe.Writer.GetSpan(batch.Length));
            pipe.Writer.Advance(batch.Length);
            ValueTask<FlushResult> flush = pipe.Writer.FlushAsync();
            if (!flush.IsCompletedSuccessfully) flush.AsTask().GetAwaiter().GetResult();
        }
    }

    private static async Task PumpAsync(TcpConnection connection, PipeReader reader)
    {
        while (true)
        {
            ReadResult read = await reader.ReadAsync();
            foreach (ReadOnlyMemory<byte> segment in read.Buffer) await connection.Stream.WriteAsync(segment);
            reader.AdvanceTo(read.Buffer.End);
            if (read.IsCompleted) break;
        }
        connection.EndSending();
    }
}
