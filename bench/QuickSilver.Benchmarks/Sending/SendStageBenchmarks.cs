using System.Buffers;
using System.Collections.Concurrent;
using BenchmarkDotNet.Attributes;
using QuickSilver.Sending;

namespace QuickSilver.Benchmarks.Sending;

/// <summary>
/// Short messages copied on one thread and read on another, as a send to the core is: the stage, one behind the other
/// in blocks, against an array of
/// <see cref="ArrayPool{T}.Shared"/> for each in a <see cref="ConcurrentQueue{T}"/>. Both wait when 8,192 are under
/// way, as a group's gate does. Figures are per message.
/// </summary>
[MemoryDiagnoser]
public class SendStageBenchmarks
{
    private const int Messages = 400_000;
    private const int MostUnderWay = 8_192;

    private readonly SendStage _stage = new(new StageBlockPool(4_096));
    private readonly OneGroup _group = new();
    private readonly ConcurrentQueue<byte[]> _arrays = new();
    private byte[] _message = [];
    private int _taken;
    private long _sum;

    /// <summary>Bytes of a message.</summary>
    [Params(64, 1000)]
    public int Bytes { get; set; }

    [GlobalSetup]
    public void Setup()
    {
        _message = new byte[Bytes];
        _group.Stage = _stage;
    }

    [Benchmark(OperationsPerInvoke = Messages)]
    public long Stage()
    {
        HandOver(
            () => _stage.TryAppend(_group, _message),
            () =>
            {
                if (!_stage.TryPeek(out StageEntry entry)) return false;
                _sum += entry.Message[0] + entry.Message[^1];
                _stage.Advance();
                return true;
            });
        return _sum;
    }

    [Benchmark(OperationsPerInvoke = Messages, Baseline = true)]
    public long QueueOfSharedArrays()
    {
        HandOver(
            () =>
            {
                byte[] array = ArrayPool<byte>.Shared.Rent(Bytes);
                _message.CopyTo(array, 0);
                _arrays.Enqueue(array);
            },
            () =>
            {
                if (!_arrays.TryDequeue(out byte[]? array)) return false;
                _sum += array[0] + array[Bytes - 1];
                ArrayPool<byte>.Shared.Return(array);
                return true;
            });
        return _sum;
    }

    private void HandOver(Action append, Func<bool> tryTake)
    {
        _taken = 0;
        var sender = new Thread(() =>
        {
            var spin = default(SpinWait);
            for (int index = 0; index < Messages; index++)
            {
                while (index - Volatile.Read(ref _taken) >= MostUnderWay) spin.SpinOnce(sleep1Threshold: -1);
                append();
            }
        });
        sender.Start();
        var wait = default(SpinWait);
        for (int taken = 0; taken < Messages;)
        {
            if (!tryTake())
            {
                Volatile.Write(ref _taken, taken);
                wait.SpinOnce(sleep1Threshold: -1);
            }
            else if (++taken % 64 == 0)
            {
                Volatile.Write(ref _taken, taken);
            }
        }
        sender.Join();
    }

    private sealed class OneGroup : StagedGroup
    {
        public override void Prepare()
        {
            // It has no memory but its own.
        }
    }
}
