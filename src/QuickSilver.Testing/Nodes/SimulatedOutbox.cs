using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Messages;

namespace QuickSilver.Testing.Nodes;

/// <summary>Messages of many groups of one node: the source of a lane, as a host has it. What waits of one group is
/// taken together, also from behind messages of others.</summary>
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
            Take(_taken);
        }
        _messages.Clear();
        _taken = 0;
        all.OnEmpty(this);
        return null;
    }

    /// <inheritdoc/>
    public bool HasAlike
    {
        get
        {
            if (IsEmpty) return false;
            StagedMessage first = _messages[_taken];
            int second = IndexOf(first.Group.Local.Sender, _taken + 1);
            return second >= 0 && !first.IsHanded && !_messages[second].IsHanded
                && first.Bytes == _messages[second].Bytes;
        }
    }

    /// <inheritdoc/>
    public bool Write(GroupSender group, MessageWriter messages)
    {
        bool takesMore = true;
        while (takesMore && IndexOf(group, _taken) is >= 0 and int index)
        {
            StagedMessage next = _messages[index];
            if (index > _taken) all.Application.OnGathered();
            Take(index);
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

    // Groups that have no session have no sender.
    private int IndexOf(GroupSender group, int from)
    {
        for (int index = from; index < _messages.Count; index++)
        {
            SimulatedGroup other = _messages[index].Group;
            if (other is { IsOpen: true, Local.IsLeaving: false } && other.Local.Sender == group) return index;
        }
        return -1;
    }

    private void Take(int index)
    {
        StagedMessage message = _messages[index];
        if (index == _taken) _taken++;
        else _messages.RemoveAt(index);
        all.Application.OnTakenFromStage(message);
    }
}
