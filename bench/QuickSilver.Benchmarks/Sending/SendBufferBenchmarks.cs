using System.Buffers;
using System.Collections.Concurrent;
using BenchmarkDotNet.Attributes;
using QuickSilver.Sending;

namespace QuickSilver.Benchmarks.Sending;

/// <summary>
/// Memory rented on one thread and returned on another, as messages on their way to the core are: the send pool against
/// <see cref="ArrayPool{T}.Shared"/>. Figures are per message.
/// </summary>
[MemoryDiagnoser]
public class SendBufferBenchmarks
{
    private const int Messages = 200_000;
    private const int Bytes = 1000;

    private readonly SendBufferPool _pool = new();
    private readonly ConcurrentQueue<PooledPayload> _payloads = new();
    private readonly ConcurrentQueue<byte[]> _arrays = new();

    [Benchmark(OperationsPerInvoke = Messages)]
    public void SendPool() => HandOver(
        () => _payloads.Enqueue(_pool.Rent(Bytes)),
        () =>
        {
            if (!_payloads.TryDequeue(out PooledPayload? payload)) return false;
            payload.Release();
            return true;
        });

    [Benchmark(OperationsPerInvoke = Messages, Baseline = true)]
    public void SharedArrayPool() => HandOver(
        () => _arrays.Enqueue(ArrayPool<byte>.Shared.Rent(Bytes)),
        () =>
        {
            if (!_arrays.TryDequeue(out byte[]? array)) return false;
            ArrayPool<byte>.Shared.Return(array);
            return true;
        });

    private static void HandOver(Action rent, Func<bool> tryReturn)
    {
        var renter = new Thread(() =>
        {
            for (int index = 0; index < Messages; index++) rent();
        });
        renter.Start();
        var spin = default(SpinWait);
        int returned = 0;
        while (returned < Messages)
        {
            if (tryReturn()) returned++;
            else spin.SpinOnce(sleep1Threshold: -1);
        }
        renter.Join();
    }
}
