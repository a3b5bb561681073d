using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Invariants;
using QuickSilver.Testing.Membership;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Nodes;

/// <summary>
/// One node of a simulated cluster: the real protocol stack, on a simulated core thread, with simulated sockets and an application that sends and
/// logs. Calls take effect in the node's next
/// turn, when the cluster runs.
/// </summary>
public sealed class SimulatedNode : IMembershipClient
{
    private static readonly TimeSpan ReconnectDelay = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan MostClockOffset = TimeSpan.FromHours(1);

    private readonly RunContext _run;
    private readonly ClusterChecks _checks;
    private readonly SimulatedMembership _membership;
    private readonly SimulatedTransport _transport;
    private readonly AlarmQueue _alarms = new();
    private readonly BufferPool _pool = new();
    private readonly NodeSettings _settings;
    private readonly NodeRunner _runner;
    private readonly EventQueue _events;
    private StepsSeen _seen;
    private StepNumber _checkedStep;
    private SimulatedLink? _link;
    private int _outages;

    internal SimulatedNode(
        int index, RunContext run, ClusterChecks checks, EventQueue events, SimulatedNetwork network, SimulatedMembership membership)
    {
        Index = index;
        _run = run;
        _checks = checks;
        _events = events;
        _membership = membership;
        _settings = run.Options.Node with
        {
            NodeName = $"node-{index}",
            ClusterName = run.Options.Membership.ClusterName,
            Probes = run.ProbesOf(index),
        };
        Application = new NodeApplication(this, run, checks);
        ulong offset = run.Random.Draw(RandomStream.Node, (ulong)index, 0, 0) % (ulong)MostClockOffset.Ticks;
        var clock = new OffsetClock(run.Clock, TimeSpan.FromSeconds(1) + new TimeSpan((long)offset));
        _transport = new SimulatedTransport(network, index, run.Clock, ready => _runner!.WakeAt(ready));
        var random = new SeededRandom(run.Random.Draw(RandomStream.Node, (ulong)index, 1, 0));
        Stack = new NodeStack(_settings, new NodeHost(_alarms, _transport, new Link(this), Application, random, _pool));
        _runner = new NodeRunner(run, events, this, _transport, _alarms, clock, Stack);
    }

    /// <summary>Its place in the cluster, from 0.</summary>
    public int Index { get; }

    /// <summary>Where it is in its life.</summary>
    public SimulatedNodeState State { get; private set; }

    /// <summary>True until it crashes, stops, or is expelled.</summary>
    public bool IsAlive => State is SimulatedNodeState.Starting or SimulatedNodeState.Running;

    /// <summary>Why it was expelled; none otherwise.</summary>
    public MembershipRefusal Expulsion { get; private set; }

    /// <summary>The protocol's counters.</summary>
    public NodeCounters Counters => Stack.Counters;

    /// <summary>What the loop has done.</summary>
    public LoopStatistics Loop => _runner.Statistics;

    /// <summary>The groups it is in.</summary>
    public IEnumerable<SimulatedGroup> Groups => Application.Groups.Values;

    internal NodeStack Stack { get; }

    internal NodeApplication Application { get; }

    /// <summary>A group this node is in; null when it is not.</summary>
    public SimulatedGroup? FindGroup(string name) => Application.Groups.GetValueOrDefault(name);

    /// <summary>Joins groups, all or nothing.</summary>
    public SimulatedJoin Join(params string[] groups)
    {
        var join = new SimulatedJoin(this, groups);
        _runner.Post(now => Stack.Join(join, now));
        return join;
    }

    /// <summary>Leaves groups.</summary>
    /// <exception cref="InvalidOperationException">The node is not in one of them.</exception>
    public SimulatedLeave Leave(params string[] groups)
    {
        var leave = new SimulatedLeave(this, [.. groups.Select(name => GroupNamed(name).Local)]);
        _runner.Post(now => Stack.Leave(leave, now));
        return leave;
    }

    /// <summary>Sends a message; when the protocol's gate is shut it waits in the application, in order.</summary>
    /// <exception cref="InvalidOperationException">The node is not in the group.</exception>
    public void Send(string group, int bytes)
    {
        SimulatedGroup stay = GroupNamed(group);
        _runner.Post(now => Application.Send(stay, bytes, now));
    }

    /// <summary>Lets the protocol pull messages from a source. One node either sends to a group or is pulled from, never both.</summary>
    /// <exception cref="InvalidOperationException">The node is not in the group.</exception>
    public void Pull(string group, int count, int bytes)
    {
        SimulatedGroup stay = GroupNamed(group);
        _runner.Post(now => Application.Pull(stay, count, bytes, now));
    }

    /// <summary>Stops the node for a while, as a collector's or a scheduler's pause does: its sockets go on filling, its timers become
    /// late.</summary>
    public void Freeze(TimeSpan duration) => _runner.FreezeUntil(_run.Now + duration);

    /// <summary>Ends the node from one instant to the next.</summary>
    public void Crash() => End(SimulatedNodeState.Crashed);

    /// <summary>Ends the node in good order.</summary>
    public void Shutdown() => _runner.Post(now =>
    {
        Stack.Shutdown(now);
        _checks.Memory.CheckEmpty(this, _pool, _alarms.Count, _transport.OpenChannels, Application.PayloadsOut);
        End(SimulatedNodeState.Stopped);
    });

    /// <inheritdoc/>
    public override string ToString() => $"node {Index} ({State})";

    void IMembershipClient.OnLinkConnected() => _runner.Post(Stack.OnMembershipConnected);

    void IMembershipClient.OnLinkFrame(byte[] frame) => _runner.Post(now => Stack.OnMembershipFrame(frame, now));

    void IMembershipClient.OnLinkClosed()
    {
        _link = null;
        if (!IsAlive) return;
        _runner.Post(Stack.OnMembershipDisconnected);
        if (_outages == 0) _events.Schedule(_run.Now + ReconnectDelay, new Reconnection(this));
    }

    /// <summary>Connects to the membership server.</summary>
    internal void Connect()
    {
        if (IsAlive && _link is null && _outages == 0) _link = _membership.Connect(this);
    }

    /// <summary>Cuts the node off from the membership server, or ends that.</summary>
    internal void BreakMembership(bool begins)
    {
        _outages += begins ? 1 : -1;
        if (!begins) Connect();
        else if (_link is not null) _membership.Break(_link);
    }

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
        End(SimulatedNodeState.Expelled);
    }

    /// <summary>Checks the node's views, in the middle of a turn.</summary>
    internal void CheckViews()
    {
        StepNumber installed = Stack.Cluster.Installed;
        if (installed == _checkedStep) return;
        _checkedStep = installed;
        _checks.Views.CheckViews(Index, Stack.Cluster, Application.Groups.Values.Select(group => group.Id));
    }

    /// <summary>Checks what is checked after every turn.</summary>
    internal void AfterTurn()
    {
        NodeCounters counters = Stack.Counters;
        if (_seen.Step != Stack.Cluster.Installed)
        {
            _checkedStep = default;
            CheckViews();
            _checks.Views.CheckOrder(Index, Stack.Cluster.Installed, counters.StepsInstalled, ref _seen);
        }
        _checks.Memory.CheckCaps(this, _settings, counters, _pool, _checks.Stability.Streams);
    }

    private SimulatedGroup GroupNamed(string name) => FindGroup(name) ?? throw new InvalidOperationException($"node {Index} is not in group {name}");

    private void End(SimulatedNodeState state)
    {
        if (!IsAlive) return;
        State = state;
        _run.Trace.Add(TraceKind.Lifecycle, _run.Now, (ulong)Index, (ulong)state << 32);
        _runner.End();
        _transport.CloseAll();
        if (_link is not null) _membership.Break(_link);
    }

    private sealed class Link(SimulatedNode node) : IMembershipLink
    {
        public void Send(ReadOnlySpan<byte> frame)
        {
            if (node._link is { } link) node._membership.SendUp(link, frame);
        }
    }

    private sealed class Reconnection(SimulatedNode node) : IEventTarget
    {
        public void OnEvent(object? argument, long value, Instant now) => node.Connect();
    }
}
