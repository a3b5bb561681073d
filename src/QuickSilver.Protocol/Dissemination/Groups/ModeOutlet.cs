using System.Diagnostics.CodeAnalysis;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Flow.Control;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// The messages of the groups of one mode, on their way out: the lanes that have some, which the mode's engine asks in
/// turn when it can send. Nothing is taken before. The engine owns a message until <see cref="Finish"/>.
/// <para>
/// The user's limit on packets per second holds here, too: what is beyond it waits with its source. A message counts as
/// the packets that its length needs. A rate that follows a region's window does not hold: docs/decisions/0082.
/// </para>
/// <para>
/// Awkward cases: a lane that goes another way leaves when it is asked. The switch to another step empties the outlet;
/// lanes with messages come back by themselves. Core thread only. O(1) a message; allocates nothing in steady state.
/// </para>
/// </summary>
internal sealed class ModeOutlet
{
    private readonly SendContext _context;
    private readonly OwnMessages _own;
    private readonly BindingLoop _loop;
    private readonly RingQueue<SendLane> _lanes = new();
    private readonly TokenBucket? _limit;
    private readonly Alarm _opens;

    public ModeOutlet(OwnMessages own, BindingLoop loop)
    {
        SendContext context = own.Context;
        _own = own;
        _loop = loop;
        _context = context;
        _opens = new Alarm(context.Alarms, _ => HasMessages?.Invoke());
        RateSettings rate = context.Settings.Rate;
        double most = rate.Fixed ? rate.Initial : rate.Max;
        double burst = Math.Max(context.Transport.Facts.TrainDatagrams, most * RateSettings.CatchUp.TotalSeconds);
        if (most > 0) _limit = new TokenBucket(most, burst, Instant.Zero);
    }

    /// <summary>Called when there is a message for an engine that had taken all: it registers its feed.</summary>
    public Action? HasMessages { get; set; }

    /// <summary>True while lanes wait to be asked.</summary>
    public bool HasWork => _lanes.Count > 0;

    /// <summary>True while lanes wait to be asked and the user's limit does not hold them back. When it no longer does,
    /// <see cref="HasMessages"/> is called.</summary>
    public bool MayTake => HasWork && !_opens.IsSet;

    /// <summary>Adds a lane that has messages; it is asked until it has none.</summary>
    public void Add(SendLane lane)
    {
        _lanes.Enqueue(lane);
        HasMessages?.Invoke();
    }

    /// <summary>Takes the next message, numbered, in the active step. Lanes take turns, message by message. One to
    /// several groups comes with a record of each (<see cref="OutgoingMessage.Also"/>).</summary>
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
        if (!IsOpen(now)) return false;
        int held = 0;
        _loop.Enter();
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
            IReadOnlyList<GroupSender> others = lane.Others;
            if (group is null || !lane.TryPull(group))
            {
                lane.OnDirectEnded();
                continue;
            }
            message = group.TakeForMode();
            OutgoingMessage last = message;
            for (int index = 0; index < others.Count; index++) last = last.Also = others[index].TakeAlong(message);
            _lanes.Enqueue(lane);
        }
        _loop.Leave(now);
        if (message is null) return false;
        _limit?.Take(1 + (message.Length / _context.Transport.Facts.SlotBytes), now);
        return true;
    }

    /// <summary>
    /// Moves a message that was taken in an earlier step to the active one: none of its bytes has been delivered.
    /// </summary>
    public void Rebind(OutgoingMessage message) => SenderOf(message).Rebind(message);

    /// <summary>The group of a message that was taken here.</summary>
    public static GroupSender SenderOf(OutgoingMessage message) => (GroupSender)message.Group;

    /// <summary>
    /// The engine has done for a message what its mode promises: its bytes are released, and who waits for it is told.
    /// </summary>
    public void Finish(OutgoingMessage message, Instant now)
    {
        message.ReleaseBytes();
        message.OwnDone = true;
        message.Group.OnStable(_own, message, now);
    }

    /// <summary>
    /// The engine can do nothing more for a message, and does not know who holds it: its bytes are released, and nobody
    /// is told.
    /// </summary>
    public void GiveUp(OutgoingMessage message)
    {
        message.ReleaseBytes();
        message.OwnDone = true;
        message.Group.OnGivenUp(_own, message);
    }

    /// <summary>The active step has changed: lanes with messages look for their way again.</summary>
    public void Detach()
    {
        while (_lanes.Count > 0) _lanes.Dequeue().OnDirectEnded();
    }

    /// <summary>The node is going: nothing is taken any more.</summary>
    public void Close() => _opens.Cancel();

    private bool IsOpen(Instant now)
    {
        if (_limit is null) return true;
        if (_limit.Available(now) > 0)
        {
            _opens.Cancel();
            return true;
        }
        if (HasWork) _opens.Set(_limit.ReadyAt(1, now));
        return false;
    }
}
