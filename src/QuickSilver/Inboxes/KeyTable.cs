namespace QuickSilver.Inboxes;

/// <summary>
/// Which unread message of an inbox has which key, for <see cref="OverflowPolicy.KeepLatestByKey"/>: key to position in the inbox's ring, and the key
/// of each slot beside it, so that slots can be moved.
/// <para>
/// Awkward case: the reader takes messages without telling. A position it has passed is stale and means nothing; such keys are swept out when they
/// are as many as the live ones, so memory follows what is unread and each message pays O(1) for it. Core thread only.
/// </para>
/// </summary>
internal sealed class KeyTable
{
    private const int SweepsAbove = 64;

    private readonly Dictionary<ulong, long> _positions = [];
    private ulong[] _keys = [];
    private bool[] _hasKey = [];
    private int _sweepAt = SweepsAbove;

    /// <summary>Where the newest message with a key was stored; it may have been read since. The key is forgotten: whether the message that comes
    /// for it is stored is not known yet, and a place that is packed away would come to name another.</summary>
    public bool TryTake(ulong key, out long position) => _positions.Remove(key, out position);

    /// <summary>A message has been stored.</summary>
    /// <param name="position">Its place.</param>
    /// <param name="slots">How many slots the ring has.</param>
    /// <param name="key">Its key; null: it has none, and is never replaced.</param>
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

    /// <summary>A stored message is moved, to an earlier place of the same ring.</summary>
    public void OnMoved(long from, long to)
    {
        int mask = _keys.Length - 1;
        _hasKey[to & mask] = _hasKey[from & mask];
        _keys[to & mask] = _keys[from & mask];
        if (_hasKey[to & mask] && _positions.GetValueOrDefault(_keys[to & mask], -1) == from) _positions[_keys[to & mask]] = to;
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
