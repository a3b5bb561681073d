using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Delivery;

/// <summary>The sessions of one region view's groups, and its packets taken over the limit.</summary>
internal sealed class ViewGroups(RegionView view, GroupReceiver?[] byIndex)
{
    private readonly List<OverLimitAllowance> _beyondCap = [];
    private readonly List<SenderCursors> _cursors = [];
    private readonly Dictionary<ulong, SenderCursors> _cursorsBySender = [];
    private SenderCursors? _lastCursors;
    private readonly Dictionary<ulong, OverLimitAllowance> _beyondCapBySender = [];

    /// <summary>The view.</summary>
    public RegionView View { get; } = view;

    /// <summary>
    /// The present session in each group of the region, null where there is none. Records carry the group's index, so a
    /// message costs one array access.
    /// </summary>
    public GroupReceiver?[] ByIndex { get; } = byIndex;

    /// <summary>The started cursors of a sender in these groups; made when there are none.</summary>
    public SenderCursors CursorsOf(NodeInfo sender)
    {
        ulong key = sender.Number.Key;
        if (_lastCursors is { } last && last.Key == key) return last;
        if (!_cursorsBySender.TryGetValue(key, out SenderCursors? known))
        {
            known = new SenderCursors(key, ByIndex.Length);
            _cursors.Add(known);
            _cursorsBySender.Add(key, known);
        }
        return _lastCursors = known;
    }

    /// <summary>Records that a session has begun or, with null, ended.</summary>
    public void Map(int index, GroupReceiver? receiver)
    {
        ByIndex[index] = receiver;
        foreach (SenderCursors known in _cursors) known.Forget(index);
    }

    /// <summary>Forgets the cursors of a sender.</summary>
    public void Forget(NodeInfo sender)
    {
        if (!_cursorsBySender.Remove(sender.Number.Key, out SenderCursors? known)) return;
        _cursors.Remove(known);
        _lastCursors = null;
    }

    /// <summary>The charge of the streams' packets over the limit.</summary>
    public long ChargeBeyondCap => _beyondCap.Sum(static stream => stream.Charge);

    /// <summary>A sender's packets taken over the limit; null while there never were any.</summary>
    public OverLimitAllowance? FindBeyondCap(NodeInfo sender) =>
        _beyondCapBySender.GetValueOrDefault(sender.Number.Key);

    /// <summary>A sender's packets taken over the limit; made when there are none.</summary>
    public OverLimitAllowance BeyondCapOf(NodeInfo sender)
    {
        if (FindBeyondCap(sender) is { } known) return known;
        var stream = new OverLimitAllowance();
        _beyondCap.Add(stream);
        _beyondCapBySender.Add(sender.Number.Key, stream);
        return stream;
    }
}
