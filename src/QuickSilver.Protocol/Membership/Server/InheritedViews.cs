using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Views of former servers. The first step of a server that takes over ends all of them, so no node gains permission in
/// one again. A view retires when every live node that reported it is done with it, and its live members have closed
/// the streams of removed senders. These are the streams that they reported as open, and those of nodes removed since
/// that a member knows from its views. The order is that of the reports, and does not matter.
/// </summary>
/// <param name="nodes">Receive the notifications.</param>
/// <param name="groups">Releases inherited groups when the last view has retired: no view names them then.</param>
/// <param name="pool">Holds their addresses until they retire.</param>
internal sealed class InheritedViews(NodeTable nodes, ServerGroups groups, AddressPool pool)
{
    private readonly List<View> _views = [];
    private readonly Dictionary<ViewNumber, View> _byNumber = [];
    private readonly SortedDictionary<ulong, HashSet<ulong>> _knownTo = [];
    private readonly FrameBuilder _frame = new();
    private bool _isComplete;

    /// <summary>Number of views that have not retired.</summary>
    public int Count => _views.Count;

    private void Add(ServerNode node, in ReportFrame.ViewEntry entry)
    {
        if (!_byNumber.TryGetValue(entry.Number, out View? view))
        {
            view = new View(entry.Number, pool.Reserve(entry.Multicast));
            _byNumber.Add(entry.Number, view);
            _views.Add(view);
        }
        if (view.Knowing.Contains(node)) return;
        view.Knowing.Add(node);
        if (!entry.IsDone) view.Awaited.Add(node);
        if (!entry.Members.Contains(node.Key)) return;
        view.Members.Add(node);
        foreach (ulong sender in entry.Open) view.Await(node, sender);
    }

    /// <summary>Adds all views of a node's report.</summary>
    /// <param name="node">The node that reported.</param>
    /// <param name="report">The node's report.</param>
    public void Add(ServerNode node, ReportFrame report)
    {
        var known = new HashSet<ulong>();
        foreach (ReportFrame.ViewEntry entry in report.Views)
        {
            Add(node, entry);
            known.UnionWith(entry.Members);
            known.UnionWith(entry.Senders);
        }
        known.ExceptWith(report.Removed);
        known.Remove(node.Key);
        _knownTo[node.Key] = known;
    }

    /// <summary>Further reports follow: no view retires until <see cref="Complete"/>.</summary>
    public void Reopen() => _isComplete = false;

    /// <summary>All survivors have reported: views retire from now on.</summary>
    public void Complete(Instant now)
    {
        _isComplete = true;
        RetireAll(now);
    }

    /// <summary>Drops all views: the reports came from a server that was not the last.</summary>
    public void Clear(Instant now)
    {
        foreach (View view in _views) Release(view, now);
        _views.Clear();
        _byNumber.Clear();
        _knownTo.Clear();
    }

    /// <summary>A node is done with a view.</summary>
    public void OnDone(ServerNode node, ViewNumber number, Instant now)
    {
        if (_byNumber.TryGetValue(number, out View? view) && view.Awaited.Remove(node)) RetireAll(now);
    }

    /// <summary>True while a view waits for a node to be done with it.</summary>
    public bool IsAwaited(ServerNode node, ViewNumber number) =>
        _byNumber.TryGetValue(number, out View? view) && view.Awaited.Contains(node);

    /// <summary>The live members of a view that have reported it. Others that know it only send to it.</summary>
    public IReadOnlyList<ServerNode> MembersOf(ViewNumber number) =>
        _byNumber.TryGetValue(number, out View? view) ? view.Members : [];

    /// <summary>Adds the live nodes that share a view with a node.</summary>
    public void AddNeighbours(ServerNode node, HashSet<ServerNode> neighbours)
    {
        foreach (View view in _views)
        {
            if (view.Members.Contains(node)) neighbours.UnionWith(view.Members);
        }
        neighbours.Remove(node);
    }

    /// <summary>Adds the nodes that exchange datagrams with a node: see <see cref="Concern"/>.</summary>
    public void AddConcerned(ServerNode node, HashSet<ServerNode> concerned)
    {
        foreach (View view in _views)
        {
            if (view.Knowing.Contains(node)) concerned.UnionWith(view.Members);
            if (view.Members.Contains(node)) concerned.UnionWith(view.Knowing);
        }
    }

    /// <summary>A member reports that the streams of removed senders to a view are closed at it.</summary>
    public void OnClosed(ServerNode node, ViewNumber number, ulong[] senders, Instant now)
    {
        if (!_byNumber.TryGetValue(number, out View? view)) return;
        foreach (ulong sender in senders) view.Open.Remove((node.Key, sender));
        RetireAll(now);
    }

    /// <summary>
    /// Nodes that know a removed node have been notified: as members of views they are to close its streams.
    /// </summary>
    public void OnGone(ulong key)
    {
        foreach (View view in _views)
        {
            foreach (ServerNode member in view.Members)
            {
                if (_knownTo[member.Key].Contains(key)) view.Await(member, key);
            }
        }
        foreach (HashSet<ulong> known in _knownTo.Values) known.Remove(key);
    }

    /// <summary>
    /// A removed node gets no notifications. Views no longer wait for it, except for the closing of its streams.
    /// </summary>
    public void OnRemoved(ServerNode node, Instant now)
    {
        Debug.Assert(node.Info.IsRemoved, "the node is removed");
        _knownTo.Remove(node.Key);
        foreach (View view in _views)
        {
            view.Knowing.Remove(node);
            view.Awaited.Remove(node);
            view.Members.Remove(node);
            view.Open.RemoveWhere(open => open.Member == node.Key);
        }
        OnGone(node.Key);
        RetireAll(now);
    }

    private void Release(View view, Instant now)
    {
        if (view.AddressIndex >= 0) pool.Release(view.AddressIndex, now);
    }

    private void RetireAll(Instant now)
    {
        for (int index = 0; _isComplete && index < _views.Count;)
        {
            View view = _views[index];
            if (view.Awaited.Count + view.Open.Count > 0)
            {
                index++;
                continue;
            }
            _views.RemoveAt(index);
            _byNumber.Remove(view.Number);
            Release(view, now);
            _frame.Begin(FrameKind.Retired).WriteEpoch(view.Number.Epoch).WriteVarint(view.Number.Counter);
            byte[] frame = _frame.ToArray();
            foreach (ServerNode node in view.Knowing) nodes.Send(node, frame);
        }
        if (!_isComplete || _views.Count > 0) return;
        groups.ReleaseInherited();
        groups.ForgetIdle(nodes, now);
    }

    private sealed class View(ViewNumber number, int addressIndex)
    {
        public ViewNumber Number { get; } = number;

        public int AddressIndex { get; } = addressIndex;

        public List<ServerNode> Knowing { get; } = [];

        public HashSet<ServerNode> Awaited { get; } = [];

        /// <summary>The knowing nodes that are members of the view.</summary>
        public List<ServerNode> Members { get; } = [];

        /// <summary>Streams of removed senders that a member has not reported as closed.</summary>
        public HashSet<(ulong Member, ulong Sender)> Open { get; } = [];

        public void Await(ServerNode member, ulong sender) => Open.Add((member.Key, sender));
    }
}
