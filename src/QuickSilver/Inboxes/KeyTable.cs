namespace QuickSilver.Inboxes;

/// <summary>
/// Index of an inbox's unread messages by key, for <see cref="GroupOptions.Key"/>. It maps a key to a
/// position in the inbox's ring. A second array holds the key of each slot, so that slots can be moved.
/// <para>
/// Awkward case: the reader takes messages without a report. Positions behind the reader are stale and ignored. Stale
/// keys are removed once they are as many as the live ones, so memory follows the unread messages, at O(1) per message.
/// Core thread only.
/// </para>
/// </summary>
internal sealed class KeyTable
{
    private const int SweepsAbove = 64;

    private readonly Dictionary<ulong, long> _positions = [];
    private ulong[] _keys = [];
    private bool[] _hasKey = [];
    private int _sweepAt = SweepsAbove;

    /// <summary>Removes and returns the position of the newest message with a key; the message may have been read
    /// since. The key is removed because its next message may not be stored, and after compaction the position could
    /// name another message.</summary>
    public bool TryTake(ulong key, out long position) => _positions.Remove(key, out position);

    /// <summary>Records a stored message.</summary>
    /// <param name="position">Its position in the ring.</param>
    /// <param name="slots">Number of slots of the ring.</param>
    /// <param name="key">Its key; null if it has none and is never replaced.</param>
    /// <param name="head">The first position that the reader has not taken.</param>
    public void OnStored(long position, int slots, ulong? key, long head)
    {
        Resize(slots, head, position);
        _hasKey[position & (slots - 1)] = key.HasValue;
        _keys[position & (slots - 1)] = key.GetValueOrDefault();
        if (key is not { } found) return;
        _positions[found] = position;
        if (_positions.Count > _sweepAt) Sweep(head);
    }

    /// <summary>Records that a message moved to an earlier position of the same ring.</summary>
    public void OnMoved(long from, long to)
    {
        int mask = _keys.Length - 1;
        _hasKey[to & mask] = _hasKey[from & mask];
        _keys[to & mask] = _keys[from & mask];
        if (_hasKey[to & mask] && _positions.GetValueOrDefault(_keys[to & mask], -1) == from)
            _positions[_keys[to & mask]] = to;
    }

    private void Resize(int slots, long head, long end)
    {
        if (slots == _keys.Length) return;
        var keys = new ulong[slots];
        var hasKey = new bool[slots];
        if (_keys.Length > 0)
        {
            for (long position = head; position < end; position++)
            {
                keys[position & (slots - 1)] = _keys[position & (_keys.Length - 1)];
                hasKey[position & (slots - 1)] = _hasKey[position & (_keys.Length - 1)];
            }
        }
        _keys = keys;
        _hasKey = hasKey;
    }

    private void Sweep(long head)
    {
        foreach ((ulong key, long position) in _positions)
        {
            if (position < head) _positions.Remove(key);
        }
        _sweepAt = Math.Max(SweepsAbove, _positions.Count * 2);
    }
}
