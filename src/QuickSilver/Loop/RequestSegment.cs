using System.Runtime.InteropServices;

namespace QuickSilver.Loop;

/// <summary>
/// One bounded ring of a <see cref="RequestQueue"/>: Vyukov's array queue with a sequence number per slot, many
/// producers, one consumer. A slot at position p is free for its producer when its sequence is p, and full for the
/// consumer when it is p + 1. Freezing adds <see cref="FrozenBit"/> to the tail: every later attempt to enqueue finds a
/// slot with a smaller sequence and gives up. The true tail stays readable.
/// </summary>
internal sealed class RequestSegment
{
    /// <summary>The bit of the tail that marks a frozen segment, which takes no more requests.</summary>
    public const long FrozenBit = 1L << 62;

    private readonly Slot[] _slots;
    private readonly int _mask;
    private Counters _counters;

    public RequestSegment(int capacity)
    {
        _slots = new Slot[capacity];
        _mask = capacity - 1;
        for (int index = 0; index < capacity; index++) _slots[index].Sequence = index;
    }

    public int Capacity => _slots.Length;

    /// <summary>The following segment; set once this one is frozen.</summary>
    public RequestSegment? Next;

    /// <summary>The position after the last claimed slot. Any thread.</summary>
    public long Tail => Volatile.Read(ref _counters.Tail) & ~FrozenBit;

    /// <summary>The position of the next slot to consume. Consumer only.</summary>
    public long Head => _counters.Head;

    /// <summary>True when the segment is frozen and every request in it has been consumed. Consumer only.</summary>
    public bool IsExhausted => Volatile.Read(ref _counters.Tail) == (_counters.Head | FrozenBit);

    /// <summary>True when the next slot is full. Consumer only.</summary>
    public bool HasNext => Volatile.Read(ref _slots[_counters.Head & _mask].Sequence) == _counters.Head + 1;

    /// <returns>False when the segment is full or frozen.</returns>
    public bool TryEnqueue(IRequestTarget target, object? payload, long argument)
    {
        while (true)
        {
            long position = Volatile.Read(ref _counters.Tail);
            ref Slot slot = ref _slots[position & _mask];
            long distance = Volatile.Read(ref slot.Sequence) - position;
            if (distance < 0) return false;
            if (distance > 0 || Interlocked.CompareExchange(ref _counters.Tail, position + 1, position) != position)
                continue;
            slot.Target = target;
            slot.Payload = payload;
            slot.Argument = argument;
            Volatile.Write(ref slot.Sequence, position + 1);
            return true;
        }
    }

    /// <summary>Takes the next request. Consumer only.</summary>
    /// <returns>False when there is none, or when its producer has not finished writing it.</returns>
    public bool TryDequeue(out IRequestTarget target, out object? payload, out long argument)
    {
        long position = _counters.Head;
        ref Slot slot = ref _slots[position & _mask];
        if (Volatile.Read(ref slot.Sequence) != position + 1)
        {
            target = null!;
            payload = null;
            argument = 0;
            return false;
        }
        target = slot.Target!;
        payload = slot.Payload;
        argument = slot.Argument;
        slot.Target = null;
        slot.Payload = null;
        Volatile.Write(ref slot.Sequence, position + _slots.Length);
        _counters.Head = position + 1;
        return true;
    }

    /// <summary>Freezes the segment. Called once, under the queue's lock.</summary>
    public void Freeze() => Interlocked.Or(ref _counters.Tail, FrozenBit);

    private struct Slot
    {
        public long Sequence;
        public IRequestTarget? Target;
        public object? Payload;
        public long Argument;
    }

    // Different threads write head and tail: each has separate cache lines, apart from the fields around them.
    [StructLayout(LayoutKind.Explicit, Size = 384)]
    private struct Counters
    {
        [FieldOffset(128)]
        public long Head;

        [FieldOffset(256)]
        public long Tail;
    }
}
