using System.Runtime.InteropServices;

namespace QuickSilver.Sending;

/// <summary>
/// The free payloads of one size: a lock-free stack (Treiber) whose links are indices into a table, with a version beside the top's index in one
/// word, so that a payload popped and pushed again between a reader's look and its swap is noticed (the ABA problem). A stack rather than a queue:
/// what came back last is still in a cache. The core, through which nearly all come back, collects them into a chain and pushes that whole: a word
/// that two threads swap for every message would travel between their caches all the time. Any thread, but for collecting; one compare-and-swap an
/// operation, no allocation but for new payloads.
/// </summary>
internal sealed class PayloadStack
{
    private const long IndexMask = 0xFFFF_FFFF;
    private const int LongestChain = 32;

    private readonly int _bytes;
    private readonly int _budget;
    private readonly Lock _growing = new();
    private PooledPayload[] _table = new PooledPayload[16];
    private int _count;
    private Top _top;

    // The core's own: payloads linked from the one that came last to the one that came first.
    private int _chainTop;
    private PooledPayload? _chainBottom;
    private int _chainLength;

    /// <summary>Makes an empty stack.</summary>
    /// <param name="bytes">Size of its payloads.</param>
    /// <param name="budget">How many it keeps; those made beyond are used once.</param>
    public PayloadStack(int bytes, int budget)
    {
        _bytes = bytes;
        _budget = budget;
    }

    /// <summary>Payloads made so far that belong to the stack.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Payloads that are here now. Walks the stack: for when nobody uses it.</summary>
    public int CountFree()
    {
        int free = 0;
        for (int index = (int)(Volatile.Read(ref _top.Word) & IndexMask); index != 0; index = _table[index - 1].Below) free++;
        return free;
    }

    /// <summary>Takes a free payload, or makes one.</summary>
    public PooledPayload Pop()
    {
        while (true)
        {
            long top = Volatile.Read(ref _top.Word);
            int index = (int)(top & IndexMask);
            if (index == 0) return Make();
            PooledPayload payload = Volatile.Read(ref _table)[index - 1];
            if (Interlocked.CompareExchange(ref _top.Word, NextVersion(top) | (uint)Volatile.Read(ref payload.Below), top) == top) return payload;
        }
    }

    /// <summary>Gives a payload back.</summary>
    public void Push(PooledPayload payload)
    {
        if (payload.Index != 0) Push(payload.Index, payload);
    }

    /// <summary>Gives a payload back with the next <see cref="FlushCollected"/>, or when enough have come together. Core thread only.</summary>
    public void Collect(PooledPayload payload)
    {
        if (payload.Index == 0) return;
        if (_chainLength++ == 0) _chainBottom = payload;
        payload.Below = _chainTop;
        _chainTop = payload.Index;
        if (_chainLength == LongestChain) FlushCollected();
    }

    /// <summary>Makes what was collected free for use. Core thread only.</summary>
    public void FlushCollected()
    {
        if (_chainLength == 0) return;
        Push(_chainTop, _chainBottom!);
        _chainTop = 0;
        _chainBottom = null;
        _chainLength = 0;
    }

    // A chain of payloads that nobody else knows: one alone, or several that are linked.
    private void Push(int first, PooledPayload last)
    {
        while (true)
        {
            long top = Volatile.Read(ref _top.Word);
            Volatile.Write(ref last.Below, (int)(top & IndexMask));
            if (Interlocked.CompareExchange(ref _top.Word, NextVersion(top) | (uint)first, top) == top) return;
        }
    }

    private static long NextVersion(long top) => (top & ~IndexMask) + (IndexMask + 1);

    private PooledPayload Make()
    {
        if (Count >= _budget) return new PooledPayload(this, _bytes, 0);
        lock (_growing)
        {
            if (_count >= _budget) return new PooledPayload(this, _bytes, 0);
            if (_count == _table.Length)
            {
                var larger = new PooledPayload[Math.Min(_budget, _count * 2)];
                _table.CopyTo(larger, 0);
                Volatile.Write(ref _table, larger);
            }
            var payload = new PooledPayload(this, _bytes, _count + 1);
            _table[_count] = payload;
            Volatile.Write(ref _count, _count + 1);
            return payload;
        }
    }

    // The one contended word, on a cache line of its own.
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private struct Top
    {
        [FieldOffset(128)]
        public long Word;
    }
}
