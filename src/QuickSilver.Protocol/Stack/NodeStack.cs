using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Dissemination.Sending;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Recovery.Regions;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// Builds one node out of the rooms, and is its interface to the host. The application's requests, the membership
/// server's frames and datagrams enter here, each call with the present instant. Events for the application leave
/// through <see cref="INodeUpcalls"/>.
/// <para>
/// A room never calls a later room. This class passes membership events to the rooms, in an order that matters;
/// <see cref="NodeWiring"/> passes the other rooms' events.
/// </para>
/// <para>
/// Core thread only. Has one life: after <see cref="Shutdown"/>, and after an eviction, the host builds another.
/// </para>
/// </summary>
internal sealed class NodeStack : ICompletionHandler, IPullRoots, IMembershipEvents
{
    private readonly StackParts _rooms;
    private readonly DatagramRouter _router;
    private readonly ReceiveMonitor _hearing;
    private readonly SlowMemberWatch _slow;
    private readonly INodeUpcalls _upcalls;
    private bool _isClosed;

    /// <summary>Builds a node that does nothing until the channel to the membership server opens.</summary>
    public NodeStack(NodeSettings settings, NodeHost host)
    {
        _upcalls = host.Upcalls;
        _rooms = new StackParts(settings, host, this);
        _router = new DatagramRouter(_rooms);
        _hearing = new ReceiveMonitor(_rooms, _router);
        _slow = new SlowMemberWatch(_rooms, settings.SlowMemberTimeout, settings.HeartbeatInterval);
        Counters = new NodeCounters(_rooms);
    }

    /// <summary>What the rooms count together.</summary>
    public NodeCounters Counters { get; }

    /// <summary>
    /// The last datagram whose source address was not its sender's; <see cref="NodeCounters.Rejected"/> has their
    /// number.
    /// </summary>
    public ForgedDatagram LastForged => _router.Forged;

    /// <summary>Sealed datagrams that were opened, for checks.</summary>
    internal ulong DatagramsOpened => _router.Opened;

    /// <summary>The rooms, for what they count, and for checks that look into them.</summary>
    internal StackParts Rooms => _rooms;

    /// <summary>The cluster as installed here.</summary>
    public ClusterView Cluster => _rooms.Cluster;

    /// <summary>The step this node sends in.</summary>
    public StepNumber SendStep => _rooms.Disseminator.ActiveStep;

    /// <summary>
    /// The members that this node's joins wait for; null when the server has not reported any, or the joins have
    /// settled since.
    /// </summary>
    public JoinWait? JoinsWaitFor => _rooms.Agent.JoinsWaitFor;

    /// <summary>The versions that the cluster speaks whose server has refused this node for its version.</summary>
    public ProtocolVersions? ServerVersions => _rooms.Agent.ServerVersions;

    /// <summary>
    /// Members that are behind, the slowest first, of all regions that this node is in or sends to; may name this node.
    /// Allocates the list.
    /// </summary>
    public IReadOnlyList<LaggingMember> FindLagging(Instant now) => _rooms.Lags.Collect(now);

    /// <inheritdoc/>
    public bool HasWork => !_isClosed && _rooms.Roots.HasWork;

    /// <summary>The channel to the membership server is open: the node registers, or registers again.</summary>
    public void OnMembershipConnected(Instant now) => _rooms.Agent.OnConnected();

    /// <summary>The channel is closed.</summary>
    public void OnMembershipDisconnected(Instant now) => _rooms.Agent.OnDisconnected(now);

    /// <summary>One frame from the membership server, without its length prefix.</summary>
    public void OnMembershipFrame(ReadOnlySpan<byte> frame, Instant now)
    {
        if (!_isClosed) _rooms.Agent.OnFrame(frame, now);
    }

    /// <summary>Joins groups, or publishes to them.</summary>
    public void Join(JoinRequest request, Instant now)
    {
        if (request.Mode == GroupModes.Ordered) _rooms.OrderedRing.Join(request, now);
        else SessionsOf(request.IsPublisher).Join(request, now);
    }

    /// <summary>Cancels a join: groups to which it was admitted are left again.</summary>
    public void CancelJoin(JoinRequest request, Instant now)
    {
        if (_rooms.OrderedRing.TryCancel(request)) return;
        SessionsOf(request.IsPublisher).CancelJoin(request, now);
        _rooms.OrderedRing.OnChanged(now);
    }

    /// <summary>
    /// Leaves groups. Their sources are removed at once, and messages still with them are not sent: a host leaves when
    /// they have none. It gives its open long messages up before. Otherwise a receiver that gets a first piece late,
    /// after the node has come back, waits for the end as long as the node stays.
    /// </summary>
    public void Leave(LeaveRequest request, Instant now) =>
        SessionsOf(request.Groups is [{ IsPublisher: true }, ..]).Leave(request, now);

    /// <summary>A group this node is in; null when it is not.</summary>
    public LocalGroup? FindGroup(string name) => _rooms.Groups.Find(name);

    /// <summary>Makes a lane for messages of many groups; each must be in one of this node's sessions.</summary>
    public SharedLane OpenLane(ILaneSource source) => _rooms.Disseminator.OpenLane(source);

    /// <summary>Finds the members that messages of this node in a group wait for.</summary>
    /// <param name="group">The group.</param>
    /// <param name="ticket">A message's ticket; null: all messages that are not known to be stable.</param>
    /// <param name="now">The present instant.</param>
    /// <param name="isWaiting">True when messages of the group wait with the source of a shared lane.</param>
    public AwaitedMembers FindAwaited(LocalGroup group, SendTicket? ticket, Instant now, bool isWaiting = false)
    {
        var found = new AwaitedMembers();
        var views = new List<RegionView>();
        if (_isClosed) return found;
        found.WaitsForStep = _rooms.Disseminator.FindUnstable(group.Sender, ticket, isWaiting, views);
        foreach (RegionView view in views)
        {
            RegionRecovery? ring = _rooms.Views.FindRegion(view);
            for (int index = 0; index < view.Members.Length; index++)
            {
                NodeInfo member = view.Members[index];
                if (member.IsRemoved || member.Number.Key == _rooms.SelfKey) continue;
                found.Add(member, ring is not null && ring.IsSilent(index));
            }
        }
        found.Sort(_rooms.Lags.Collect(now));
        return found;
    }

    /// <summary>
    /// Unregisters from the membership server and releases every buffer, channel and alarm. The stack is not used
    /// afterwards.
    /// </summary>
    public void Shutdown(Instant now)
    {
        if (_isClosed) return;
        _isClosed = true;
        _rooms.Agent.SayGoodbye();
        _rooms.OrderedRing.Close();
        _rooms.Groups.Close(now);
        _rooms.Published.Close(now);
        _rooms.Modes.Close();
        _rooms.Views.Close();
        _rooms.Recoverer.Close();
        _rooms.Disseminator.Close();
        _rooms.Deliverer.Close();
        _router.Close();
        _rooms.Roots.Close();
        _rooms.Keys?.Close();
    }

    /// <inheritdoc/>
    public void Handle(ref Completion completion, Instant now)
    {
        if (!_isClosed) _router.Handle(ref completion, now);
    }

    /// <inheritdoc/>
    public int PullAll(Instant now) => _isClosed ? 0 : _rooms.Roots.PullAll(now);

    /// <inheritdoc/>
    public int PullControl(Instant now) => _isClosed ? 0 : _rooms.Roots.PullControl(now);

    void IMembershipEvents.OnRegistered(NodeInfo self, ulong clusterInstance, Instant now)
    {
        _rooms.SelfKey = self.Number.Key;
        _rooms.ClusterInstance = clusterInstance;
        _rooms.Disseminator.Start(self, clusterInstance);
        _rooms.Recoverer.Start(self, clusterInstance);
        _rooms.Modes.OnRegistered();
        _upcalls.OnRegistered(self, now);
    }

    // The order matters: rings before sessions, so that each packet finds its ring; view events before packets held for
    // the step.
    void IMembershipEvents.OnStepInstalled(InstalledStep step, Instant now)
    {
        _rooms.StepsInstalled++;
        _rooms.OpenKeys(step);
        _rooms.Disseminator.OnStepInstalled(step);
        _rooms.Views.OnStepInstalled(step, now);
        _upcalls.OnStepInstalled(step, now);
        _rooms.Groups.OnStepInstalled(step, now);
        _rooms.Published.OnStepInstalled(step, now);
        _rooms.Modes.OnStepInstalled(step, now);
        _rooms.OrderedRing.OnChanged(now);
        _rooms.Deliverer.OnStepInstalled(step.Number, now);
        foreach (RegionView view in step.Opened) _router.ReplayUnrecognised(view, now);
    }

    void IMembershipEvents.OnStepActivated(StepNumber step, Instant now)
    {
        _rooms.Disseminator.SwitchTo(step, _rooms.Cluster, now);
        _rooms.Modes.OnStepActivated(step, now);
        _rooms.Agent.ReportSwitched(step);
        _upcalls.OnStepActivated(step, now);
    }

    void IMembershipEvents.OnStepSettled(StepNumber step, Instant now)
    {
        _rooms.Groups.OnStepSettled(step, now);
        _rooms.Published.OnStepSettled(step, now);
    }

    void IMembershipEvents.OnViewRetired(RegionView view, Instant now)
    {
        _rooms.Views.OnViewRetired(view, now);
        _rooms.Disseminator.OnViewRetired(view, now);
        _rooms.Deliverer.OnViewRetired(view);
        _rooms.Keys?.Retire(view.Number.Tag, view.Number.Counter);
    }

    void IMembershipEvents.OnNodesRemoved(IReadOnlyList<NodeInfo> nodes, Instant now)
    {
        _rooms.Disseminator.OnNodesRemoved(nodes, now);
        _rooms.Recoverer.OnNodesRemoved(nodes, now);
        _rooms.Modes.OnNodesRemoved(nodes, now);
        foreach (NodeInfo node in nodes) _rooms.Keys?.Remove(node.Number.Key);
        _slow.OnNodesRemoved();
    }

    // The host is notified in order with the steps, even when a peer has reported the removal before.
    void IMembershipEvents.OnRemovalConfirmed(NodeInfo node, Instant now)
    {
        _upcalls.OnNodesRemoved([node], now);
        _rooms.Recoverer.OnRemovalConfirmed(node, now);
    }

    void IMembershipEvents.OnMemberShed(NodeInfo node, Instant now) => _upcalls.OnMemberShed(node, now);

    void IMembershipEvents.OnJoinRefused(string groupName, MembershipRefusal reason, Instant now)
    {
        _rooms.Groups.OnRefused(groupName, reason, now);
        _rooms.OrderedRing.OnChanged(now);
    }

    void IMembershipEvents.OnPublishRefused(string groupName, MembershipRefusal reason, Instant now)
    {
        _rooms.Published.OnRefused(groupName, reason, now);
        _rooms.OrderedRing.OnChanged(now);
    }

    void IMembershipEvents.OnGroupsForgotten(IReadOnlyList<GroupId> groups, Instant now) =>
        _rooms.Disseminator.ForgetGroups(groups);

    void IMembershipEvents.OnObserving(NodeObservations observed, Instant now)
    {
        if (!observed.IsLate)
        {
            _rooms.Recoverer.Observe(observed, now);
            _rooms.Disseminator.Observe(observed);
            _rooms.Modes.Observe(observed, now);
            _hearing.Observe(observed, now);
        }
        _slow.Observe(observed, now);
    }

    void IMembershipEvents.OnHold(MembershipHold hold, Instant now) => _upcalls.OnHold(hold, now);

    void IMembershipEvents.OnMonitored(bool isOpen, Instant now) => _upcalls.OnMonitored(isOpen, now);

    void IMembershipEvents.OnConnectionChanged(bool connected, Instant now) =>
        _upcalls.OnConnectionChanged(connected, now);

    void IMembershipEvents.OnExpelled(MembershipRefusal reason, Instant now) => _upcalls.OnExpelled(reason, now);

    private GroupSessions SessionsOf(bool isPublishing) => isPublishing ? _rooms.Published : _rooms.Groups;
}
