using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Delivery;

/// <summary>
/// The cursors of one session in a group: how far this node has come with each sender. Opened and closed by the
/// <see cref="Deliverer"/>; its state ends with the session. Core thread only.
/// </summary>
internal sealed class GroupReceiver
{
    /// <summary>
    /// With more senders than this, cursors are found by a dictionary: up to it, a linear search is faster and smaller.
    /// </summary>
    private const int SearchedCursors = 6;

    private static readonly CursorList NoCursors = [];

    private CursorList _cursors = NoCursors;
    private SenderCursor? _last;
    private SessionStart _start;

    internal GroupReceiver(GroupInfo info, SessionStart start, IDeliveryListener listener)
    {
        Info = info;
        _start = start;
        Listener = listener;
    }

    /// <summary>Id, name and mode.</summary>
    public GroupInfo Info { get; }

    /// <summary>The step with which the session began. Messages of earlier steps are not for this session. Once it has
    /// ended, later than any.</summary>
    public StepNumber SessionBegan => _start.Step;

    /// <summary>False once the session has ended.</summary>
    public bool IsOpen => !ReferenceEquals(_start, SessionStart.Never);

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
        if (_cursors.ByKey is { } byKey) return byKey.GetValueOrDefault(key);
        foreach (SenderCursor cursor in _cursors)
        {
            if (cursor.Key == key) return cursor;
        }
        return null;
    }

    /// <summary>Ends the session: no message is for it any more.</summary>
    internal void Close() => _start = SessionStart.Never;

    /// <summary>Drops a sender's cursor.</summary>
    internal void Remove(SenderCursor cursor)
    {
        _cursors.Remove(cursor);
        _cursors.ByKey?.Remove(cursor.Key);
        if (ReferenceEquals(_last, cursor)) _last = null;
    }

    private SenderCursor Add(NodeInfo sender)
    {
        var cursor = new SenderCursor(this, sender);
        if (ReferenceEquals(_cursors, NoCursors)) _cursors = [];
        _cursors.Add(cursor);
        if (_cursors.ByKey is null && _cursors.Count > SearchedCursors)
        {
            _cursors.ByKey = new Dictionary<ulong, SenderCursor>(2 * SearchedCursors);
            foreach (SenderCursor known in _cursors) _cursors.ByKey.Add(known.Key, known);
        }
        else
        {
            _cursors.ByKey?.Add(cursor.Key, cursor);
        }
        return cursor;
    }

    private sealed class CursorList : List<SenderCursor>
    {
        // Null while they are few.
        public Dictionary<ulong, SenderCursor>? ByKey { get; set; }
    }
}
