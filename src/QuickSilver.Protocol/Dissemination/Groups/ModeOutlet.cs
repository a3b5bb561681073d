using System.Diagnostics.CodeAnalysis;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// The messages of the groups of one mode, on their way out: the lanes that have some, which the mode's engine asks in
/// turn when it can send. Nothing is taken before. The engine owns a message until <see cref="Finish"/>.
/// <para>
/// Awkward cases: a lane that goes another way leaves when it is asked. The switch to another step empties the outlet;
/// lanes with messages come back by themselves. Core thread only. O(1) a message; allocates nothing in steady state.
/// </para>
/// </summary>
internal sealed class ModeOutlet(SendContext context)
{
    private readonly RingQueue<SendLane> _lanes = new();

    /// <summary>Called when there is a message for an engine that had taken all: it registers its feed.</summary>
    public Action? HasMessages { get; set; }

    /// <summary>True while lanes wait to be asked.</summary>
    public bool HasWork => _lanes.Count > 0;

    /// <summary>Adds a lane that has messages; it is asked until it has none.</summary>
    public void Add(SendLane lane)
    {
        _lanes.Enqueue(lane);
        HasMessages?.Invoke();
    }

    /// <summary>Takes the next message, numbered, in the active step. Lanes take turns, message by message.</summary>
    /// <returns>False when no lane has any.</returns>
    public bool TryTake(Instant now, [NotNullWhen(true)] out OutgoingMessage? message) =>
        TryTake(now, mayTake: null, out message);

    /// <summary>Takes the next message of a group that may send now.</summary>
    /// <param name="now">The present instant.</param>
    /// <param name="mayTake">Asked for the group of each lane: false while it may not send; null: all may.</param>
    /// <param name="message">The message, numbered, in the active step.</param>
    /// <returns>False when no lane has any whose group may send. O(lanes).</returns>
    public bool TryTake(
        Instant now, Func<GroupSender, bool>? mayTake, [NotNullWhen(true)] out OutgoingMessage? message)
    {
        message = null;
        int held = 0;
        context.Loop.Enter();
        while (message is null && _lanes.Count > held)
        {
            SendLane lane = _lanes.Dequeue();
            GroupSender? group = lane.Next(now);
            if (group is not null && mayTake is not null && !mayTake(group))
            {
                _lanes.Enqueue(lane);
                held++;
                continue;
            }
            if (group is null || !lane.TryPull(group))
            {
                lane.OnDirectEnded();
                continue;
            }
            message = group.TakeForMode();
            _lanes.Enqueue(lane);
        }
        context.Loop.Leave(now);
        return message is not null;
    }

    /// <summary>
    /// The engine has sent a message, or dropped it: its bytes are released, and who waits for the flush is told.
    /// </summary>
    public void Finish(OutgoingMessage message, Instant now)
    {
        message.ReleaseBytes();
        message.OwnDone = true;
        message.Group.Unfinished.OnStable(message, now);
    }

    /// <summary>The active step has changed: lanes with messages look for their way again.</summary>
    public void Detach()
    {
        while (_lanes.Count > 0) _lanes.Dequeue().OnDirectEnded();
    }
}
