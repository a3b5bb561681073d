using System.Collections.Concurrent;
using System.Threading.Channels;
using BenchmarkDotNet.Attributes;
using QuickSilver.Loop;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Benchmarks.Loop;

/// <summary>
/// A hand-over of small requests from other threads to one: the request queue against the framework's queues, in a
/// single thread (cost of the operations alone) and with producers that run beside the consumer (contention included).
/// Figures are per request.
/// </summary>
[MemoryDiagnoser]
public class RequestQueueBenchmarks
{
    private const int Burst = 1_000;
    private const int Contended = 200_000;

    private readonly RequestQueue _requests = new(new WakeGate(new NoCompletions()));
    private readonly ConcurrentQueue<Request> _queue = new();
    private readonly Channel<Request> _channel = Channel.CreateUnbounded<Request>(
        new UnboundedChannelOptions { SingleReader = true });
    private readonly Counter _counter = new();

    /// <summary>Threads that enqueue while the consumer takes, for the contended runs.</summary>
    public int Producers { get; } = 2;

    [Benchmark(OperationsPerInvoke = Burst, Description = "RequestQueue, one thread")]
    public long RequestQueueAlone()
    {
        for (int index = 0; index < Burst; index++) _requests.Enqueue(_counter, _counter, index);
        _requests.RunAll(Instant.Zero);
        return _counter.Count;
    }

    [Benchmark(OperationsPerInvoke = Burst, Baseline = true, Description = "ConcurrentQueue, one thread")]
    public long ConcurrentQueueAlone()
    {
        for (int index = 0; index < Burst; index++) _queue.Enqueue(new Request(_counter, _counter, index));
        while (_queue.TryDequeue(out Request request))
            request.Target.Run(request.Payload, request.Argument, Instant.Zero);
        return _counter.Count;
    }

    [Benchmark(OperationsPerInvoke = Burst, Description = "Channel, one thread")]
    public long ChannelAlone()
    {
        for (int index = 0; index < Burst; index++) _channel.Writer.TryWrite(new Request(_counter, _counter, index));
        while (_channel.Reader.TryRead(out Request request))
            request.Target.Run(request.Payload, request.Argument, Instant.Zero);
        return _counter.Count;
    }

    [Benchmark(OperationsPerInvoke = Contended, Description = "RequestQueue, producers beside")]
    public void RequestQueueContended() => RunBeside(
        index => _requests.Enqueue(_counter, _counter, index),
        () => _requests.RunAll(Instant.Zero));

    [Benchmark(OperationsPerInvoke = Contended, Description = "ConcurrentQueue, producers beside")]
    public void ConcurrentQueueContended() => RunBeside(
        index => _queue.Enqueue(new Request(_counter, _counter, index)),
        () =>
        {
            int count = 0;
            while (count < Burst && _queue.TryDequeue(out Request request))
            {
                request.Target.Run(request.Payload, request.Argument, Instant.Zero);
                count++;
            }
            return count;
        });

    [Benchmark(OperationsPerInvoke = Contended, Description = "Channel, producers beside")]
    public void ChannelContended() => RunBeside(
        index => _channel.Writer.TryWrite(new Request(_counter, _counter, index)),
        () =>
        {
            int count = 0;
            while (count < Burst && _channel.Reader.TryRead(out Request request))
            {
                request.Target.Run(request.Payload, request.Argument, Instant.Zero);
                count++;
            }
            return count;
        });

    private void RunBeside(Action<long> enqueue, Func<int> take)
    {
        var threads = new Thread[Producers];
        for (int producer = 0; producer < Producers; producer++)
        {
            threads[producer] = new Thread(() =>
            {
                for (int index = 0; index < Contended / Producers; index++) enqueue(index);
            });
            threads[producer].Start();
        }
        int taken = 0;
        var spin = default(SpinWait);
        while (taken < Contended)
        {
            int now = take();
            taken += now;
            if (now == 0) spin.SpinOnce(sleep1Threshold: -1);
        }
        foreach (Thread thread in threads) thread.Join();
    }

    private readonly record struct Request(IRequestTarget Target, object? Payload, long Argument);

    private sealed class Counter : IRequestTarget
    {
        public long Count { get; private set; }

        public void Run(object? payload, long argument, Instant now) => Count += argument;
    }
}
