using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;

namespace QuickSilver.Testing.Nodes;

/// <summary>Messages of many groups of one node in one order: the source of a lane, as a host has it.</summary>
/// <param name="all">The outboxes of the node.</param>
/// <param name="isWaiting">True for groups that wait for a step.</param>
internal sealed class SimulatedOutbox(SimulatedOutboxes all, bool isWaiting) : ILaneSource
{
    private readonly List<StagedMessage> _messages = [];
    private int _taken;

    /// <summary>The protocol's side.</summary>
    public SharedLane Lane { get; set; } = null!;

    /// <inheritdoc/>
    public bool IsWaiting => isWaiting;

    /// <summary>True when there is no message.</summary>
    public bool IsEmpty => _taken == _messages.Count;

    /// <summary>Adds a message behind all others.</summary>
    public void Add(in StagedMessage message) => _messages.Add(message);

    /// <summary>Takes all messages of a group out, in their order.</summary>
    public List<StagedMessage> TakeOut(SimulatedGroup group)
    {
        _messages.RemoveRange(0, _taken);
        _taken = 0;
        List<StagedMessage> taken = _messages.FindAll(message => message.Group == group);
        _messages.RemoveAll(message => message.Group == group);
        return taken;
    }

    /// <inheritdoc/>
    public GroupSender? FindNext(Instant now)
    {
        while (!IsEmpty)
        {
            StagedMessage next = _messages[_taken];
            if (next.Group is { IsOpen: true, Local.IsLeaving: false }) return next.Group.Local.Sender;
            Take(next);
        }
        _messages.Clear();
        _taken = 0;
        all.OnEmpty(this);
        return null;
    }

    /// <inheritdoc/>
    public bool Write(GroupSender group, MessageWriter messages)
    {
        bool takesMore = true;
        while (takesMore && !IsEmpty && _messages[_taken] is var next && next.Group.Local.Sender == group)
        {
            Take(next);
            if (next.IsHanded)
            {
                all.Application.Hand(next.Group, next.Bytes, messages);
                takesMore = false;
                continue;
            }
            all.Application.WritePulled(next.Group, next.Bytes, messages);
            takesMore = messages.EndMessage();
        }
        return !IsEmpty;
    }

    /// <inheritdoc/>
    public SharedLane? Divert(GroupSender group, SharedLane? other, bool waits, Instant now) =>
        all.Move(_messages[_taken].Group, this, other?.Source as SimulatedOutbox, waits, now);

    /// <inheritdoc/>
    public void OnGateChanged(bool open, Instant now)
    {
        // What it has stays, and the protocol asks again.
    }

    private void Take(in StagedMessage message)
    {
        _taken++;
        all.Application.OnTakenFromStage(message);
    }
}
