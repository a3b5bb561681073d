using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Stack;

namespace QuickSilver.Testing.Nodes;

/// <summary>The outboxes of a node whose messages wait in common order, and which group sends through which: as the
/// runtime has it, without threads.</summary>
internal sealed class SimulatedOutboxes
{
    private readonly NodeStack _stack;
    private readonly SimulatedOutbox _home;
    private readonly SimulatedOutbox _waiting;
    private readonly Dictionary<SimulatedGroup, SimulatedOutbox> _byGroup = [];

    /// <summary>Makes the outboxes of a node.</summary>
    public SimulatedOutboxes(NodeApplication application, NodeStack stack)
    {
        Application = application;
        _stack = stack;
        _home = Make(isWaiting: false);
        _waiting = Make(isWaiting: true);
    }

    /// <summary>Makes the messages.</summary>
    public NodeApplication Application { get; }

    /// <summary>Adds a message of a group, and tells the protocol.</summary>
    public void Add(in StagedMessage message, Instant now)
    {
        SimulatedOutbox outbox = _byGroup.GetValueOrDefault(message.Group, _home);
        outbox.Add(message);
        outbox.Lane.Signal(now);
    }

    /// <summary>A group's messages go another way from now on.</summary>
    public SharedLane Move(SimulatedGroup group, SimulatedOutbox from, SimulatedOutbox? other, bool waits, Instant now)
    {
        SimulatedOutbox to = waits ? _waiting : other ?? Make(isWaiting: false);
        foreach (StagedMessage message in from.TakeOut(group)) to.Add(message);
        _byGroup[group] = to;
        to.Lane.Signal(now);
        return to.Lane;
    }

    /// <summary>Groups that waited for a step go home when they have nothing left.</summary>
    public void OnEmpty(SimulatedOutbox outbox)
    {
        if (outbox != _waiting) return;
        foreach (SimulatedGroup group in _byGroup.Keys.ToArray())
        {
            if (_byGroup[group] == _waiting) _byGroup.Remove(group);
        }
    }

    private SimulatedOutbox Make(bool isWaiting)
    {
        var outbox = new SimulatedOutbox(this, isWaiting);
        outbox.Lane = _stack.OpenLane(outbox);
        return outbox;
    }
}
