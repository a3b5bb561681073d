using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Stack;

namespace QuickSilver.Testing.Nodes;

/// <summary>The messages of one node that go to several ordered groups at once: the source of a lane, as a host has it.
/// One that finds a session ended goes to none.</summary>
internal sealed class SimulatedTogether : ILaneSource
{
    private readonly NodeApplication _owner;
    private readonly SharedLane _lane;
    private readonly Queue<(SimulatedGroup[] Groups, int Bytes)> _messages = new();
    private readonly List<GroupSender> _others = [];

    public SimulatedTogether(NodeApplication owner, NodeStack stack)
    {
        _owner = owner;
        _lane = stack.OpenLane(this);
    }

    /// <inheritdoc/>
    public bool IsWaiting => false;

    /// <inheritdoc/>
    public bool KeepsOrder => true;

    /// <inheritdoc/>
    public bool HasAlike => false;

    /// <inheritdoc/>
    public IReadOnlyList<GroupSender> Others => _others;

    /// <summary>Adds a message behind all others, and tells the protocol.</summary>
    public void Add(SimulatedGroup[] groups, int bytes, Instant now)
    {
        foreach (SimulatedGroup group in groups) group.Together++;
        _messages.Enqueue((groups, bytes));
        _lane.Signal(now);
    }

    /// <inheritdoc/>
    public GroupSender? FindNext(Instant now)
    {
        _others.Clear();
        while (_messages.TryPeek(out (SimulatedGroup[] Groups, int Bytes) next))
        {
            if (!Array.TrueForAll(next.Groups, static group => group is { IsOpen: true, Local.IsLeaving: false }))
            {
                Take();
                continue;
            }
            foreach (SimulatedGroup group in next.Groups.AsSpan(1)) _others.Add(group.Local.Sender);
            return next.Groups[0].Local.Sender;
        }
        return null;
    }

    /// <inheritdoc/>
    public bool Write(GroupSender group, MessageWriter messages)
    {
        (SimulatedGroup[] groups, int bytes) = _messages.Peek();
        Debug.Assert(groups[0].Local.Sender == group, "the message that was found");
        Take();
        _owner.WriteTogether(groups, bytes, messages);
        messages.EndMessage();
        return _messages.Count > 0;
    }

    /// <inheritdoc/>
    public SharedLane? Divert(GroupSender group, SharedLane? other, bool waits, Instant now) =>
        throw new UnreachableException("a lane that keeps the order diverts nothing");

    /// <inheritdoc/>
    public void OnGateChanged(bool open, Instant now)
    {
        // What it has stays, and the protocol asks again.
    }

    private void Take()
    {
        foreach (SimulatedGroup group in _messages.Dequeue().Groups) group.Together--;
    }
}
