using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Dissemination.Sending;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// One session of this node in a group, as a member or as a publisher, from the step that admits it to the step that
/// releases it. It is the host's interface for sending and queries. A publisher's session receives nothing. A node may
/// have one of each kind in a group; they share the sender, and so the numbers of messages. Its
/// <see cref="GroupSender"/> outlives the session, its <see cref="GroupReceiver"/> ends with it. Core thread only.
/// </summary>
internal sealed class LocalGroup : ISenderListener
{
    private readonly GroupSessions _sessions;

    // What few groups have; null without any of it.
    private Rarities? _rare;

    internal LocalGroup(
        GroupSessions sessions,
        GroupInfo info,
        StepNumber began,
        IGroupListener listener,
        ModeSettings? settings,
        Instant now)
    {
        _sessions = sessions;
        Listener = listener;
        StackParts rooms = sessions.Rooms;
        Sender = rooms.Disseminator.OpenGroup(info, this, IsPublisher);
        if (GroupModes.HasEngine(info.Mode))
        {
            var session = new ModeSession(info, began, IsPublisher, settings, listener, rooms.Modes.Totals);
            if (GroupModes.HasViewsInOrder(info.Mode))
            {
                Rare.Shown = rooms.Cluster.Layout;
                session.ShowView = Show;
                session.ShowTransition = ShowTransition;
            }
            Rare.Mode = rooms.Modes.Open(session, now);
        }
        else if (!IsPublisher)
        {
            Receiver = rooms.Deliverer.OpenGroup(info, began, listener);
        }
    }

    /// <summary>True for a session that sends only.</summary>
    public bool IsPublisher => _sessions.IsPublishing;

    /// <summary>Id, name and mode.</summary>
    public GroupInfo Info => Sender.Group;

    /// <summary>True when messages are taken: the group is joined, not being left, and no limit of pending is
    /// reached.</summary>
    public bool IsOpen => !IsLeaving && Sender.IsOpen;

    /// <summary>The newest group view, the step that last changed the member set: as installed, or in groups whose
    /// views have a place among the messages, as the order has reached it.</summary>
    public StepNumber View => Layout.NumberOf(Info.Id);

    /// <summary>The region views that make up the group in <see cref="View"/>.</summary>
    public IReadOnlyList<RegionView> Regions => Layout.ViewsOf(Info.Id);

    /// <summary>
    /// From now on <see cref="IGroupListener.OnViewChanged"/> is called for each view of the group, that of the step
    /// which admits this node included if this is called from <see cref="JoinRequest.OnAdmitted"/>. A step costs a
    /// look at each group that is watched, and nothing for the others.
    /// </summary>
    public void WatchViews() => _sessions.Watch(this);

    /// <summary>
    /// Makes the receiver of the session's long messages: the host passes it the pieces that are delivered, and what
    /// happens to senders.
    /// </summary>
    /// <param name="begin">As for <see cref="LongMessages"/>.</param>
    public LongMessages ReceiveLongMessages(Func<NodeInfo, ulong, ILongMessageSink?> begin) =>
        new(begin, IsMember, _sessions.Rooms.DeliveryCounters);

    /// <summary>Members of the group in the step that this node sends in, itself included if it is one.</summary>
    public int SendMemberCount => Sender.SendMemberCount;

    /// <summary>Bytes of messages taken from sources and not yet known to be held by every live member.</summary>
    public long PendingBytes => Sender.PendingBytes;

    /// <summary>Messages taken from sources and not yet known to be held by every live member.</summary>
    public long PendingMessages => Sender.PendingMessages;

    /// <summary>
    /// True from the call of <see cref="NodeStack.Leave"/> on: nothing more is taken from its sources.
    /// </summary>
    public bool IsLeaving { get; internal set; }

    /// <summary>
    /// The entrance of messages into the group: takes the signals of sources. Outlives the session.
    /// </summary>
    public GroupSender Sender { get; }

    /// <summary>Registers a source of messages, which ends with the session:
    /// <see cref="GroupSender.AddSource"/>.</summary>
    public void AddSource(IMessageSource source)
    {
        (Rare.Sources ??= []).Add(source);
        Sender.AddSource(source);
    }

    /// <summary>Removes a source.</summary>
    public void RemoveSource(IMessageSource source)
    {
        _rare?.Sources?.Remove(source);
        Sender.RemoveSource(source);
    }

    /// <summary>
    /// Removes the session's sources: this node leaves, and none of their messages may be bound before it is admitted
    /// again.
    /// </summary>
    internal void RemoveSources()
    {
        if (_rare?.Sources is not { } sources) return;
        _rare.Sources = null;
        foreach (IMessageSource source in sources) Sender.RemoveSource(source);
    }

    internal IGroupListener Listener { get; }

    /// <summary>Index in the list of sessions whose listeners are told of views; -1: not in it.</summary>
    internal int WatchIndex { get; set; } = -1;

    /// <summary>The leaves that wait for the end of the session; null: none.</summary>
    internal LeaveWait? Leaves
    {
        get => _rare?.Leaves;
        set
        {
            if (value is not null || _rare is not null) Rare.Leaves = value;
        }
    }

    /// <summary>Null once the session has ended, and always for a publisher.</summary>
    internal GroupReceiver? Receiver { get; set; }

    /// <summary>The session with the engine of the group's mode; null in reliable groups.</summary>
    internal ModeSession? Mode => _rare?.Mode;

    private Rarities Rare => _rare ??= new Rarities();

    private GroupLayout Layout => _rare?.Shown ?? _sessions.Rooms.Cluster.Layout;

    private void Show(GroupLayout layout, Instant now)
    {
        if (IsOver || layout.Step <= Rare.Shown!.Step) return;
        Rare.Shown = layout;
        if (WatchIndex >= 0) Listener.OnViewChanged(now);
    }

    private void ShowTransition(IReadOnlyList<NodeInfo> together, Instant now)
    {
        if (!IsOver && WatchIndex >= 0) Listener.OnTransition(together, now);
    }

    private bool IsMember(NodeInfo node)
    {
        foreach (RegionView view in Regions)
        {
            foreach (NodeInfo member in view.MembersOf(Info.Id))
            {
                if (member.Number == node.Number) return true;
            }
        }
        return false;
    }

    /// <summary>True once the session has ended.</summary>
    internal bool IsOver { get; set; }

    void ISenderListener.PrepareForOwn()
    {
        if (Receiver is { } receiver) CacheLines.Fetch(receiver);
    }

    void ISenderListener.OnOwnMessages(StepNumber step, in DeliveryBatch batch, Instant now)
    {
        if (Receiver is not { } receiver || _sessions.Rooms.Cluster.Self is not { } self) return;
        _sessions.Rooms.Deliverer.OnOwnMessages(receiver, self, step, batch, now);
    }

    void ISenderListener.OnGateChanged(bool open, Instant now) => Listener.OnGateChanged(open, now);

    private sealed class Rarities
    {
        public List<IMessageSource>? Sources;
        public LeaveWait? Leaves;
        public ModeSession? Mode;
        public GroupLayout? Shown;
    }
}
