using QuickSilver.Protocol.Core;

namespace QuickSilver.Testing.Scheduling;

/// <summary>
/// The events to come, in a 4-ary heap ordered by time, then by a seeded permutation, then by the order of scheduling.
/// The permutation makes the order of simultaneous events differ from seed to seed and stay the same for one seed. A
/// 4-ary heap is flatter than a binary one, and its children share a cache line or two; push is O(log4 n), pop O(4 log4
/// n), neither allocates once the array has grown.
/// </summary>
internal sealed class EventQueue
{
    private const int Arity = 4;

    private readonly VirtualClock _clock;
    private readonly SimulationRandom _random;
    private readonly int _spinLimit;
    private SimulationEvent[] _heap = new SimulationEvent[1024];
    private ulong _sequence;
    private long _spinMicrosecond = -1;
    private int _spinCount;

    /// <summary>Makes an empty queue.</summary>
    /// <param name="clock">Moved to each event as it happens.</param>
    /// <param name="random">Ranks simultaneous events.</param>
    /// <param name="spinLimit">Most events in one virtual microsecond: more means that something re-arms itself for
    /// ever.</param>
    public EventQueue(VirtualClock clock, SimulationRandom random, int spinLimit = 10_000)
    {
        _clock = clock;
        _random = random;
        _spinLimit = spinLimit;
    }

    /// <summary>The simulation's time.</summary>
    public Instant Now => _clock.Now;

    /// <summary>How many events are to come.</summary>
    public int Count { get; private set; }

    /// <summary>How many have happened.</summary>
    public ulong Executed { get; private set; }

    /// <summary>When the next one is due; <see cref="Instant.Never"/> when there is none.</summary>
    public Instant NextDue => Count == 0 ? Instant.Never : _heap[0].Due;

    /// <summary>Adds an event. One that is due in the past happens now.</summary>
    public void Schedule(Instant due, IEventTarget target, object? argument = null, long value = 0)
    {
        if (due < _clock.Now) due = _clock.Now;
        ulong sequence = _sequence++;
        var added = new SimulationEvent(
            due, _random.Draw(RandomStream.Ties, 0, 0, sequence), sequence, target, argument, value);
        if (Count == _heap.Length) Array.Resize(ref _heap, Count * 2);
        int index = Count++;
        while (index > 0)
        {
            int parent = (index - 1) / Arity;
            if (!Before(added, _heap[parent])) break;
            _heap[index] = _heap[parent];
            index = parent;
        }
        _heap[index] = added;
    }

    /// <summary>Moves the clock to the next event and lets it happen.</summary>
    /// <param name="limit">Events after this instant are left alone.</param>
    /// <returns>False when nothing was due by then; the clock has not moved.</returns>
    /// <exception cref="SimulationSpinException">More events in one virtual microsecond than allowed.</exception>
    public bool RunNext(Instant limit)
    {
        if (Count == 0 || _heap[0].Due > limit) return false;
        SimulationEvent next = Pop();
        long microsecond = next.Due.Ticks / TimeSpan.TicksPerMicrosecond;
        _spinCount = microsecond == _spinMicrosecond ? _spinCount + 1 : 1;
        _spinMicrosecond = microsecond;
        if (_spinCount > _spinLimit)
            throw new SimulationSpinException($"{_spinCount} events at {next.Due}, the last for {next.Target}");
        _clock.MoveTo(next.Due);
        Executed++;
        next.Target.OnEvent(next.Argument, next.Value, next.Due);
        return true;
    }

    private static bool Before(in SimulationEvent left, in SimulationEvent right)
    {
        if (left.Due.Ticks != right.Due.Ticks) return left.Due.Ticks < right.Due.Ticks;
        return left.Tie != right.Tie ? left.Tie < right.Tie : left.Sequence < right.Sequence;
    }

    private SimulationEvent Pop()
    {
        SimulationEvent first = _heap[0];
        SimulationEvent moved = _heap[--Count];
        _heap[Count] = default;
        int index = 0;
        while (true)
        {
            int child = (index * Arity) + 1;
            if (child >= Count) break;
            int last = Math.Min(child + Arity, Count);
            int least = child;
            for (int other = child + 1; other < last; other++)
            {
                if (Before(_heap[other], _heap[least])) least = other;
            }
            if (!Before(_heap[least], moved)) break;
            _heap[index] = _heap[least];
            index = least;
        }
        if (Count > 0) _heap[index] = moved;
        return first;
    }
}
