using QuickSilver.Protocol.Core;

namespace QuickSilver.Loop;

/// <summary>
/// Passes requests from any thread to the core thread. Idea: a ring of slots with sequence numbers
/// (<see cref="RequestSegment"/>). A producer claims a slot with one compare-and-swap, and never waits for another
/// producer or for the core. A full ring is frozen, and a ring twice as large is linked behind it. A queue thus stops
/// allocating after its largest burst.
/// <para>
/// Awkward cases: a producer may be preempted between claiming its slot and filling it. The requests behind it then
/// wait, which preserves the order of each producer. The core does not wait: it sees the queue as empty up to that
/// slot, and is woken when the slot is full. Closing freezes the last ring, so that every request is either refused or
/// run.
/// </para>
/// Cost: one compare-and-swap and one fence per request, no lock, no allocation; a lock when growing and closing.
/// Source: D. Vyukov's bounded queue; segments as in
/// <see cref="System.Collections.Concurrent.ConcurrentQueue{T}"/>.
/// </summary>
internal sealed class RequestQueue : IRequestQueue
{
    private const int LargestSegment = 1 << 20;

    private readonly WakeGate _gate;
    private readonly Lock _growing = new();
    private RequestSegment _head;
    private RequestSegment _tail;
    private bool _isClosed;

    /// <summary>Creates an empty queue.</summary>
    /// <param name="gate">Wakes a sleeping core after each request.</param>
    /// <param name="capacity">Slots of the first ring (32 bytes each); a power of two.</param>
    public RequestQueue(WakeGate gate, int capacity = 1024)
    {
        ArgumentOutOfRangeException.ThrowIfNotEqual(
            System.Numerics.BitOperations.IsPow2(capacity), true, nameof(capacity));
        _gate = gate;
        _head = _tail = new RequestSegment(capacity);
    }

    /// <summary>True when <see cref="RunAll"/> would run something. Core thread only.</summary>
    public bool HasRequests
    {
        get
        {
            SkipExhausted();
            return _head.HasNext;
        }
    }

    /// <summary>True once the queue is closed and every accepted request has been taken. Core thread, or after it has
    /// ended.</summary>
    public bool IsDrained
    {
        get
        {
            SkipExhausted();
            return _head == Volatile.Read(ref _tail) && _head.IsExhausted;
        }
    }

    /// <summary>Adds a request and wakes the core if it sleeps. Any thread; never waits.</summary>
    /// <returns>False when the queue is closed: the request will not run, and its payload stays with the
    /// caller.</returns>
    public bool Enqueue(IRequestTarget target, object? payload = null, long argument = 0)
    {
        while (true)
        {
            RequestSegment tail = Volatile.Read(ref _tail);
            if (tail.TryEnqueue(target, payload, argument))
            {
                _gate.WakeIfAsleep();
                return true;
            }
            if (!Grow(tail)) return false;
        }
    }

    /// <inheritdoc/>
    public int RunAll(Instant now)
    {
        RequestSegment last = Volatile.Read(ref _tail);
        long end = last.Tail;
        int count = 0;
        while (true)
        {
            SkipExhausted(last);
            if (_head == last && last.Head >= end) return count;
            if (!_head.TryDequeue(out IRequestTarget target, out object? payload, out long argument)) return count;
            count++;
            target.Run(payload, argument, now);
        }
    }

    /// <summary>
    /// Refuses requests from now on; <see cref="RunRest"/> runs those accepted before. Any thread; may be called more
    /// than once.
    /// </summary>
    public void Close()
    {
        lock (_growing)
        {
            if (_isClosed) return;
            _isClosed = true;
            _tail.Freeze();
        }
    }

    /// <summary>
    /// Runs every request accepted before <see cref="Close"/>, and waits for producers that are still filling a slot.
    /// Core thread, or after it has ended.
    /// </summary>
    public int RunRest(Instant now)
    {
        int count = 0;
        var spin = default(SpinWait);
        while (!IsDrained)
        {
            int run = RunAll(now);
            if (run == 0) spin.SpinOnce();
            count += run;
        }
        return count;
    }

    private void SkipExhausted(RequestSegment? last = null)
    {
        while (_head != last && _head.IsExhausted && Volatile.Read(ref _head.Next) is { } next) _head = next;
    }

    private bool Grow(RequestSegment full)
    {
        lock (_growing)
        {
            if (_isClosed) return false;
            if (_tail != full) return true;
            var next = new RequestSegment(Math.Min(full.Capacity * 2, LargestSegment));
            full.Freeze();
            Volatile.Write(ref full.Next, next);
            Volatile.Write(ref _tail, next);
            return true;
        }
    }
}
