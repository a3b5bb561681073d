using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>
/// One node's records of removed nodes: those that the next step is to name, those that only a peer has reported, and
/// their streams still open in each view. Also keeps their keys for a server that takes over.
/// <para>
/// Awkward case: a living node that was cut off and removed may register with the next server as if nothing had
/// happened, when no view names it. The nodes that know of its removal have ended its streams, and would take it for a
/// stranger with a used number. So keys are remembered beyond the last view that names them: the last
/// <see cref="MostRemembered"/>, so that memory and a report stay bounded.
/// </para>
/// Core thread only.
/// </summary>
internal sealed class RemovedNodes
{
    /// <summary>Limit on the keys that are remembered.</summary>
    public const int MostRemembered = 4096;

    private readonly List<NodeInfo> _new = [];
    private readonly Dictionary<ulong, NodeInfo> _unconfirmed = [];
    private readonly Dictionary<ViewNumber, SortedSet<ulong>> _open = [];
    private readonly Queue<ulong> _remembered = new();

    /// <summary>Keys of the last removed nodes, in the order in which this node learned of them; none twice.</summary>
    public IReadOnlyCollection<ulong> Remembered => _remembered;

    /// <summary>A node is removed.</summary>
    /// <param name="node">The node, which was not known to be removed.</param>
    /// <param name="isConfirmed">True when the server announces the removal, false when a peer reports it.</param>
    public void Add(NodeInfo node, bool isConfirmed)
    {
        _new.Add(node);
        if (!isConfirmed) _unconfirmed.Add(node.Number.Key, node);
        _remembered.Enqueue(node.Number.Key);
        if (_remembered.Count > MostRemembered) _remembered.Dequeue();
    }

    /// <summary>The server announces a removal that a peer has reported before.</summary>
    /// <returns>The node; null when no peer has reported it, or the server has confirmed it already.</returns>
    public NodeInfo? Confirm(ulong key) => _unconfirmed.Remove(key, out NodeInfo? node) ? node : null;

    /// <summary>True for a node whose removal only a peer has reported.</summary>
    public bool IsUnconfirmed(ulong key) => _unconfirmed.ContainsKey(key);

    /// <summary>Takes the nodes removed since the last call.</summary>
    public NodeInfo[] TakeNew()
    {
        NodeInfo[] taken = [.. _new];
        _new.Clear();
        return taken;
    }

    /// <summary>This node is to close a removed sender's stream to a view.</summary>
    public void Open(ViewNumber view, ulong sender)
    {
        if (!_open.TryGetValue(view, out SortedSet<ulong>? open)) _open.Add(view, open = []);
        open.Add(sender);
    }

    /// <summary>Streams of removed senders to a view are closed here.</summary>
    public void Close(ViewNumber view, IReadOnlyList<NodeInfo> senders)
    {
        if (!_open.TryGetValue(view, out SortedSet<ulong>? open)) return;
        foreach (NodeInfo sender in senders) open.Remove(sender.Number.Key);
        if (open.Count == 0) _open.Remove(view);
    }

    /// <summary>Keys of the removed senders whose streams to a view are not closed here, rising.</summary>
    public ulong[] OpenIn(ViewNumber view) => [.. _open.GetValueOrDefault(view) ?? []];

    /// <summary>A view has retired: its streams no longer matter.</summary>
    public void Forget(ViewNumber view) => _open.Remove(view);

    /// <summary>Forgets all records: this node belongs to no cluster.</summary>
    public void Clear()
    {
        _new.Clear();
        _unconfirmed.Clear();
        _open.Clear();
        _remembered.Clear();
    }
}
