using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>
/// The unretired views that one node knows, current or not, the publishers that reach them, and the nodes that have
/// been described to it. Also records which views are done, which nodes are removed, and which of their streams are
/// still open. Writes these parts of a report. A node's record lives as long as a view names it, once the server has
/// announced its removal. Otherwise it is kept for good, since the node may be named again. Core thread only.
/// </summary>
internal sealed class KnownViews
{
    private readonly Dictionary<ulong, KnownNode> _nodes = [];
    private readonly SortedDictionary<ViewNumber, RegionView> _views = [];
    private readonly HashSet<ViewNumber> _done = [];
    private readonly Dictionary<ViewNumber, SortedSet<ulong>> _senders = [];
    private readonly RemovedNodes _removed = new();

    /// <summary>This node; null before it is registered.</summary>
    public NodeInfo? Self { get; private set; }

    /// <summary>Number of views.</summary>
    public int Count => _views.Count;

    /// <summary>This node has been registered.</summary>
    public void Begin(NodeInfo self)
    {
        Self = self;
        _nodes.Add(self.Number.Key, new KnownNode(self));
    }

    /// <summary>Forgets all records, this node's number included.</summary>
    public void Clear()
    {
        Self = null;
        _nodes.Clear();
        _views.Clear();
        _done.Clear();
        _senders.Clear();
        _removed.Clear();
    }

    /// <summary>A node by its key; null when it is not known. O(1).</summary>
    public KnownNode? FindNode(ulong key) => _nodes.GetValueOrDefault(key);

    /// <summary>A view; null when it is not known, or has retired.</summary>
    public RegionView? FindView(ViewNumber number) => _views.GetValueOrDefault(number);

    /// <summary>Takes descriptions of nodes. A known node keeps its record.</summary>
    public void Describe(List<NodeInfo> nodes)
    {
        foreach (NodeInfo node in nodes) _nodes.TryAdd(node.Number.Key, new KnownNode(node));
    }

    /// <summary>A view comes into force, for the first time or again; all its members are known.</summary>
    public void Open(RegionView view)
    {
        _done.Remove(view.Number);
        if (!_views.TryAdd(view.Number, view)) return;
        foreach (NodeInfo member in view.Members) _nodes[member.Number.Key].Views++;
    }

    /// <summary>
    /// Publishers reach a view that this node is in. They count as its senders until it has retired, even if they cease
    /// to publish before.
    /// </summary>
    public void AddSenders(RegionView view, IReadOnlyList<KnownNode> senders)
    {
        if (senders.Count == 0) return;
        if (!_senders.TryGetValue(view.Number, out SortedSet<ulong>? known)) _senders.Add(view.Number, known = []);
        foreach (KnownNode sender in senders)
        {
            if (known.Add(sender.Info.Number.Key)) sender.Views++;
        }
    }

    /// <summary>A view that is known has retired.</summary>
    public void Retire(RegionView view)
    {
        if (_senders.Remove(view.Number, out SortedSet<ulong>? senders))
        {
            foreach (ulong key in senders) Release(_nodes[key]);
        }
        _views.Remove(view.Number);
        _done.Remove(view.Number);
        _removed.Forget(view.Number);
        foreach (NodeInfo member in view.Members)
        {
            Release(_nodes[member.Number.Key]);
        }
    }

    private void Release(KnownNode node)
    {
        node.Views--;
        ForgetIfOver(node);
    }

    /// <summary>This node is done with a view.</summary>
    public void MarkDone(ViewNumber view)
    {
        if (_views.ContainsKey(view)) _done.Add(view);
    }

    /// <summary>Streams of removed senders to a view are closed here.</summary>
    public void MarkClosed(ViewNumber view, IReadOnlyList<NodeInfo> senders) => _removed.Close(view, senders);

    /// <summary>A node is removed from the cluster.</summary>
    /// <param name="key">Key of the node's number.</param>
    /// <param name="isConfirmed">True when the server announces the removal, false when a peer reports it.</param>
    /// <param name="isNews">True when the removal was not known before.</param>
    /// <returns>Its record; null when this is nothing new.</returns>
    public NodeInfo? Remove(ulong key, bool isConfirmed, out bool isNews)
    {
        isNews = false;
        if (isConfirmed && _removed.Confirm(key) is { } known)
        {
            if (_nodes.TryGetValue(key, out KnownNode? kept)) ForgetIfOver(kept);
            return known;
        }
        if (!_nodes.TryGetValue(key, out KnownNode? node) || node.Info == Self || node.Info.IsRemoved) return null;
        isNews = true;
        node.Info.IsRemoved = true;
        _removed.Add(node.Info, isConfirmed);
        foreach (RegionView view in _views.Values)
        {
            if (view.IndexOf(Self!.Number.Key) >= 0) _removed.Open(view.Number, key);
        }
        ForgetIfOver(node);
        return node.Info;
    }

    /// <summary>
    /// Drops a record that can no longer be named. A peer's report of a removal may overtake earlier steps, for which
    /// the node is not described again. All of them are here only once the server has announced the removal too.
    /// </summary>
    private void ForgetIfOver(KnownNode node)
    {
        ulong key = node.Info.Number.Key;
        if (node.Views == 0 && node.Info.IsRemoved && !_removed.IsUnconfirmed(key)) _nodes.Remove(key);
    }

    /// <summary>Takes the nodes removed since the last call.</summary>
    public NodeInfo[] TakeRemoved() => _removed.TakeNew();

    /// <summary>Writes the part of a report on removed nodes and views.</summary>
    /// <param name="frame">The frame to write.</param>
    /// <param name="activated">The last step that this node was allowed to send in.</param>
    public void WriteReport(FrameBuilder frame, StepNumber activated)
    {
        var removed = new SortedSet<ulong>(_removed.Remembered);
        foreach (RegionView view in _views.Values)
        {
            foreach (NodeInfo member in view.Members)
            {
                if (member.IsRemoved) removed.Add(member.Number.Key);
            }
            foreach (ulong sender in SendersOf(view))
            {
                if (_nodes[sender].Info.IsRemoved) removed.Add(sender);
            }
        }
        frame.WriteVarint((ulong)removed.Count);
        foreach (ulong key in removed) frame.WriteVarint(key);
        frame.WriteVarint((ulong)_views.Count);
        foreach (RegionView view in _views.Values)
        {
            bool isActivated = view.FirstStep <= activated;
            ulong[] open = _removed.OpenIn(view.Number);
            ReportFrame.WriteView(
                frame, view, isActivated, _done.Contains(view.Number), [.. SendersOf(view)], open);
        }
        var members = new SortedDictionary<ulong, NodeInfo>();
        foreach (RegionView view in _views.Values)
        {
            foreach (NodeInfo member in view.Members)
            {
                if (!member.IsRemoved && member != Self) members[member.Number.Key] = member;
            }
            foreach (ulong sender in SendersOf(view))
            {
                if (!_nodes[sender].Info.IsRemoved) members[sender] = _nodes[sender].Info;
            }
        }
        frame.WriteVarint((ulong)members.Count);
        foreach (NodeInfo member in members.Values) NodeFrame.WriteEntry(frame, member);
    }

    private IReadOnlyCollection<ulong> SendersOf(RegionView view) =>
        _senders.GetValueOrDefault(view.Number) ?? (IReadOnlyCollection<ulong>)[];
}
