using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Delivery;

/// <summary>
/// The cursors of one session in a group: how far this node has come with each sender. Opened and closed by the
/// <see cref="Deliverer"/>; its state ends with the session. Core thread only.
/// </summary>
public sealed class GroupReceiver
{
    /// <summary>
    /// With more senders than this, cursors are found by a dictionary: up to it, a linear search is faster and smaller.
    /// </summary>
    private const int SearchedCursors = 6;

    private static readonly List<SenderCursor> NoCursors = [];

    private List<SenderCursor> _cursors = NoCursors;
    private Dictionary<ulong, SenderCursor>? _byKey;
    private SenderCursor? _last;

    internal GroupReceiver(GroupInfo info, StepNumber sessionBegan, IDeliveryListener listener)
    {
        Info = info;
        SessionBegan = sessionBegan;
        Listener = listener;
    }

    /// <summary>Id, name and mode.</summary>
    public GroupInfo Info { get; }

    /// <summary>The step with which the session began. Messages of earlier steps are not for this session.</summary>
    public StepNumber SessionBegan { get; }

    /// <summary>False once the session has ended.</summary>
    public bool IsOpen { get; internal set; } = true;

    /// <summary>Receives the messages of the session.</summary>
    internal IDeliveryListener Listener { get; }

    /// <summary>Cursors of the senders that a message of this session has come from, in order of appearance.</summary>
    internal List<SenderCursor> Cursors => _cursors;

    /// <summary>The cursor of a sender; made when there is none.</summary>
    internal SenderCursor CursorOf(NodeInfo sender)
    {
        SenderCursor? last = _last;
        if (last is not null && last.Key == sender.Number.Key) return last;
        return _last = Find(sender) ?? Add(sender);
    }

    /// <summary>The cursor of a sender; null when there is none. O(1).</summary>
    internal SenderCursor? Find(NodeInfo sender)
    {
        ulong key = sender.Number.Key;
        if (_byKey is not null) return _byKey.GetValueOrDefault(key);
        foreach (SenderCursor cursor in _cursors)
        {
            if (cursor.Key == key) return cursor;
        }
        return null;
    }

    /// <summary>Drops a sender's cursor.</summary>
    internal void Remove(SenderCursor cursor)
    {
        _cursors.Remove(cursor);
        _byKey?.Remove(cursor.Key);
        if (ReferenceEquals(_last, cursor)) _last = null;
    }

    private SenderCursor Add(NodeInfo sender)
    {
        var cursor = new SenderCursor(this, sender);
        if (ReferenceEquals(_cursors, NoCursors)) _cursors = [];
        _cursors.Add(cursor);
        if (_byKey is null && _cursors.Count > SearchedCursors)
        {
            _byKey = new Dictionary<ulong, SenderCursor>(2 * SearchedCursors);
            foreach (SenderCursor known in _cursors) _byKey.Add(known.Key, known);
        }
        else
        {
            _byKey?.Add(cursor.Key, cursor);
        }
        return cursor;
    }
}
