using System.Net;
using Microsoft.Extensions.Logging;
using QuickSilver.Diagnostics;
using QuickSilver.Loop;
using QuickSilver.Membership;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Wire;
using QuickSilver.Transport;

namespace QuickSilver.Runtime;

/// <summary>
/// A node on its core thread. It connects the loop, the sockets and the membership channel with the protocol; the other
/// part passes the protocol's reports on. After an eviction it builds a new protocol stack, with a new incarnation, on
/// the same sockets. Core thread only, unless a member says otherwise.
/// </summary>
internal sealed partial class NodeCore : ICoreObserver, INodeUpcalls, ICompletionHandler, IPullRoots, ILinkHandler
{
    private static readonly TimeSpan StartAgainPause = TimeSpan.FromSeconds(0.5);

    private readonly NodeLifecycle _lifecycle;
    private readonly IHostTransport _transport;
    private readonly BufferPool _pool;
    private readonly SeededRandom _random;
    private readonly ReturnPause _returnPause;
    private NodeSettings _settings;
    private NodeHost? _host;
    private IMembershipLink? _link;
    private readonly OtherNetworks _others;
    private bool _isConnected;
    private GroupLayout _layout = GroupLayout.None;

    /// <summary>Creates a node that has not started.</summary>
    public NodeCore(
        NodeServices services, NodeLifecycle lifecycle, NodeSettings settings, IHostTransport transport,
        BufferPool pool, SeededRandom random)
    {
        Services = services;
        services.Core = this;
        _lifecycle = lifecycle;
        _settings = settings;
        _transport = transport;
        _pool = pool;
        _random = random;
        Directory = new GroupDirectory(this);
        Changes = new JoinsAndLeaves(this);
        Outboxes = new Outboxes(services);
        _returnPause = new ReturnPause(services.Options.Membership.FailureTimeout);
        IsInMemory = services.Options.Transport.Kind == TransportKind.InMemory;
        Stalls = new StallReports(services);
        Lags = new LagReports(this);
        Unserved = new UnservedSends(this);
        _others = new OtherNetworks(lifecycle.Reporter);
        Stack = null!;
    }

    /// <summary>The services shared with other threads. Any thread.</summary>
    public NodeServices Services { get; }

    /// <summary>Reports delays of this thread.</summary>
    public StallReports Stalls { get; }

    /// <summary>Reports members that hold regions up.</summary>
    public LagReports Lags { get; }

    /// <summary>Ends calls that wait for members while nobody serves.</summary>
    public UnservedSends Unserved { get; }

    /// <summary>The groups of the node.</summary>
    public GroupDirectory Directory { get; }

    /// <summary>The joins and leaves under way.</summary>
    public JoinsAndLeaves Changes { get; }

    /// <summary>The messages that calls have sent, on their way to the protocol.</summary>
    public Outboxes Outboxes { get; }

    /// <summary>The alarms of the core thread.</summary>
    public AlarmQueue Alarms { get; } = new();

    /// <summary>The protocol; replaced after an eviction.</summary>
    public NodeStack Stack { get; private set; }

    /// <summary>This node as the cluster knows it; null before its admission. Any thread.</summary>
    public NodeInfo? Self { get; private set; }

    /// <summary>The groups of this node and their region views, as installed last. Any thread.</summary>
    public GroupLayout Layout => Volatile.Read(ref _layout);

    /// <summary>True when the transport is in memory: no datagram leaves the process.</summary>
    public bool IsInMemory { get; }

    /// <summary>The pooled memory of received packets.</summary>
    public BufferPool Pool => _pool;

    /// <summary>The groups with work at the end of the turn.</summary>
    public List<GroupCore> Touched { get; } = [];

    /// <summary>The failure that stops the node; null while there is none. Any thread.</summary>
    public QuickSilverException? StopReason => _lifecycle.StopReason;

    /// <summary>The exception for calls on an ended node; null while the node takes calls.</summary>
    public Exception? EndReason { get; private set; }

    /// <summary>Publishes the node's figures; set before the thread starts.</summary>
    public StatisticsCutter? Statistics { get; set; }

    /// <summary>Cluster-wide statistics; set before the thread starts.</summary>
    public IMonitoringEvents? Monitoring { get; set; }

    /// <summary>Messages passed to inline handlers, counted once for each handle that has handlers.</summary>
    public long MessagesHandled { get; set; }

    /// <summary>Observes the node's address; null where it cannot change. Set before the thread starts.</summary>
    public AddressMonitor? Addresses { get; set; }

    /// <summary>Messages that full inboxes dropped.</summary>
    public long MessagesDropped { get; set; }

    /// <summary>Handles that full inboxes ended.</summary>
    public long SlowConsumers { get; set; }

    /// <summary>Members that were removed because they were too slow.</summary>
    public long MembersShed { get; private set; }

    /// <summary>Members that the membership server waits for during a hold.</summary>
    public int MembersMissing { get; private set; }

    /// <summary>Exceptions that user code threw.</summary>
    public long HandlerErrors { get; private set; }

    /// <inheritdoc/>
    public bool HasWork => Stack.HasWork;

    /// <summary>The transport, for its counters and facts.</summary>
    public IHostTransport Transport => _transport;

    /// <summary>Connects parts that refer to each other. Call once, before the thread starts.</summary>
    public void Compose(IMembershipLink link)
    {
        _link = link;
        _host = new NodeHost(Alarms, _transport, link, this, _random, _pool)
        {
            HandlerTime = () => Services.UserCode.SlowTime,
        };
        BuildStack();
    }

    /// <inheritdoc/>
    public void Handle(ref Completion completion, Instant now) => Stack.Handle(ref completion, now);

    /// <inheritdoc/>
    public int PullAll(Instant now) => Stack.PullAll(now);

    /// <inheritdoc/>
    public int PullControl(Instant now) => Stack.PullControl(now);

    /// <inheritdoc/>
    public void OnTurnEnded(Instant now, bool wasBusy)
    {
        Services.CheckCoreThread();
        Stalls.OnTurnEnded();
        Outboxes.OnTurnEnded(now);
        foreach (GroupCore group in Touched) group.OnTurnEnded();
        if (Services.Inboxes.PublishShared() || Touched.Count > 0) Services.Inboxes.Budget.OnTurnEnded();
        Touched.Clear();
        Services.SendBuffers.OnTurnEnded();
        Services.Inboxes.Returns.Drain();
        Statistics?.OnTurnEnded(now, wasBusy);
    }

    /// <inheritdoc/>
    public void OnStopping(Instant now)
    {
        Services.CheckCoreThread();
        EndReason ??= _lifecycle.StopReason
            ?? (Exception)new ObjectDisposedException(
                nameof(QuickSilverNode), $"The node '{Services.Name}' has been disposed of: start another.");
        (_link as TcpMembershipLink)?.ExpectEnd();
        Monitoring?.OnMonitored(false);
        Stack.Shutdown(now);
        Directory.EndAll(_lifecycle.StopReason);
        Statistics?.Cut(now);
        Close();
    }

    /// <inheritdoc/>
    public void OnFault(Exception fault, Instant now)
    {
        QuickSilverException reason = NodeFaults.OfCore(fault);
        EndReason = reason;
        _lifecycle.Stop(reason);
        Monitoring?.OnMonitored(false);
        Directory.EndAll(reason);
        Close();
    }

    /// <inheritdoc/>
    public void OnMembershipConnected(Instant now)
    {
        Services.CheckCoreThread();
        _isConnected = true;
        Stack.OnMembershipConnected(now);
    }

    /// <inheritdoc/>
    public void OnMembershipFrame(ReadOnlySpan<byte> frame, Instant now) => Stack.OnMembershipFrame(frame, now);

    /// <inheritdoc/>
    public void OnMembershipDisconnected(Instant now)
    {
        Services.CheckCoreThread();
        _isConnected = false;
        Stack.OnMembershipDisconnected(now);
    }

    /// <summary>Counts and logs an exception of user code, and applies the handle's policy.</summary>
    public void OnUserFault(GroupCore group, GroupHandle handle, Exception fault)
    {
        Services.CheckCoreThread();
        HandlerErrors++;
        HandlerErrorPolicy policy = handle.Settings.HandlerErrors;
        if (group.Figures.ReportsHandlerError(Services.Clock.Now))
        {
            Services.Log.Post(
                (group.Name, Count: HandlerErrors, Policy: policy, Fault: fault),
                static (logger, s) => Log.HandlerFailed(logger, s.Name, s.Count, s.Policy, s.Fault));
        }
        if (policy == HandlerErrorPolicy.Continue) return;
        QuickSilverException reason = NodeFaults.OfUserCode(group.Name, policy, fault);
        if (policy == HandlerErrorPolicy.LeaveGroup) FailLater(handle, reason);
        else _lifecycle.Stop(reason);
    }

    /// <summary>Ends one handle with a reason in the next turn.</summary>
    public void FailLater(GroupHandle handle, QuickSilverException reason) =>
        Services.TryPost(now => Changes.Fail(handle, reason, now));

    /// <summary>Describes the state of the node for the text of an exception.</summary>
    /// <param name="group">The group to describe as well; null for none.</param>
    public string Describe(GroupCore? group)
    {
        LoopStatistics? loop = Statistics?.Loop;
        string text = $"state {_lifecycle.State}; {DescribeMembership()}; "
            + $"longest turn {loop?.LongestTurn.TotalMilliseconds:0.0} ms; "
            + $"thread pool: {ThreadPool.ThreadCount} threads, {ThreadPool.PendingWorkItemCount} items waiting";
        return group is null ? text : $"{text}; view {group.View}";
    }

    /// <summary>The number of other nodes that the membership server of this process serves, if its options make it a
    /// host; no other process takes the place of such a server by itself. Any thread.</summary>
    public int OthersServed
    {
        get
        {
            if (Services.Options.Membership.Mode != MembershipMode.Host) return 0;
            int own = _lifecycle.State is NodeState.Running or NodeState.WaitingForMajority ? 1 : 0;
            return Math.Max(0, ((_link as TcpMembershipLink)?.Host?.Nodes ?? 0) - own);
        }
    }

    /// <summary>True while the node is connected to a membership server.</summary>
    public bool IsConnected => _isConnected;

    /// <summary>Describes the connection to the membership server, for diagnostics.</summary>
    public string DescribeMembership() =>
        _isConnected
            ? "connected to the membership server"
            : $"no membership server ({_lifecycle.Reporter.LastTrouble})";

    /// <summary>Moves the node, whose address is gone, to another address as a new incarnation.</summary>
    /// <param name="place">The new interface and address.</param>
    /// <param name="now">The instant of the turn.</param>
    public void MoveTo(NetworkPlace place, Instant now)
    {
        Services.CheckCoreThread();
        IPAddress before = _transport.Choice.InterfaceAddress;
        if (EndReason is not null || before.Equals(place.Network.Address)) return;
        NodeEvictedException? reason = null;
        bool returns = Services.Options.Membership.Eviction == EvictionPolicy.Rejoin;
        if (Self is not null)
        {
            reason = Refusals.OfMove(before, place.Network.Address, Directory.CountUnconfirmed(), returns);
            _lifecycle.OnEvicted(reason.Message);
        }
        EndStack(reason, now);
        if (reason is not null && !returns)
        {
            EndReason = reason;
            _lifecycle.Stop(reason);
            return;
        }
        // If the new address is gone again already, the next check finds another.
        if (_transport.TryMove(place.Network, place.Multicast, place.Reason))
            _lifecycle.Reporter.OnAddressChanged(before.ToString(), place.Network.Address.ToString());
        _others.Clear();
        Renew();
        _isConnected = false;
        (_link as TcpMembershipLink)?.Reconnect();
    }

    private void OnExpelled(MembershipRefusal refusal, Instant now)
    {
        if (refusal == MembershipRefusal.ForeignAddress && Addresses is { } addresses)
        {
            addresses.LookForOther(() => Services.TryPost(later => Leave(refusal, later)));
            return;
        }
        Leave(refusal, now);
    }

    private void Leave(MembershipRefusal refusal, Instant now)
    {
        if (Self is null)
        {
            if (refusal == MembershipRefusal.Replaced) TryStartAgain(now);
            else _lifecycle.Stop(Refusals.OfStart(refusal, Stack.ServerVersions));
            return;
        }
        bool returns = Services.Options.Membership.Eviction == EvictionPolicy.Rejoin;
        TimeSpan pause = returns ? _returnPause.Next(refusal, now) : TimeSpan.Zero;
        NodeEvictedException reason = Refusals.OfEviction(
            refusal, Directory.CountUnconfirmed(), returns, pause, Self.Control, Self.Data);
        _lifecycle.OnEvicted(reason.Message);
        if (!returns) EndReason = reason;
        EndStack(reason, now);
        if (!returns)
        {
            _lifecycle.Stop(reason);
            return;
        }
        Renew();
        if (pause > TimeSpan.Zero)
            StayAway($"{Refusals.Text(refusal)}, more than once, and the node stays away for {pause}", pause);
        else if (_isConnected) Stack.OnMembershipConnected(now);
    }

    // The server knows a node of this address with a higher incarnation. If the clock was set back, that is this node's
    // predecessor, which the failure detector removes in time.
    private void TryStartAgain(Instant now)
    {
        Stack.Shutdown(now);
        BuildStack();
        StayAway(
            "the server has a node with this address that seems to have started later (has the clock been set back?)",
            StartAgainPause);
    }

    private void StayAway(string reason, TimeSpan time)
    {
        _lifecycle.Reporter.OnStayingAway(reason);
        (_link as TcpMembershipLink)?.StayAway(time);
    }

    private void EndStack(NodeEvictedException? reason, Instant now)
    {
        Statistics?.OnStackEnding();
        Monitoring?.OnMonitored(false);
        Stack.Shutdown(now);
        if (reason is not null) Directory.EndAll(reason);
    }

    private void Renew()
    {
        _settings = _settings with { Incarnation = Math.Max(_settings.Incarnation + 1, Incarnations.Next()) };
        BuildStack();
    }

    private void BuildStack()
    {
        Stack = new NodeStack(_settings, _host!);
        Outboxes.OnStackBuilt(Stack);
        Volatile.Write(ref _layout, GroupLayout.None);
        if (_transport is FaultInjector injector) injector.CountInto = Stack.Counters.Rejected;
    }

    private void Close()
    {
        foreach (GroupCore group in Touched) group.OnTurnEnded();
        Touched.Clear();
        Services.Inboxes.PublishShared();
        Services.SendBuffers.OnTurnEnded();
        Services.Inboxes.Returns.DrainAndClose();
        if (_link is TcpMembershipLink link) link.Close();
        _transport.Dispose();
        _pool.Abandon();
    }
}
