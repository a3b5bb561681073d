using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Stack;
using QuickSilver.Testing.Invariants;

namespace QuickSilver.Testing.Nodes;

/// <summary>
/// The joins and leaves of one node, in the order in which hosts ask for them. A node asks to leave when its long
/// messages are given up, and it asks to join again after that.
/// </summary>
/// <param name="node">The node.</param>
/// <param name="givesUp">False: the node leaves at once, and says nothing of its long messages.</param>
internal sealed class SimulatedRequests(SimulatedNode node, bool givesUp)
{
    private readonly List<SimulatedJoin> _joins = [];
    private readonly List<SimulatedJoin> _open = [];
    private int _leaves;

    /// <summary>True while a join has not returned.</summary>
    public bool HasJoins => _open.Exists(static join => !join.IsCompleted && join.Failure is null);

    /// <summary>Joins groups, once the leaves before it have been asked for.</summary>
    public void Join(SimulatedJoin join, Instant now)
    {
        _open.RemoveAll(static one => one.IsCompleted || one.Failure is not null);
        _open.Add(join);
        if (_leaves > 0) _joins.Add(join);
        else node.Stack.Join(join, now);
    }

    /// <summary>Leaves groups, once what was written there is complete or given up.</summary>
    public void Leave(SimulatedLeave leave, Instant now)
    {
        _leaves++;
        var open = new List<(SimulatedGroup Session, IReadOnlyList<SentLongMessage> Messages)>();
        foreach (LocalGroup group in leave.Groups)
        {
            if (Find(group)?.Writers?.End() is { Count: > 0 } messages) open.Add((Find(group)!, messages));
        }
        int remaining = open.Count;
        if (remaining == 0 || !givesUp)
        {
            Ask(leave, now);
            return;
        }
        foreach ((SimulatedGroup session, IReadOnlyList<SentLongMessage> messages) in open)
        {
            SimulatedSource source = node.Application.SourceOf(session);
            source.GiveUp(messages, () =>
            {
                // In a later turn, never inside a call of the protocol.
                if (--remaining == 0) node.Post(later => Ask(leave, later));
            });
            session.Local.Sender.Signal(source, now);
        }
    }

    private SimulatedGroup? Find(LocalGroup group)
    {
        string name = group.Info.Name;
        SimulatedGroup? session = group.IsPublisher ? node.FindPublisher(name) : node.FindGroup(name);
        return session?.Local == group ? session : null;
    }

    private void Ask(SimulatedLeave leave, Instant now)
    {
        node.Stack.Leave(leave, now);
        if (--_leaves > 0) return;
        foreach (SimulatedJoin join in _joins) node.Stack.Join(join, now);
        _joins.Clear();
    }
}
