using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Benchmarks.Core;

/// <summary>
/// The alarm queue against the framework's priority queue, in the ways a protocol uses timers: a timer fires and is set
/// again; a timer is moved before it is due (a retransmission that was answered); a timer is set and cancelled. The
/// priority queue cannot move an entry: it is removed, which searches the heap, and entered again.
/// </summary>
[MemoryDiagnoser]
[CategoriesColumn]
[GroupBenchmarksBy(BenchmarkLogicalGroupRule.ByCategory)]
public class AlarmQueueBenchmarks
{
    private const int Operations = 1024;
    private const int Mask = Operations - 1;

    private readonly AlarmQueue _alarms = new();
    private readonly PriorityQueue<int, (long Due, ulong Order)> _heap = new();
    private readonly long[] _delays = new long[Operations];
    private Alarm[] _alarm = [];
    private int _nextDelay;
    private ulong _order;

    /// <summary>How many timers are set.</summary>
    [Params(100, 10_000)]
    public int Timers { get; set; }

    /// <summary>Sets all timers at random instants within a second.</summary>
    [GlobalSetup]
    public void SetUp()
    {
        var random = new SeededRandom(1);
        for (int index = 0; index < Operations; index++)
            _delays[index] = 1 + (long)random.NextBelow(TimeSpan.TicksPerSecond);
        _alarm = new Alarm[Timers];
        for (int index = 0; index < Timers; index++)
        {
            int me = index;
            _alarm[index] = new Alarm(_alarms, now => _alarm[me].Set(now + Delay()));
            _alarm[index].Set(Instant.Zero + Delay());
            _heap.Enqueue(index, ((Instant.Zero + Delay()).Ticks, _order++));
        }
    }

    /// <summary>The first timer fires and is set again.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Operations)]
    [BenchmarkCategory("fire")]
    public void PriorityQueueFires()
    {
        for (int operation = 0; operation < Operations; operation++)
        {
            _heap.TryDequeue(out int timer, out (long Due, ulong Order) key);
            _heap.Enqueue(timer, (key.Due + Delay().Ticks, _order++));
        }
    }

    /// <inheritdoc cref="PriorityQueueFires"/>
    [Benchmark(OperationsPerInvoke = Operations)]
    [BenchmarkCategory("fire")]
    public void AlarmQueueFires()
    {
        for (int operation = 0; operation < Operations; operation++) _alarms.FireNext(_alarms.NextDue);
    }

    /// <summary>A timer is moved before it is due, over and over a few of them, as retransmission timers are.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Operations)]
    [BenchmarkCategory("move")]
    public void PriorityQueueMoves()
    {
        for (int operation = 0; operation < Operations; operation++)
        {
            int timer = operation & 15;
            _heap.Remove(timer, out _, out _);
            _heap.Enqueue(timer, (Delay().Ticks, _order++));
        }
    }

    /// <inheritdoc cref="PriorityQueueMoves"/>
    [Benchmark(OperationsPerInvoke = Operations)]
    [BenchmarkCategory("move")]
    public void AlarmQueueMoves()
    {
        for (int operation = 0; operation < Operations; operation++) _alarm[operation & 15].Set(Instant.Zero + Delay());
    }

    /// <summary>A timer is cancelled, and set again later.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Operations)]
    [BenchmarkCategory("cancel")]
    public void PriorityQueueCancels()
    {
        for (int operation = 0; operation < Operations; operation++)
        {
            int timer = (operation * 37) % Timers;
            _heap.Remove(timer, out _, out _);
            _heap.Enqueue(timer, (Delay().Ticks, _order++));
        }
    }

    /// <inheritdoc cref="PriorityQueueCancels"/>
    [Benchmark(OperationsPerInvoke = Operations)]
    [BenchmarkCategory("cancel")]
    public void AlarmQueueCancels()
    {
        for (int operation = 0; operation < Operations; operation++)
        {
            Alarm alarm = _alarm[(operation * 37) % Timers];
            alarm.Cancel();
            alarm.Set(Instant.Zero + Delay());
        }
    }

    private TimeSpan Delay() => new(_delays[_nextDelay++ & Mask]);
}
