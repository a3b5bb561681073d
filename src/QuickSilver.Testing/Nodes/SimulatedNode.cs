using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Ordering;
using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Timed;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Invariants;
using QuickSilver.Testing.Membership;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Scheduling;
using QuickSilver.Testing.Security;

namespace QuickSilver.Testing.Nodes;

/// <summary>
/// One node of a simulated cluster: the real protocol stack, on a simulated core thread, with simulated sockets and an
/// application that sends and logs. Calls take effect in the node's next turn, when the cluster runs.
/// </summary>
internal sealed class SimulatedNode : IMembershipClient
{
    private static readonly TimeSpan MostClockOffset = TimeSpan.FromHours(1);

    private readonly RunContext _run;
    private readonly ClusterChecks _checks;
    private readonly IMembershipDoor _membership;
    private readonly SimulatedTransport _transport;
    private readonly AlarmQueue _alarms = new();
    private readonly BufferPool _pool = new();
    private readonly NodeSettings _settings;
    private readonly NodeRunner _runner;
    private readonly EventQueue _events;
    private readonly OffsetClock _clock;
    private readonly Action<SimulatedNode>? _onExpelled;
    private readonly SimulatedRequests _requests;
    private StepsSeen _seen;
    private StepNumber _checkedStep;
    private SimulatedLink? _link;

    internal SimulatedNode(
        int index, int machine, ulong life, RunContext run, ClusterChecks checks, EventQueue events,
        SimulatedNetwork network,
        IMembershipDoor membership, ProtocolVersions versions, Action<SimulatedNode>? onExpelled = null)
    {
        _onExpelled = onExpelled;
        Index = index;
        Machine = machine;
        Life = life;
        _run = run;
        _checks = checks;
        _events = events;
        _membership = membership;
        _settings = run.Options.Node with
        {
            NodeName = NameOf(machine),
            ClusterName = run.Options.Membership.ClusterName,
            Incarnation = life,
            Probes = run.ProbesOf(index),
            Crypto = run.CryptoOf(machine),
            Versions = versions,
        };
        Application = new NodeApplication(this, run, checks);
        ulong offset = run.Random.Draw(RandomStream.Node, (ulong)machine, 0, 0) % (ulong)MostClockOffset.Ticks;
        int drift = run.Random.DrawBetween(
            -run.Options.ClockDrift, run.Options.ClockDrift + 1, RandomStream.Node, (ulong)machine, 2);
        _clock = new OffsetClock(run.Clock, TimeSpan.FromSeconds(1) + new TimeSpan((long)offset), drift);
        TimedSettings = run.Options.Timed;
        OrderedSettings = run.Options.Ordered;
        ModeSettings = run.Options.Lateral;
        Work = new WorkMeter(run.Options.Processor, run.Options.Memory, _clock, run.Random, index);
        _transport = new SimulatedTransport(
            network, machine, _clock.Global, ready => _runner!.WakeAt(ready), index, Work);
        var random = new SeededRandom(run.Random.Draw(RandomStream.Node, (ulong)index, 1, 0));
        Stack = new NodeStack(_settings, new NodeHost(_alarms, _transport, new Link(this), Application, random, _pool)
        {
            HandlerTime = () => Work.Handled,
        });
        _requests = new SimulatedRequests(this, run.Options.GivesUpLongMessages);
        if (Stack.Rooms.Keys is { } keys) _transport.Tap = new Wiretap(keys);
        _runner = new NodeRunner(run, events, this, _transport, _alarms, _clock, Work, Stack);
    }

    /// <summary>Its number in the run, from 0: the first nodes have those of their machines, those that come back the
    /// next free ones.</summary>
    public int Index { get; }

    /// <summary>Index of the machine it runs on: its address, its links and its clock. Faults name machines.</summary>
    public int Machine { get; }

    /// <summary>Which node of its machine it is, from 1: its incarnation.</summary>
    public ulong Life { get; }

    /// <summary>The versions of the protocol that it speaks.</summary>
    internal ProtocolVersions Versions => _settings.Versions;

    /// <summary>Where it is in its life.</summary>
    public SimulatedNodeState State { get; private set; }

    /// <summary>True until it crashes, stops, or is expelled.</summary>
    public bool IsAlive => State is SimulatedNodeState.Starting or SimulatedNodeState.Running;

    /// <summary>True once the membership server has said that it is gone, whether it is or not; false again when a
    /// later server takes it over, since nobody who comes to that server has been told.</summary>
    public bool IsRemoved { get; internal set; }

    /// <summary>True once it has been told to end in good order.</summary>
    internal bool IsEnding { get; private set; }

    /// <summary>True while it lives and counts as a member of the cluster: what is promised is promised to such
    /// nodes.</summary>
    public bool IsMember => IsAlive && !IsRemoved;

    /// <summary>True while it is in a group or publishes to one, and does not leave it.</summary>
    internal bool HasGroups => Groups.Concat(Publishers).Any(static session => session.Local is { IsLeaving: false });

    /// <summary>
    /// False when no server counts it as a member: it never had a group or a publisher, asks for none, and is no
    /// restarted process. One that has left may have views that are not retired. A restarted one may follow a member.
    /// </summary>
    internal bool MayCount => Life > 1 || Application.HasBegun || _requests.HasJoins;

    /// <summary>Why it was expelled; none otherwise.</summary>
    public MembershipRefusal Expulsion { get; private set; }

    /// <summary>What the protocol's rooms count together.</summary>
    public NodeCounters Counters => Stack.Counters;

    /// <summary>What the loop has done.</summary>
    public LoopStatistics Loop => _runner.Statistics;

    /// <summary>The groups it is in.</summary>
    public IEnumerable<SimulatedGroup> Groups => Application.Groups.Values;

    /// <summary>The groups it publishes to; it may be in some of them.</summary>
    public IEnumerable<SimulatedGroup> Publishers => Application.Publishers.Values;

    /// <summary>Time its work has taken so far, pauses not included.</summary>
    public TimeSpan TimeWorked => Work.Worked;

    /// <summary>Time it has stood still for collections and preemption.</summary>
    public TimeSpan TimePaused => Work.Paused;

    internal NodeStack Stack { get; }

    internal IReadOnlyList<string> HybridGroups => _run.Options.HybridGroups;

    internal TimedSettings TimedSettings { get; }

    internal OrderedSettings OrderedSettings { get; set; }

    /// <summary>The present instant by its own clock.</summary>
    internal Instant Now => _clock.Now;

    internal WorkMeter Work { get; }

    internal NodeApplication Application { get; }

    /// <summary>A group this node is in; null when it is not.</summary>
    public SimulatedGroup? FindGroup(string name) => Application.Groups.GetValueOrDefault(name);

    /// <summary>A group this node publishes to; null when it does not.</summary>
    public SimulatedGroup? FindPublisher(string name) => Application.Publishers.GetValueOrDefault(name);

    /// <summary>The session that sends to a group: of its publisher, otherwise of a member; null without any.</summary>
    public SimulatedGroup? FindSender(string name) => FindPublisher(name) ?? FindGroup(name);

    /// <summary>Opens publishers of groups, all or nothing.</summary>
    public SimulatedJoin OpenPublishers(params string[] groups)
    {
        var opening = new SimulatedJoin(this, groups, isPublisher: true);
        _runner.Post(now => _requests.Join(opening, now));
        return opening;
    }

    /// <summary>Closes publishers.</summary>
    /// <exception cref="InvalidOperationException">The node does not publish to one of the groups.</exception>
    public SimulatedLeave ClosePublishers(params string[] groups)
    {
        LocalGroup Local(string name) => FindPublisher(name)?.Local
            ?? throw new InvalidOperationException($"node {Index} does not publish to group {name}");
        var closing = new SimulatedLeave(this, [.. groups.Select(Local)]);
        _runner.Post(now => _requests.Leave(closing, now));
        return closing;
    }

    /// <summary>Settings of the groups of other modes that the node joins from now on; null: their defaults.</summary>
    internal ModeSettings? ModeSettings { get; set; }

    /// <summary>Joins groups of one mode, all or nothing.</summary>
    public SimulatedJoin Join(params string[] groups)
    {
        var join = new SimulatedJoin(this, groups);
        _runner.Post(now => _requests.Join(join, now));
        return join;
    }

    /// <summary>Leaves groups.</summary>
    /// <exception cref="InvalidOperationException">The node is not in one of them.</exception>
    public SimulatedLeave Leave(params string[] groups)
    {
        var leave = new SimulatedLeave(this, [.. groups.Select(name => GroupNamed(name).Local)]);
        _runner.Post(now => _requests.Leave(leave, now));
        return leave;
    }

    /// <summary>Sends a message with a ticket; until the protocol asks for it, it waits in the application, in
    /// order.</summary>
    /// <exception cref="InvalidOperationException">The node neither is in the group nor publishes to it.</exception>
    public void Send(string group, int bytes)
    {
        SimulatedGroup session = SenderNamed(group);
        _runner.Post(now => Application.Send(session, bytes, now));
    }

    /// <summary>From now on most of the messages with a ticket are pieces of long messages.</summary>
    /// <exception cref="InvalidOperationException">The node neither is in the group nor publishes to it.</exception>
    public void WriteLongMessages(string group)
    {
        SimulatedGroup session = SenderNamed(group);
        session.Writers ??= new SimulatedWriters(session);
    }

    /// <summary>Lets the protocol pull messages from a source. One node either sends to a group or is pulled from,
    /// never both.</summary>
    /// <exception cref="InvalidOperationException">The node neither is in the group nor publishes to it.</exception>
    public void Pull(string group, int count, int bytes)
    {
        SimulatedGroup session = SenderNamed(group);
        _runner.Post(now => Application.Pull(session, count, bytes, now));
    }

    /// <summary>Sends a message as an application's thread does: it waits in a stage for the protocol to pull it. A
    /// node that stages in a group neither sends to it otherwise nor is pulled from.</summary>
    /// <param name="group">The group.</param>
    /// <param name="bytes">Size of the message.</param>
    /// <param name="isConfirmed">True: it has a ticket.</param>
    /// <exception cref="InvalidOperationException">The node neither is in the group nor publishes to it.</exception>
    public void Stage(string group, int bytes, bool isConfirmed)
    {
        SimulatedGroup session = SenderNamed(group);
        _runner.Post(now => Application.Stage(session, bytes, isConfirmed, now));
    }

    /// <summary>Sends one message to several ordered groups at once.</summary>
    /// <param name="groups">The groups; those count that the node may send to.</param>
    /// <param name="bytes">Size of the message.</param>
    public void SendTogether(IReadOnlyList<string> groups, int bytes)
    {
        SimulatedGroup[] sessions = [.. groups.Select(FindSender).OfType<SimulatedGroup>()];
        if (sessions.Length == 0) return;
        _runner.Post(now => Application.SendTogether(sessions, bytes, now));
    }

    /// <summary>
    /// Lets the protocol pull messages from a source that always has another one: the node sends as fast as it is let,
    /// by the protocol's rate or by what its work costs. Such a run never settles until this is called again with 0.
    /// </summary>
    /// <param name="group">The group.</param>
    /// <param name="bytes">Size of each message; 0: no more messages.</param>
    /// <exception cref="InvalidOperationException">The node neither is in the group nor publishes to it.</exception>
    public void PullEndlessly(string group, int bytes)
    {
        SimulatedGroup session = SenderNamed(group);
        _runner.Post(now => Application.PullEndlessly(session, bytes, now));
    }

    /// <summary>Stops the node for a while, as a collector's or a scheduler's pause does: its sockets go on filling,
    /// its timers become late.</summary>
    /// <param name="duration">How long.</param>
    /// <param name="stopsClock">True: its clock stands still as well; false: it jumps on.</param>
    public void Freeze(TimeSpan duration, bool stopsClock = false)
    {
        TimeSpan added = _runner.FreezeUntil(_run.Now + duration);
        // Nobody looks at the clock meanwhile; when the node goes on, it shows what it showed.
        if (stopsClock) _clock.LoseTime(added);
    }

    /// <summary>Ends the node from one instant to the next.</summary>
    public void Crash() => End(SimulatedNodeState.Crashed);

    /// <summary>Ends the node in good order.</summary>
    public void Shutdown() => _runner.Post(now =>
    {
        IsEnding = true;
        Stack.Shutdown(now);
        _checks.Memory.CheckEmpty(
            this, _pool, _alarms.Count, _transport.OpenChannels, Application.PayloadsOut, _transport.BlocksOut);
        End(SimulatedNodeState.Stopped);
    });

    /// <inheritdoc/>
    public override string ToString() =>
        Index == Machine ? $"node {Index} ({State})" : $"node {Index} on machine {Machine} ({State})";

    void IMembershipClient.OnLinkConnected() => _runner.Post(Stack.OnMembershipConnected);

    void IMembershipClient.OnLinkFrame(byte[] frame)
    {
        _run.Tap?.OnFrame(fromServer: true, frame);
        _runner.Post(now => Stack.OnMembershipFrame(frame, now));
    }

    void IMembershipClient.OnLinkClosed()
    {
        _link = null;
        if (!IsAlive) return;
        _runner.Post(Stack.OnMembershipDisconnected);
        _events.Schedule(_run.Now + _run.Options.ReconnectPause, new Reconnection(this));
    }

    /// <summary>Connects to the membership server; tries again and again while there is no way to it.</summary>
    internal void Connect()
    {
        if (!IsAlive || _link is not null) return;
        _link = _membership.Connect(this);
        if (_link is null) _events.Schedule(_run.Now + _run.Options.ReconnectPause, new Reconnection(this));
    }

    /// <summary>Has something done in the node's next turn.</summary>
    internal void Post(Action<Instant> action) => _runner.Post(action);

    /// <summary>The name of all nodes of a machine.</summary>
    internal static string NameOf(int machine) => $"node-{machine}";

    /// <summary>Breaks the node's channel to the membership server.</summary>
    internal void BreakMembership()
    {
        if (_link is not null) _link.Server.Break(_link, isEnded: false);
    }

    /// <summary>Makes every turn of the node cost so many times what it should.</summary>
    internal void Slow(int factor) => Work.Factor = factor;

    /// <summary>Ends a node that never was: its machine is not there.</summary>
    internal void NeverStart() => End(SimulatedNodeState.Stopped);

    /// <summary>The node was admitted to the cluster.</summary>
    internal void OnRegistered()
    {
        _run.Trace.Add(TraceKind.Lifecycle, _run.Now, (ulong)Index, (ulong)SimulatedNodeState.Running << 32);
        State = SimulatedNodeState.Running;
    }

    /// <summary>The node was refused or removed.</summary>
    internal void OnExpelled(MembershipRefusal reason)
    {
        Expulsion = reason;
        if (!IsRemoved && reason is MembershipRefusal.Removed or MembershipRefusal.BadFrame)
            _checks.Removals.OnRemoved(this);
        IsRemoved = true;
        End(SimulatedNodeState.Expelled);
        _onExpelled?.Invoke(this);
    }

    /// <summary>Checks the node's views, in the middle of a turn.</summary>
    internal void CheckViews()
    {
        StepNumber installed = Stack.Cluster.Installed;
        if (installed.IsNone || installed == _checkedStep) return;
        _checkedStep = installed;
        _checks.Views.CheckViews(
            Index,
            Stack.Cluster,
            Application.Groups.Values.Concat(Application.Publishers.Values).Select(group => group.Id),
            _checks.Removals);
        foreach (ViewKeys view in Stack.Rooms.Keys?.Views ?? []) _run.CheckSecret(Index, view);
    }

    /// <summary>Checks what is checked after every turn.</summary>
    internal void AfterTurn()
    {
        ulong steps = Stack.Rooms.StepsInstalled;
        RejectCounters rejected = Stack.Counters.Rejected;
        if (Stack.Cluster.Installed.IsNone) _seen = new StepsSeen(default, steps);
        else if (_seen.Step != Stack.Cluster.Installed)
        {
            _checkedStep = default;
            CheckViews();
            _checks.Views.CheckOrder(Index, Stack.Cluster.Installed, steps, ref _seen);
        }
        if (_run.Tap is null
            && rejected[RejectReason.Malformed] + rejected[RejectReason.BadFragment] > 0)
        {
            throw _run.Violation("E2",
                $"node {Index} rejected {rejected[RejectReason.Malformed]} datagrams as malformed and "
                + $"{rejected[RejectReason.BadFragment]} fragments as contradictory, though checksums stop "
                + $"what is damaged");
        }
        if (_run.Tap is null && !_transport.WasForged && rejected[RejectReason.WrongSource] > 0)
            throw _run.Violation(
                "E2", $"node {Index} took {Stack.LastForged} for forged, though every one came from its sender");
        _checks.Rates.OnTurn(this);
        _checks.Memory.CheckCaps(this, _settings, _pool, _checks.Stability.Streams);
    }

    private SimulatedGroup SenderNamed(string name) =>
        FindSender(name)
            ?? throw new InvalidOperationException($"node {Index} is not in group {name}, nor publishes to it");

    private SimulatedGroup GroupNamed(string name) =>
        FindGroup(name) ?? throw new InvalidOperationException($"node {Index} is not in group {name}");

    private void End(SimulatedNodeState state)
    {
        if (!IsAlive) return;
        State = state;
        if (_run.Log is not null) _run.Note(Index, state.ToString().ToLowerInvariant());
        _run.Trace.Add(TraceKind.Lifecycle, _run.Now, (ulong)Index, (ulong)state << 32);
        _runner.End();
        _transport.CloseAll(inGoodOrder: state == SimulatedNodeState.Stopped);
        if (_link is not null) _link.Server.Break(_link, isEnded: true);
    }

    private sealed class Link(SimulatedNode node) : IMembershipLink
    {
        public ulong Electorate => node._link?.Server.Electorate ?? 0;

        public void Send(ReadOnlySpan<byte> frame)
        {
            if (node._link is not { } link) return;
            node._run.Tap?.OnFrame(fromServer: false, frame);
            link.Server.SendUp(link, frame);
        }
    }

    private sealed class Reconnection(SimulatedNode node) : IEventTarget
    {
        public void OnEvent(object? argument, long value, Instant now) => node.Connect();
    }
}
