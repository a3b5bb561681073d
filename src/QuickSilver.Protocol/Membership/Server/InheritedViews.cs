using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Views of servers before this one. The first step of a server that takes over ends all of them, so nobody comes to be permitted in one again: each
/// retires when all that reported it, and live, are done with it. Order does not matter, but is that of the reports.
/// </summary>
/// <param name="nodes">Who is told.</param>
internal sealed class InheritedViews(NodeTable nodes)
{
    private readonly List<View> _views = [];
    private readonly Dictionary<ViewNumber, View> _byNumber = [];
    private readonly FrameBuilder _frame = new();
    private bool _isComplete;

    /// <summary>Views that have not retired.</summary>
    public int Count => _views.Count;

    /// <summary>A node has reported a view.</summary>
    public void Add(ServerNode node, in ReportFrame.ViewEntry entry)
    {
        if (!_byNumber.TryGetValue(entry.Number, out View? view))
        {
            view = new View(entry.Number);
            _byNumber.Add(entry.Number, view);
            _views.Add(view);
        }
        if (view.Knowing.Contains(node)) return;
        view.Knowing.Add(node);
        if (!entry.IsDone) view.Awaited.Add(node);
    }

    /// <summary>More reports are to come: no view retires until <see cref="Complete"/>.</summary>
    public void Reopen() => _isComplete = false;

    /// <summary>All have reported: from now on views retire.</summary>
    public void Complete()
    {
        _isComplete = true;
        RetireAll();
    }

    /// <summary>Forgets everything: the reports were of a server that was not the last.</summary>
    public void Clear()
    {
        _views.Clear();
        _byNumber.Clear();
    }

    /// <summary>A node says that it is done with a view.</summary>
    public void OnDone(ServerNode node, ViewNumber number)
    {
        if (_byNumber.TryGetValue(number, out View? view) && view.Awaited.Remove(node)) RetireAll();
    }

    /// <summary>True while a view waits for a node to be done with it.</summary>
    public bool IsAwaited(ServerNode node, ViewNumber number) => _byNumber.TryGetValue(number, out View? view) && view.Awaited.Contains(node);

    /// <summary>The nodes that have reported a view, and live.</summary>
    public IReadOnlyList<ServerNode> KnowingOf(ViewNumber number) => _byNumber.TryGetValue(number, out View? view) ? view.Knowing : [];

    /// <summary>A removed node is waited for no more, and told nothing.</summary>
    public void OnRemoved(ServerNode node)
    {
        foreach (View view in _views)
        {
            view.Knowing.Remove(node);
            view.Awaited.Remove(node);
        }
        RetireAll();
    }

    private void RetireAll()
    {
        for (int index = 0; _isComplete && index < _views.Count;)
        {
            View view = _views[index];
            if (view.Awaited.Count > 0)
            {
                index++;
                continue;
            }
            _views.RemoveAt(index);
            _byNumber.Remove(view.Number);
            byte[] frame = _frame.Begin(FrameKind.Retired).WriteEpoch(view.Number.Epoch).WriteVarint(view.Number.Counter).ToArray();
            foreach (ServerNode node in view.Knowing) nodes.Send(node, frame);
        }
    }

    private sealed class View(ViewNumber number)
    {
        public ViewNumber Number { get; } = number;

        public List<ServerNode> Knowing { get; } = [];

        public HashSet<ServerNode> Awaited { get; } = [];
    }
}
