using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>
/// The views that one node knows and that have not retired, current or not, and the nodes that have been described to it: which of the views the node
/// is done with, who was removed and what is still to be closed of it, and all that a report to another server says of them. A node's record lives as
/// long as a view names it, if the server has said that it is removed, and for good otherwise: it may be named again. Core thread only.
/// </summary>
internal sealed class KnownViews
{
    private readonly Dictionary<ulong, KnownNode> _nodes = [];
    private readonly SortedDictionary<ViewNumber, RegionView> _views = [];
    private readonly HashSet<ViewNumber> _done = [];
    private readonly RemovedNodes _removed = new();

    /// <summary>This node; null before it is registered.</summary>
    public NodeInfo? Self { get; private set; }

    /// <summary>How many views.</summary>
    public int Count => _views.Count;

    /// <summary>This node has been registered.</summary>
    public void Begin(NodeInfo self)
    {
        Self = self;
        _nodes.Add(self.Number.Key, new KnownNode(self));
    }

    /// <summary>Forgets everything, this node's number included.</summary>
    public void Clear()
    {
        Self = null;
        _nodes.Clear();
        _views.Clear();
        _done.Clear();
        _removed.Clear();
    }

    /// <summary>A node by its key; null when it is not known. O(1).</summary>
    public KnownNode? FindNode(ulong key) => _nodes.GetValueOrDefault(key);

    /// <summary>A view; null when it is not known, or has retired.</summary>
    public RegionView? FindView(ViewNumber number) => _views.GetValueOrDefault(number);

    /// <summary>Nodes are described. One that is known keeps its record.</summary>
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

    /// <summary>A view that is known has retired.</summary>
    public void Retire(RegionView view)
    {
        _views.Remove(view.Number);
        _done.Remove(view.Number);
        _removed.Forget(view.Number);
        foreach (NodeInfo member in view.Members)
        {
            KnownNode node = _nodes[member.Number.Key];
            node.Views--;
            ForgetIfOver(node);
        }
    }

    /// <summary>This node is done with a view.</summary>
    public void MarkDone(ViewNumber view)
    {
        if (_views.ContainsKey(view)) _done.Add(view);
    }

    /// <summary>Streams of removed senders to a view are closed here.</summary>
    public void MarkClosed(ViewNumber view, IReadOnlyList<NodeInfo> senders) => _removed.Close(view, senders);

    /// <summary>A node is removed from the cluster.</summary>
    /// <param name="key">The node.</param>
    /// <param name="isConfirmed">The server says so, not a peer.</param>
    /// <param name="isNews">True when it was not known before.</param>
    /// <returns>Its record; null when there is nothing new in this.</returns>
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
    /// Drops a record that nothing can name any more. A peer's word of a removal may overtake steps made before it, for which the node is described
    /// and will not be described again: only when the server has said it too are they all here.
    /// </summary>
    private void ForgetIfOver(KnownNode node)
    {
        ulong key = node.Info.Number.Key;
        if (node.Views == 0 && node.Info.IsRemoved && !_removed.IsUnconfirmed(key)) _nodes.Remove(key);
    }

    /// <summary>Takes the nodes removed since the last call.</summary>
    public NodeInfo[] TakeRemoved() => _removed.TakeNew();

    /// <summary>Writes the part of a report that is about removed nodes and views.</summary>
    /// <param name="frame">Where to.</param>
    /// <param name="activated">The step that this node was told to send in last.</param>
    public void WriteReport(FrameBuilder frame, StepNumber activated)
    {
        var removed = new SortedSet<ulong>(_removed.Remembered);
        foreach (RegionView view in _views.Values)
        {
            foreach (NodeInfo member in view.Members)
            {
                if (member.IsRemoved) removed.Add(member.Number.Key);
            }
        }
        frame.WriteVarint((ulong)removed.Count);
        foreach (ulong key in removed) frame.WriteVarint(key);
        frame.WriteVarint((ulong)_views.Count);
        foreach (RegionView view in _views.Values)
        {
            ReportFrame.WriteView(frame, view, view.FirstStep <= activated, _done.Contains(view.Number), _removed.OpenIn(view.Number));
        }
        var members = new SortedDictionary<ulong, NodeInfo>();
        foreach (RegionView view in _views.Values)
        {
            foreach (NodeInfo member in view.Members)
            {
                if (!member.IsRemoved && member != Self) members[member.Number.Key] = member;
            }
        }
        frame.WriteVarint((ulong)members.Count);
        foreach (NodeInfo member in members.Values) NodeFrame.WriteEntry(frame, member);
    }
}
