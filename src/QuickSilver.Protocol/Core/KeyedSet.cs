using System.Collections;
using System.Diagnostics.CodeAnalysis;

namespace QuickSilver.Protocol.Core;

/// <summary>
/// Records found by a key that each of them carries. The records lie in one array without gaps; a table of their
/// indexes, four bytes a slot, finds them. So a record costs 13 bytes here, and neither its key nor its hash is kept a
/// second time: with thousands of groups those would be most of the memory.
/// <para>
/// Operations are O(1). Records are enumerated in the order in which they were added, but the last one takes the place
/// of one that is removed. Core thread only.
/// </para>
/// </summary>
/// <typeparam name="TKey">The key.</typeparam>
/// <typeparam name="TRecord">The record.</typeparam>
internal sealed class KeyedSet<TKey, TRecord> : IReadOnlyList<TRecord>
    where TKey : notnull
    where TRecord : class
{
    // A slot holds a record's index plus one, and above it eight bits of the hash, which spare most looks at others.
    private const int TagShift = 24;
    private const int IndexMask = (1 << TagShift) - 1;
    private const int LeastCapacity = 4;

    private readonly Func<TRecord, TKey> _keyOf;
    private readonly IEqualityComparer<TKey> _keys;
    private readonly List<TRecord> _records = [];
    private int[] _slots = [];

    /// <summary>Makes an empty set.</summary>
    /// <param name="keyOf">The key of a record, which never changes while the record is here.</param>
    /// <param name="keys">Compares keys; null for their own equality.</param>
    public KeyedSet(Func<TRecord, TKey> keyOf, IEqualityComparer<TKey>? keys = null)
    {
        _keyOf = keyOf;
        _keys = keys ?? EqualityComparer<TKey>.Default;
    }

    /// <summary>How many records there are.</summary>
    public int Count => _records.Count;

    /// <summary>How many records there is room for.</summary>
    public int Capacity => _records.Capacity;

    /// <summary>The record at an index, which changes with removals.</summary>
    public TRecord this[int index] => _records[index];

    /// <summary>Finds a record.</summary>
    public bool TryGet(TKey key, [MaybeNullWhen(false)] out TRecord record)
    {
        int slot = FindSlot(key);
        record = slot < 0 ? null : _records[IndexAt(slot)];
        return slot >= 0;
    }

    /// <summary>Adds a record.</summary>
    /// <exception cref="ArgumentException">There is one with its key.</exception>
    public void Add(TRecord record)
    {
        TKey key = _keyOf(record);
        if (FindSlot(key) >= 0) throw new ArgumentException($"There is another record of {key}.");
        if (_records.Count == _records.Capacity)
            Resize(Math.Max(LeastCapacity, checked(_records.Count + (_records.Count / 2))));
        _records.Add(record);
        Enter(_records.Count - 1);
    }

    /// <summary>Removes a record.</summary>
    /// <returns>False when there is none with the key.</returns>
    public bool Remove(TKey key, [MaybeNullWhen(false)] out TRecord record)
    {
        int slot = FindSlot(key);
        if (slot < 0)
        {
            record = null;
            return false;
        }
        int index = IndexAt(slot);
        record = _records[index];
        Vacate(slot);
        int last = _records.Count - 1;
        if (index != last)
        {
            int other = SlotOf(last);
            _slots[other] += index - last;
            _records[index] = _records[last];
        }
        _records.RemoveAt(last);
        return true;
    }

    /// <summary>Makes room for many records that are about to be added: without it, a set that grows keeps up to half
    /// as much room again as it needs.</summary>
    public void Expect(int more)
    {
        int count = checked(_records.Count + more);
        if (more > _records.Count / 2 && count > _records.Capacity) Resize(count);
    }

    /// <summary>Gives back the spare room, when there is much.</summary>
    public void Trim()
    {
        if (SpareRoom.IsSpare(_records.Count, _records.Capacity)) Resize(_records.Count);
    }

    /// <summary>Removes all records, and gives back their room.</summary>
    public void Clear()
    {
        _records.Clear();
        Resize(0);
    }

    /// <summary>Enumerates the records. The set must not change meanwhile.</summary>
    public List<TRecord>.Enumerator GetEnumerator() => _records.GetEnumerator();

    IEnumerator<TRecord> IEnumerable<TRecord>.GetEnumerator() => _records.GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => _records.GetEnumerator();

    private int IndexAt(int slot) => (_slots[slot] & IndexMask) - 1;

    private int Next(int slot) => slot + 1 == _slots.Length ? 0 : slot + 1;

    // The first slot to look at is the hash's share of the table: its upper bits decide.
    private int HomeOf(uint hash) => (int)(((ulong)hash * (uint)_slots.Length) >> 32);

    // Counters follow each other; their products spread over the table.
    private uint HashOf(TKey key) => unchecked((uint)_keys.GetHashCode(key) * 0x9E3779B9);

    private int FindSlot(TKey key)
    {
        if (_slots.Length == 0) return -1;
        uint hash = HashOf(key);
        for (int slot = HomeOf(hash); ; slot = Next(slot))
        {
            int entry = _slots[slot];
            if (entry == 0) return -1;
            bool isAlike = (uint)entry >> TagShift == (hash & 0xFF);
            if (isAlike && _keys.Equals(key, _keyOf(_records[(entry & IndexMask) - 1]))) return slot;
        }
    }

    private int SlotOf(int index)
    {
        int slot = HomeOf(HashOf(_keyOf(_records[index])));
        while (IndexAt(slot) != index) slot = Next(slot);
        return slot;
    }

    private void Enter(int index)
    {
        uint hash = HashOf(_keyOf(_records[index]));
        int slot = HomeOf(hash);
        while (_slots[slot] != 0) slot = Next(slot);
        _slots[slot] = (int)((hash & 0xFF) << TagShift) | (index + 1);
    }

    // Entries behind a free slot would not be found: those that may move up do.
    private void Vacate(int slot)
    {
        for (int next = Next(slot); _slots[next] != 0; next = Next(next))
        {
            int home = HomeOf(HashOf(_keyOf(_records[IndexAt(next)])));
            bool staysBehind = slot < next ? home > slot && home <= next : home > slot || home <= next;
            if (staysBehind) continue;
            _slots[slot] = _slots[next];
            slot = next;
        }
        _slots[slot] = 0;
    }

    // A quarter of the slots stays free, so that searches are short.
    private void Resize(int capacity)
    {
        if (capacity >= IndexMask) throw new InvalidOperationException($"A set has at most {IndexMask - 1} records.");
        _records.Capacity = capacity;
        _slots = capacity == 0 ? [] : new int[capacity + (capacity / 3) + 1];
        for (int index = 0; index < _records.Count; index++) Enter(index);
    }
}
