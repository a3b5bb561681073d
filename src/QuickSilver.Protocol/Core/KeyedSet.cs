using System.Diagnostics.CodeAnalysis;

namespace QuickSilver.Protocol.Core;

/// <summary>
/// Records found by a key that each of them carries. A dictionary would keep the keys a second time; with thousands of
/// groups that is most of its memory. Operations are O(1). Core thread only.
/// </summary>
/// <typeparam name="TKey">The key.</typeparam>
/// <typeparam name="TRecord">The record.</typeparam>
internal sealed class KeyedSet<TKey, TRecord>
    where TKey : notnull
    where TRecord : class
{
    private readonly HashSet<TRecord> _records;
    private readonly HashSet<TRecord>.AlternateLookup<TKey> _byKey;
    private readonly Func<TRecord, TKey> _keyOf;

    /// <summary>Makes an empty set.</summary>
    /// <param name="keyOf">The key of a record, which never changes while the record is here.</param>
    /// <param name="keys">Compares keys; null for their own equality.</param>
    public KeyedSet(Func<TRecord, TKey> keyOf, IEqualityComparer<TKey>? keys = null)
    {
        _keyOf = keyOf;
        _records = new HashSet<TRecord>(new Comparer(keyOf, keys ?? EqualityComparer<TKey>.Default));
        _byKey = _records.GetAlternateLookup<TKey>();
    }

    /// <summary>How many records there are.</summary>
    public int Count => _records.Count;

    /// <summary>The records, in no order.</summary>
    public HashSet<TRecord> Records => _records;

    /// <summary>Finds a record.</summary>
    public bool TryGet(TKey key, [MaybeNullWhen(false)] out TRecord record) => _byKey.TryGetValue(key, out record);

    /// <summary>Adds a record.</summary>
    /// <exception cref="ArgumentException">There is one with its key.</exception>
    public void Add(TRecord record)
    {
        if (!_records.Add(record)) throw new ArgumentException($"There is another record of {_keyOf(record)}.");
    }

    /// <summary>Removes a record.</summary>
    /// <returns>False when there is none with the key.</returns>
    public bool Remove(TKey key, [MaybeNullWhen(false)] out TRecord record) =>
        _byKey.TryGetValue(key, out record) && _byKey.Remove(key);

    /// <summary>Makes room for many records that are about to be added: without it, a set that grows keeps up to twice
    /// the room that it needs.</summary>
    public void Expect(int more)
    {
        if (more > _records.Count / 2) _records.EnsureCapacity(_records.Count + more);
    }

    /// <summary>Gives back the spare room, when there is much.</summary>
    public void Trim() => SpareRoom.GiveBack(_records);

    /// <summary>Removes all records.</summary>
    public void Clear() => _records.Clear();

    private sealed class Comparer(Func<TRecord, TKey> keyOf, IEqualityComparer<TKey> keys)
        : IEqualityComparer<TRecord>, IAlternateEqualityComparer<TKey, TRecord>
    {
        public bool Equals(TRecord? left, TRecord? right) => keys.Equals(keyOf(left!), keyOf(right!));

        public int GetHashCode(TRecord record) => keys.GetHashCode(keyOf(record));

        public bool Equals(TKey key, TRecord record) => keys.Equals(key, keyOf(record));

        public int GetHashCode(TKey key) => keys.GetHashCode(key);

        public TRecord Create(TKey key) => throw new NotSupportedException("Records are added as such.");
    }
}
