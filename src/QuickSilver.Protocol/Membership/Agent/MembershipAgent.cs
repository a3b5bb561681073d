using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>
/// A node's end of the membership protocol: registers, requests groups, installs steps in order and raises events for
/// the rest of the node.
/// When its connection breaks it waits for another, and continues where it stopped; requests made meanwhile are kept. A
/// server that does not know the node requests a report and takes over the node with all its groups. It then receives
/// the requests that the former server had not granted. Core thread only; its methods may be called from inside events.
/// </summary>
internal sealed class MembershipAgent
{
    private readonly AgentSettings _settings;
    private readonly IMembershipLink _link;
    private readonly IMembershipEvents _events;
    private readonly AgentCluster _cluster;
    private readonly AgentRequests _requests = new();
    private readonly AgentSession _session;
    private readonly AgentNews _news;
    private readonly FrameBuilder _frame = new();
    private readonly Alarm _requestAlarm;
    private ulong _instance;
    private ulong _electorate;
    private UInt128 _secret;
    private bool _isConnected;
    private bool _isReporting;
    private Instant? _lostAt;

    /// <summary>Makes an agent that waits for a connection.</summary>
    /// <param name="settings">The node's description, validated by the host.</param>
    /// <param name="link">Carries frames. Called from inside the methods here, and must not call back.</param>
    /// <param name="events">Receives the agent's events.</param>
    /// <param name="alarms">Fires the agent's timers.</param>
    public MembershipAgent(AgentSettings settings, IMembershipLink link, IMembershipEvents events, AlarmQueue alarms)
    {
        _settings = settings;
        _cluster = new AgentCluster(settings.Versions, settings.Probes);
        _link = link;
        _events = events;
        _requestAlarm = new Alarm(alarms, SendRequests);
        _session = new AgentSession(settings.HeartbeatInterval, link, events, alarms);
        _news = new AgentNews(_cluster, _requests, _session, events, settings);
    }

    /// <summary>The cluster as installed here.</summary>
    public ClusterView Cluster => _cluster;

    /// <summary>
    /// The nodes for which this node's joins wait; null when the server has not reported any, or they have settled
    /// since.
    /// </summary>
    public JoinWait? JoinsWaitFor => _news.JoinsWaitFor;

    /// <summary>The versions that the cluster speaks whose server has refused this node for its version.</summary>
    public ProtocolVersions? ServerVersions { get; private set; }

    /// <summary>The channel is open: registers, or registers again under the number it has.</summary>
    public void OnConnected()
    {
        if (_session.IsOver) return;
        _isConnected = true;
        _session.Close();
        var hello = new HelloFrame
        {
            Versions = _settings.Versions,
            IsSealed = _settings.IsSecured,
            ClusterName = _settings.ClusterName,
            NodeName = _settings.NodeName,
            Incarnation = _settings.Incarnation,
            Control = _settings.Control,
            Data = _settings.Data,
            ReceiveBufferBytes = _settings.ReceiveBufferBytes,
            LongestDatagram = _settings.LongestDatagram,
            Multicast = _settings.Multicast,
            Number = _cluster.Self?.Number ?? default,
            Received = _session.Received,
            Session = _cluster.Epoch,
            Instance = _instance,
            Secret = _secret,
            Electorate = _electorate,
            Ciphers = _settings.Ciphers,
            TakesMonitored = _settings.TakesMonitored,
        };
        hello.WriteTo(_frame);
        _link.Send(_frame.Span);
    }

    /// <summary>
    /// Takes a frame from the server, without its length. A malformed or impossible frame ends the agent with
    /// <see cref="MembershipRefusal.BadFrame"/>.
    /// </summary>
    public void OnFrame(ReadOnlySpan<byte> frame, Instant now)
    {
        if (_session.IsOver || !_isConnected) return;
        var reader = new WireReader(frame);
        var kind = (FrameKind)reader.ReadByte();
        bool isNumbered = kind >= FrameKind.Nodes;
        bool isGreeting = kind is FrameKind.Welcome or FrameKind.ReportRequest;
        bool good = kind is FrameKind.Expelled or FrameKind.Forget || isGreeting != _session.IsOpen;
        if (good && isNumbered) _session.OnReceived();
        good = good && kind switch
        {
            FrameKind.Welcome => OnWelcome(ref reader, now),
            FrameKind.ReportRequest => OnReportRequest(ref reader, now),
            FrameKind.Expelled => OnExpelled(ref reader, now),
            FrameKind.Forget => OnForget(ref reader, now),
            FrameKind.Heartbeat => OnHeartbeat(ref reader),
            _ => _news.TryTake(kind, ref reader, now),
        };
        if (!good) End(MembershipRefusal.BadFrame, now);
    }

    /// <summary>The channel is closed.</summary>
    public void OnDisconnected(Instant now)
    {
        if (_session.IsOver || !_isConnected) return;
        bool wasWelcome = _session.IsOpen;
        if (wasWelcome) _lostAt = now;
        _isConnected = false;
        _session.Close();
        if (wasWelcome) _events.OnConnectionChanged(false, now);
    }

    /// <summary>
    /// Requests to join groups. Requests of one turn share frames. The result is
    /// <see cref="IMembershipEvents.OnStepInstalled"/> with the group as joined, or
    /// <see cref="IMembershipEvents.OnJoinRefused"/>. A group that this node is in already, and has not asked to leave,
    /// yields neither.
    /// </summary>
    public void RequestJoin(IReadOnlyList<string> names, Func<string, byte> modeOf, Instant now)
    {
        foreach (string name in names) _requests.Join(name, modeOf(name));
        _requestAlarm.SetIfEarlier(now);
    }

    /// <summary>
    /// Requests to leave groups. Call it when the last message of this node in them is bound. No message may be bound
    /// there until the node is admitted again.
    /// </summary>
    public void RequestLeave(IReadOnlyList<GroupId> groups, Instant now)
    {
        foreach (GroupId group in groups) _requests.Leave(group);
        _requestAlarm.SetIfEarlier(now);
    }

    /// <summary>
    /// Requests to publish to groups: to send to them without being a member. Works as
    /// <see cref="RequestJoin"/> does, with <see cref="IMembershipEvents.OnPublishRefused"/> for a refusal. A group
    /// that this node is in may be among them.
    /// </summary>
    public void RequestPublish(IReadOnlyList<string> names, Func<string, byte> modeOf, Instant now)
    {
        foreach (string name in names) _requests.Publish(name, modeOf(name));
        _requestAlarm.SetIfEarlier(now);
    }

    /// <summary>
    /// Requests to cease to publish to groups. Call it when the last message of this node that it sends as a publisher
    /// of them is bound.
    /// </summary>
    public void RequestCease(IReadOnlyList<GroupId> groups, Instant now)
    {
        foreach (GroupId group in groups) _requests.Cease(group);
        _requestAlarm.SetIfEarlier(now);
    }

    /// <summary>All senders of this node have switched to the step, and so to all before it.</summary>
    public void ReportSwitched(StepNumber step) =>
        SendNumbered(_frame.Begin(FrameKind.Switched).WriteVarint(step.Counter));

    /// <summary>
    /// Reports a superseded view as done: all messages that this node bound there are numbered and stable, and it binds
    /// no others there. Call it once each time a view was reported as superseded (at once, if the node sent nothing
    /// there). If the view is opened again before the call, wait until it is superseded again. The view retires when
    /// all senders have reported.
    /// </summary>
    public void ReportDone(ViewNumber view)
    {
        _cluster.MarkDone(view);
        _frame.Begin(FrameKind.Done).WriteEpoch(view.Epoch).WriteVarint(view.Counter);
        SendNumbered(_frame.WriteVarint(_cluster.LastStep));
    }

    /// <summary>
    /// A peer's token reports a removal: the node counts as removed here from now on. The server confirms it later.
    /// </summary>
    public void OnRemovalHeard(ulong key, Instant now)
    {
        if (_session.IsOver) return;
        if (_cluster.Remove(key, isConfirmed: false, out bool isNews) is { } node && isNews)
            _events.OnNodesRemoved([node], now);
    }

    /// <summary>
    /// The streams of removed senders to a view are closed here: this node has the rest of them, and accepts no further
    /// packets. The view retires when all its live members have reported so for every removed sender.
    /// </summary>
    public void ReportClosed(ViewNumber view, IReadOnlyList<NodeInfo> senders)
    {
        _cluster.MarkClosed(view, senders);
        _frame.Begin(FrameKind.Closed).WriteEpoch(view.Epoch).WriteVarint(view.Counter);
        _frame.WriteVarint((ulong)senders.Count);
        foreach (NodeInfo sender in senders) _frame.WriteVarint(sender.Number.Key);
        SendNumbered(_frame);
    }

    /// <summary>
    /// Announces to the server that this node leaves, so that no member waits for it. The agent raises no further
    /// events.
    /// </summary>
    public void SayGoodbye()
    {
        if (_session.IsOpen) _link.Send(_frame.Begin(FrameKind.Goodbye).Span);
        Stop();
    }

    private bool OnWelcome(ref WireReader reader, Instant now)
    {
        if (!WelcomeFrame.TryRead(ref reader, out WelcomeFrame welcome)) return false;
        if (_cluster.Self is { } self)
        {
            bool isOther = welcome.Epoch != _cluster.Epoch;
            if (welcome.Number != self.Number || welcome.Instance != _instance) return false;
            if (welcome.Resumed == isOther) return false;
            if (isOther != _isReporting || welcome.Epoch < _cluster.Epoch) return false;
            if (!_session.TryResume(welcome.Received)) return false;
            _secret = welcome.Secret;
            _session.Open(now);
            _settings.Probes.Reached(
                isOther
                    ? "a node is taken over by another server"
                    : "a node is back at its server after its connection broke");
            if (isOther)
            {
                _isReporting = false;
                _cluster.TakeOver(welcome.Epoch, welcome.Step);
                SendRequests(now);
            }
            _events.OnConnectionChanged(true, now);
            return true;
        }
        if (welcome.Received != 0) return false;
        self = new NodeInfo(
            welcome.Number,
            _settings.NodeName,
            _settings.Incarnation,
            _settings.Control,
            _settings.Data,
            _settings.ReceiveBufferBytes)
        {
            LongestDatagram = _settings.LongestDatagram,
            Identity = welcome.Identity,
        };
        _instance = welcome.Instance;
        _electorate = _link.Electorate;
        _secret = welcome.Secret;
        _cluster.Begin(self, welcome.Epoch, welcome.GroupEpoch, welcome.Step);
        _session.Open(now);
        _events.OnRegistered(self, welcome.Instance, now);
        if (!_session.IsOver) SendRequests(now);
        return true;
    }

    /// <summary>
    /// Earlier frames of either side are void. Until the welcome, only reports of views that are done are added to the
    /// log. They reach the server in the next session.
    /// </summary>
    private bool OnReportRequest(ref WireReader reader, Instant now)
    {
        if (!reader.IsAtEnd || _cluster.Self is null) return false;
        _session.Restart();
        _news.DropKeys();
        if (!_isReporting) _requests.AskAgain();
        _isReporting = true;
        _cluster.WriteReport(_frame, _news.Activated, now - (_lostAt ?? now));
        _link.Send(_frame.Span);
        return true;
    }

    private bool OnExpelled(ref WireReader reader, Instant now)
    {
        var reason = (MembershipRefusal)reader.ReadByte();
        if (reason == MembershipRefusal.WrongVersion) ServerVersions = FrameFields.ReadVersions(ref reader);
        if (!reader.IsAtEnd || !Enum.IsDefined(reason)) return false;
        _settings.Probes.Reached("a node is told that it is removed or refused");
        End(reason, now);
        return true;
    }

    /// <summary>
    /// The node's requests are repeated once it has another number. A node that has been in groups cannot withdraw, and
    /// ends.
    /// </summary>
    private bool OnForget(ref WireReader reader, Instant now)
    {
        if (!reader.IsAtEnd) return false;
        if (!_cluster.TryForget())
        {
            End(MembershipRefusal.Superseded, now);
            return true;
        }
        _session.Restart();
        _instance = 0;
        _electorate = 0;
        _secret = 0;
        _news.OnForgotten();
        if (!_isReporting) _requests.AskAgain();
        _isReporting = false;
        _session.Close();
        return true;
    }

    private bool OnHeartbeat(ref WireReader reader)
    {
        ulong received = reader.ReadVarint();
        return reader.IsAtEnd && _session.TryConfirm(received);
    }

    private void SendRequests(Instant now)
    {
        if (_session.IsOver || _isReporting || _cluster.Self is null) return;
        _requestAlarm.Cancel();
        (List<byte[]> frames, List<AgentRequest> impossible) = _requests.Take();
        foreach (byte[] frame in frames) SendNumbered(frame);
        foreach (AgentRequest request in impossible)
        {
            if (request.IsPublisher) _events.OnPublishRefused(request.Name!, MembershipRefusal.BadGroupName, now);
            else _events.OnJoinRefused(request.Name!, MembershipRefusal.BadGroupName, now);
        }
    }

    private void SendNumbered(FrameBuilder frame) => SendNumbered(frame.ToArray());

    private void SendNumbered(byte[] frame)
    {
        if (_cluster.Self is not null) _session.Send(frame);
    }

    private void End(MembershipRefusal reason, Instant now)
    {
        if (_session.IsOver) return;
        Stop();
        _events.OnExpelled(reason, now);
    }

    private void Stop()
    {
        _requestAlarm.Cancel();
        _session.End();
    }
}
