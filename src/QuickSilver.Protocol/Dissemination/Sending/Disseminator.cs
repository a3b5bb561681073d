using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Hybrids;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Limits;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Sending;

/// <summary>
/// The sending half of a node: its group senders, its streams, and the step it sends in. Core thread only.
/// <para>
/// A message comes from a source of its group (<see cref="IMessageSource"/>), which is asked when the message can be
/// sent. There are two ways. When the root asks, the packer lets the source write into the packet. Otherwise the group
/// (<see cref="GroupSender"/>) binds the message to the step and puts it into the region buffer of each
/// <see cref="StreamSender"/>; it is packed when the root asks. Feedback (<see cref="OnAck"/>, <see cref="OnNak"/>)
/// arrives per stream. The switch to another step happens between two messages. Bound messages stay in the old views'
/// streams, which end when they are stable; messages still with their source bind to the new step.
/// </para>
/// </summary>
internal sealed class Disseminator
{
    private readonly SendContext _context;
    private readonly OwnMessages _messages;
    private readonly RouteTable _routes;
    private readonly StreamTable _streams;
    private readonly HybridTable _hybrids;
    private readonly StreamContext _shared;
    private readonly KeyedSet<GroupId, GroupSender> _groups = new(static sender => sender.Group.Id);
    private readonly List<GroupSender> _left = [];
    private readonly List<Ending> _endings = [];
    private readonly List<RegionView> _due = [];
    private readonly List<SendLane> _waiting = [];

    /// <summary>
    /// Makes the sending half of a node; it sends nothing before <see cref="Start"/> and <see cref="SwitchTo"/>.
    /// </summary>
    /// <param name="settings">Pace, beacons.</param>
    /// <param name="pending">Limits of pending messages: taken from sources, and not known stable.</param>
    /// <param name="transport">The sockets; started by the time of <see cref="SwitchTo"/>.</param>
    /// <param name="roots">The sink at which streams register.</param>
    /// <param name="alarms">Fires the timers.</param>
    /// <param name="pool">Source of packet memory.</param>
    /// <param name="counters">Receives all counts.</param>
    /// <param name="events">Receives the events.</param>
    public Disseminator(
        DisseminationSettings settings,
        PendingQuota pending,
        ITransport transport,
        ISink roots,
        AlarmQueue alarms,
        BufferPool pool,
        DisseminationCounters counters,
        IDisseminationEvents events)
    {
        _context = new SendContext(settings, pending, transport, roots, alarms, pool, counters);
        _messages = new OwnMessages(_context);
        _routes = new RouteTable(
            _messages, (view, now) => _streams!.Open(view, now).Messages, group => _hybrids!.Make(group));
        _shared = new StreamContext(_messages, _routes.Loop, events);
        _streams = new StreamTable(_shared);
        _hybrids = new HybridTable(_shared, _streams);
    }

    /// <summary>The step this node sends in; none before the first <see cref="SwitchTo"/>.</summary>
    public StepNumber ActiveStep => _context.ActiveStep;

    /// <summary>The streams of views that have not retired, in the order in which they were opened.</summary>
    public IReadOnlyList<StreamSender> Streams => _streams.All;

    /// <summary>How long this node's datagrams may be, by member: shared with recovery.</summary>
    public PathSizes Paths => _context.Paths;

    /// <summary>
    /// The longest datagram that this node sends to the region with the narrowest way; 0 while it sends to none.
    /// </summary>
    public int ShortestSlot
    {
        get
        {
            int shortest = 0;
            foreach (StreamSender stream in _streams.All)
            {
                if (shortest == 0 || stream.SlotBytes < shortest) shortest = stream.SlotBytes;
            }
            return shortest;
        }
    }

    /// <summary>How members have been reachable so far, shared with the engines of modes.</summary>
    internal CarrierMemory Carriers => _shared.Carriers;

    /// <summary>The messages of a mode's groups on their way out.</summary>
    internal ModeOutlet OutletOf(byte mode) => _routes.OutletOf(mode);

    /// <summary>
    /// A limit of datagrams to a member has changed: streams to its views pack accordingly from their next packet on.
    /// </summary>
    public void OnPathChanged(NodeInfo member)
    {
        foreach (StreamSender stream in _streams.All)
        {
            if (stream.View.IndexOf(member.Number.Key) >= 0) stream.OnPathsChanged();
        }
    }

    /// <summary>Sets the identity that datagrams carry, once the node is registered.</summary>
    public void Start(NodeInfo self, ulong clusterInstance)
    {
        _context.SelfKey = self.Number.Key;
        _context.ClusterInstance = clusterInstance;
    }

    /// <summary>
    /// Returns the sender of a group: the same object per group id until the group is forgotten, so that message
    /// numbers survive leaves and joins.
    /// </summary>
    /// <param name="group">The group.</param>
    /// <param name="listener">Receives the events from now on, replacing the previous listener of its kind.</param>
    /// <param name="isPublisher">True when this node publishes to the group; false when it is a member.</param>
    public GroupSender OpenGroup(GroupInfo group, ISenderListener listener, bool isPublisher = false)
    {
        if (!_groups.TryGet(group.Id, out GroupSender? sender)) _groups.Add(sender = new GroupSender(_routes, group));
        sender.SetListener(listener, isPublisher);
        return sender;
    }

    /// <summary>Makes room for groups that are about to be opened.</summary>
    public void ExpectGroups(int more) => _groups.Expect(more);

    /// <summary>
    /// Makes a lane for messages of many groups; each must be open while messages of it are supplied.
    /// </summary>
    public SharedLane OpenLane(ILaneSource source) => new(_routes, source);

    /// <summary>
    /// Ends this node's session in a group. The sender keeps its numbers; everything else is released as soon as it
    /// sends in a step without the group.
    /// </summary>
    /// <param name="sender">The group's sender.</param>
    /// <param name="isPublisher">True for the session of a publisher; false for that of a member.</param>
    public void CloseGroup(GroupSender sender, bool isPublisher = false)
    {
        sender.SetListener(null, isPublisher);
        _left.Add(sender);
    }

    /// <summary>
    /// Drops the numbers of groups that nobody is in and no view contains. A sender with unstable messages, against
    /// expectation, stays.
    /// </summary>
    public void ForgetGroups(IReadOnlyList<GroupId> groups)
    {
        for (int index = 0; index < groups.Count; index++)
        {
            if (!_groups.TryGet(groups[index], out GroupSender? sender) || !sender.IsIdle) continue;
            sender.Unbind();
            _groups.Remove(sender.Group.Id, out _);
            _context.Settings.Probes.Reached("a node is told to forget a group that it was in");
        }
        _groups.Trim();
    }

    /// <summary>
    /// Finds this node's stream into a view, by the view's fields in a datagram header; null when there is none. O(1).
    /// </summary>
    public StreamSender? FindStream(uint viewTag, uint viewCounter) => _streams.Find(viewTag, viewCounter);

    /// <summary>
    /// Finds the views in which messages of a group are not known to be stable; with a ticket, the ticket's message.
    /// For diagnostics: examines everything that is pending.
    /// </summary>
    /// <param name="group">The group's sender.</param>
    /// <param name="ticket">The message's ticket; null: all of the group's messages.</param>
    /// <param name="isWaiting">True when messages of the group wait in the source of a shared lane.</param>
    /// <param name="views">Views are added here.</param>
    /// <returns>True when some of it is still with its source, and cannot be bound before a newer step comes into
    /// use.</returns>
    public bool FindUnstable(GroupSender group, SendTicket? ticket, bool isWaiting, List<RegionView> views)
    {
        foreach (StreamSender stream in _streams.All)
        {
            if (stream.AwaitsStability(group, ticket)) views.Add(stream.View);
        }
        bool isTaken = ticket is not null && views.Count > 0;
        return !isTaken && group.FindWaiting(isWaiting, views);
    }

    /// <summary>
    /// Records an installed step; nothing is sent in it before <see cref="SwitchTo"/>. Must be called before anything
    /// can be sent again.
    /// </summary>
    public void OnStepInstalled(InstalledStep step)
    {
        _context.Active.OnStepInstalled(step);
        foreach (RegionView view in step.Opened)
        {
            _endings.RemoveAll(ending => ending.View.Number == view.Number);
            // From now on this node is not done with the view, even if it sends nothing there for long.
            _streams.Find(view)?.Reopen();
        }
        foreach (RegionView view in step.Superseded) _endings.Add(new Ending(step.Number, view));
    }

    /// <summary>
    /// Sends in a step from now on, the one installed last: between two messages, all groups at once. Lanes take
    /// their new way at their next message, lanes with waiting messages at once; streams into superseded views end.
    /// Costs a visit to every lane that was used in the step before.
    /// </summary>
    public void SwitchTo(StepNumber step, ClusterView cluster, Instant now)
    {
        _routes.Loop.Enter();
        // Messages of the step before belong to its views.
        _hybrids.OnSwitch();
        _context.ActiveStep = step;
        _context.Active.SwitchTo(cluster);
        _context.Generation++;
        _routes.Clear();
        _waiting.Clear();
        foreach (StreamSender stream in _streams.All)
        {
            RegionBuffer backlog = stream.Messages.Backlog;
            while (backlog.Waiters.Count > 0) backlog.Waiters.Dequeue().OnDetached();
            while (backlog.Direct.Count > 0) backlog.Direct.Dequeue().OnDirectEnded();
            stream.Messages.Gate.DetachAll(_waiting);
        }
        _routes.DetachOutlets();
        foreach (SendLane lane in _routes.WaitingForStep)
        {
            if (lane.MustRebind) _waiting.Add(lane);
        }
        _routes.WaitingForStep.Clear();
        EndSuperseded(step, now);
        foreach (SendLane lane in _waiting) lane.OnSwitched(now);
        _waiting.Clear();
        foreach (GroupSender group in _left) group.Unbind();
        _left.Clear();
        SpareRoom.GiveBack(_left);
        _routes.Loop.Leave(now);
    }

    /// <summary>Adds the views in which this node's packets are not yet held by everybody.</summary>
    public void Observe(NodeObservations observed)
    {
        foreach (StreamSender stream in _streams.All)
        {
            if (!stream.IsDraining) continue;
            observed.Draining.Add(new DrainingView(stream.View.Number, stream.Heard, stream.IsAnsweredElsewhere));
        }
    }

    /// <summary>Adds the views whose streams were kept back at a limit since this was last called.</summary>
    /// <returns>True when feedback has come from any of these views meanwhile.</returns>
    internal bool TakeHeld(List<RegionView> held)
    {
        bool isAnswered = false;
        foreach (StreamSender stream in _streams.All)
        {
            bool isHeard = stream.HeardBefore != stream.Heard;
            stream.HeardBefore = stream.Heard;
            if (!stream.TakeHeld()) continue;
            held.Add(stream.View);
            isAnswered |= isHeard;
        }
        return isAnswered;
    }

    /// <summary>
    /// Closes the stream of a retired view and frees its record, memory and channel. Messages still pending there,
    /// against expectation, count as stable.
    /// </summary>
    public void OnViewRetired(RegionView view, Instant now)
    {
        _endings.RemoveAll(ending => ending.View.Number == view.Number);
        if (_streams.Find(view) is not { } stream) return;
        _routes.Loop.Enter();
        stream.Close(now);
        _streams.Remove(stream);
        _routes.Loop.Leave(now);
    }

    /// <summary>
    /// Nodes are gone from the cluster (<see cref="NodeInfo.IsRemoved"/> is set): nothing waits for them any longer.
    /// </summary>
    public void OnNodesRemoved(IReadOnlyList<NodeInfo> nodes, Instant now)
    {
        _routes.Loop.Enter();
        IReadOnlyList<StreamSender> streams = _streams.All;
        for (int index = 0; index < streams.Count; index++)
        {
            if (IsInAny(streams[index].View, nodes)) streams[index].OnNodesRemoved(now);
        }
        _routes.Loop.Leave(now);
    }

    /// <summary>Handles a region's feedback to one of this node's streams.</summary>
    /// <returns>False when it names packets never sent; then nothing has changed.</returns>
    public bool OnAck(StreamSender stream, in AckBody ack, Instant now)
    {
        _routes.Loop.Enter();
        bool possible = stream.OnAck(ack, now);
        _routes.Loop.Leave(now);
        return possible;
    }

    /// <summary>Handles a member's report on whether this node's multicast reaches it.</summary>
    /// <param name="stream">The stream.</param>
    /// <param name="member">The index in the view of the member, which is live.</param>
    /// <param name="word">The report.</param>
    /// <param name="now">The present instant.</param>
    public void OnCarrierWord(StreamSender stream, int member, in CarrierWordBody word, Instant now) =>
        stream.OnCarrierWord(member, word, now);

    /// <summary>Handles a request for packets that a member of the stream's view, or its partition, lacks.</summary>
    /// <returns>False when it names packets never sent; then nothing has changed.</returns>
    public bool OnNak(StreamSender stream, in NakBody nak, NodeInfo asker, Instant now) =>
        stream.OnNak(nak, asker, now);

    /// <summary>
    /// Releases every buffer, channel and alarm. Tickets, flushes and events are not notified. Not used afterwards.
    /// </summary>
    public void Close()
    {
        _context.IsClosed = true;
        _routes.Close();
        _hybrids.Close();
        foreach (StreamSender stream in _streams.All) stream.Close(Instant.Zero);
        _messages.Close();
    }

    private static bool IsInAny(RegionView view, IReadOnlyList<NodeInfo> nodes)
    {
        for (int index = 0; index < nodes.Count; index++)
        {
            if (view.IndexOf(nodes[index].Number.Key) >= 0) return true;
        }
        return false;
    }

    private void EndSuperseded(StepNumber step, Instant now)
    {
        _due.Clear();
        foreach (Ending ending in _endings)
        {
            if (ending.Step <= step) _due.Add(ending.View);
        }
        _endings.RemoveAll(ending => ending.Step <= step);
        foreach (RegionView view in _due)
        {
            if (_streams.Find(view) is { } stream) stream.End(now);
            else _shared.Events.OnDone(view, now);
        }
    }

    private readonly record struct Ending(StepNumber Step, RegionView View);
}
