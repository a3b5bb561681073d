using System.Runtime.InteropServices;

namespace QuickSilver.Sending;

/// <summary>
/// The free payloads of one size, as a lock-free stack (Treiber). Links are indices into a table. One word holds the
/// index of the top and a version. A swap therefore detects a payload that was popped and pushed since the read (the
/// ABA problem).
/// <para>
/// A stack and not a queue, because the last returned payload is still in a cache. The core returns nearly all
/// payloads; it collects them into a chain and pushes the chain at once. Otherwise the top's word would travel between
/// the caches of two threads for every message.
/// </para>
/// Cost: one compare-and-swap per operation; allocates only for new payloads. Any thread, except for collecting.
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

    // Core thread only: payloads linked from the last returned to the first returned.
    private int _chainTop;
    private PooledPayload? _chainBottom;
    private int _chainLength;

    /// <summary>Creates an empty stack.</summary>
    /// <param name="bytes">Size of its payloads.</param>
    /// <param name="budget">Number of payloads it keeps; any beyond are used once.</param>
    public PayloadStack(int bytes, int budget)
    {
        _bytes = bytes;
        _budget = budget;
    }

    /// <summary>Number of payloads created so far that belong to the stack.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Counts the free payloads by walking the stack. Valid only while no thread uses it.</summary>
    public int CountFree()
    {
        int free = 0;
        for (int index = (int)(Volatile.Read(ref _top.Word) & IndexMask); index != 0; index = _table[index - 1].Below)
            free++;
        return free;
    }

    /// <summary>Takes a free payload, or creates one.</summary>
    public PooledPayload Pop()
    {
        while (true)
        {
            long top = Volatile.Read(ref _top.Word);
            int index = (int)(top & IndexMask);
            if (index == 0) return Make();
            PooledPayload payload = Volatile.Read(ref _table)[index - 1];
            long next = NextVersion(top) | (uint)Volatile.Read(ref payload.Below);
            if (Interlocked.CompareExchange(ref _top.Word, next, top) == top) return payload;
        }
    }

    /// <summary>Returns a payload to the stack.</summary>
    public void Push(PooledPayload payload)
    {
        if (payload.Index != 0) Push(payload.Index, payload);
    }

    /// <summary>Returns a payload at the next <see cref="FlushCollected"/>, or as soon as the chain is long enough.
    /// Core thread only.</summary>
    public void Collect(PooledPayload payload)
    {
        if (payload.Index == 0) return;
        if (_chainLength++ == 0) _chainBottom = payload;
        payload.Below = _chainTop;
        _chainTop = payload.Index;
        if (_chainLength == LongestChain) FlushCollected();
    }

    /// <summary>Pushes the collected payloads onto the stack. Core thread only.</summary>
    public void FlushCollected()
    {
        if (_chainLength == 0) return;
        Push(_chainTop, _chainBottom!);
        _chainTop = 0;
        _chainBottom = null;
        _chainLength = 0;
    }

    // Pushes a chain that no other thread knows: a single payload, or several linked ones.
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

    // The only contended word, on a cache line of its own.
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private struct Top
    {
        [FieldOffset(128)]
        public long Word;
    }
}
