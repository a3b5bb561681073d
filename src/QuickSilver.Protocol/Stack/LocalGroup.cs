using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// A stay of this node in a group, from the step that admits it to the one that lets it go, as its host uses it: what it may send and ask, with the
/// <see cref="GroupSender"/> that outlives the stay and the <see cref="GroupReceiver"/> that ends with it. Core thread only.
/// </summary>
public sealed class LocalGroup : ISenderListener
{
    private readonly StackRooms _rooms;

    internal LocalGroup(StackRooms rooms, GroupInfo info, StepNumber began, IGroupListener listener)
    {
        _rooms = rooms;
        Info = info;
        Listener = listener;
        Sender = rooms.Disseminator.OpenGroup(info, this);
        Receiver = rooms.Deliverer.OpenGroup(info, began, listener);
    }

    /// <summary>Id, name and mode.</summary>
    public GroupInfo Info { get; }

    /// <summary>True when a message may be admitted: the group is joined, not being left, and no limit of pending is reached.</summary>
    public bool IsOpen => !IsLeaving && Sender.IsOpen;

    /// <summary>True while no limit of pending is reached now, told or not: see <see cref="GroupSender.HasRoom"/>.</summary>
    public bool HasRoom => Sender.HasRoom;

    /// <summary>True when nothing admitted waits to be bound: what sources write now comes behind it.</summary>
    public bool IsDrained => Sender.IsDrained;

    /// <summary>The newest installed group view: the step that last changed the member set.</summary>
    public StepNumber View => _rooms.Cluster.GroupViewOf(Info.Id);

    /// <summary>The region views that make up the group, as installed.</summary>
    public IReadOnlyList<RegionView> Regions => _rooms.Cluster.ViewsOf(Info.Id);

    /// <summary>Members of the group in the step that this node sends in, itself included.</summary>
    public int SendMemberCount => Sender.SendMemberCount;

    /// <summary>Bytes of messages admitted and not yet known to be held by every live member.</summary>
    public long PendingBytes => Sender.PendingBytes;

    /// <summary>Messages admitted and not yet known to be held by every live member.</summary>
    public long PendingMessages => Sender.PendingMessages;

    /// <summary>True from the call of <see cref="NodeStack.Leave"/> on: nothing more is admitted.</summary>
    public bool IsLeaving { get; internal set; }

    internal IGroupListener Listener { get; }

    internal GroupSender Sender { get; }

    /// <summary>Null once the stay has ended.</summary>
    internal GroupReceiver? Receiver { get; set; }

    /// <summary>
    /// Admits a message. Taken even when <see cref="IsOpen"/> is false (it was admitted on another thread a moment ago): the host stops when told
    /// that the gate has shut.
    /// </summary>
    /// <param name="payload">The bytes, with one reference that passes to the protocol.</param>
    /// <param name="ticket">Told when the message is numbered and when it is stable; may be null.</param>
    /// <param name="now">The present instant.</param>
    public void Send(Payload payload, SendTicket? ticket, Instant now) => Sender.Admit(payload, ticket, now);

    /// <summary>Asks to be told when everything admitted so far is stable.</summary>
    public void Flush(FlushRequest request, Instant now) => Sender.Flush(request.OnFlushed, now);

    /// <summary>Registers a source of messages. It is asked first after <see cref="Signal"/>.</summary>
    public void AddSource(IMessageSource source) => Sender.AddSource(source);

    /// <summary>Says that a source has something to send.</summary>
    public void Signal(IMessageSource source, Instant now) => Sender.Signal(source, now);

    /// <summary>Forgets a source.</summary>
    public void RemoveSource(IMessageSource source) => Sender.RemoveSource(source);

    void ISenderListener.OnOwnMessages(StepNumber step, in MessageRun run, Instant now)
    {
        if (Receiver is { } receiver && _rooms.Cluster.Self is { } self) _rooms.Deliverer.OnOwnMessages(receiver, self, step, run, now);
    }

    void ISenderListener.OnGateChanged(bool open, Instant now) => Listener.OnGateChanged(open, now);
}
