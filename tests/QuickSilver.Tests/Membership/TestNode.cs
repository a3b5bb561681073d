using System.Threading.Channels;
using QuickSilver.Loop;
using QuickSilver.Membership;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Wire;
using QuickSilver.Tests.Api;

namespace QuickSilver.Tests.Membership;

/// <summary>
/// A node that has nothing but its membership: a core thread, an agent and a link over TCP. What happens comes out as
/// words, in order.
/// </summary>
internal sealed class TestNode : IMembershipEvents, ILinkHandler, ILinkEvents, ICoreObserver, IAsyncDisposable
{
    private static int _nextPort = 1000;

    private readonly Channel<string> _words = Channel.CreateUnbounded<string>();
    private readonly RequestQueue _requests;
    private readonly CoreThread _core;
    private readonly TcpMembershipLink _link;
    private readonly MembershipAgent _agent;
    private Exception? _fault;
    private ulong _key;

    public TestNode(MembershipConnector connector, string cluster = "test", string name = "node")
    {
        var idle = new NoCompletions();
        var gate = new WakeGate(idle);
        var alarms = new AlarmQueue();
        var clock = new MonotonicClock();
        _requests = new RequestQueue(gate);
        _link = new TcpMembershipLink(connector, _requests, this, this, TimeSpan.FromSeconds(10));
        ushort port = (ushort)Interlocked.Increment(ref _nextPort);
        var settings = new AgentSettings(
            cluster, name, 1, new NetEndpoint(0x7F000001, port), new NetEndpoint(0x7F000001, port), 1 << 20, false,
            TimeSpan.FromMilliseconds(100));
        _agent = new MembershipAgent(settings, _link, this, alarms);
        var loop = new LoopTurn(new LoopParts(clock, _requests, idle, idle, alarms, idle));
        _core = new CoreThread(loop, _requests, idle, gate, clock, new CoreThreadOptions(), this);
        _core.Start();
        _link.Start();
    }

    /// <summary>What the node says of others with each heartbeat; null: nothing. Called on its core thread.</summary>
    public Action<NodeObservations>? Observing { get; init; }

    /// <summary>The key of the node's number, once it has registered. Any thread.</summary>
    public ulong Key => Volatile.Read(ref _key);

    /// <summary>Asks for groups.</summary>
    public void Join(params string[] names) =>
        _requests.Enqueue(new Call(now => _agent.RequestJoin(names, static _ => 0, now)));

    /// <summary>Tells the link that the node is about to leave.</summary>
    public void ExpectEnd() => _link.ExpectEnd();

    /// <summary>Waits for a word; what comes before it is skipped.</summary>
    public async Task HearAsync(string word)
    {
        List<string> heard = [];
        using var limit = new CancellationTokenSource(NodeRig.Patience);
        try
        {
            while (true)
            {
                string next = await _words.Reader.ReadAsync(limit.Token);
                if (next == word) return;
                heard.Add(next);
            }
        }
        catch (OperationCanceledException)
        {
            Assert.Fail($"'{word}' was not heard, but: {string.Join(", ", heard)}");
        }
    }

    /// <summary>Stops silently, as a crash would.</summary>
    public async Task CrashAsync()
    {
        _core.RequestStop();
        await _core.Ended;
        await _link.DisposeAsync();
    }

    public async ValueTask DisposeAsync()
    {
        _requests.Enqueue(new Call(_ =>
        {
            _agent.SayGoodbye();
            _link.Close();
        }));
        await CrashAsync();
        Assert.Null(_fault);
    }

    public void OnRegistered(NodeInfo self, ulong clusterInstance, Instant now)
    {
        Volatile.Write(ref _key, self.Number.Key);
        Say("registered");
    }

    public void OnStepInstalled(InstalledStep step, Instant now)
    {
        foreach (GroupInfo group in step.Joined) Say($"joined {group.Name}");
        foreach (NodeInfo node in step.Removed) Say($"without {node.Name}");
    }

    public void OnStepActivated(StepNumber step, Instant now) => _agent.ReportSwitched(step);

    public void OnStepSettled(StepNumber step, Instant now) => Say("settled");

    public void OnViewRetired(QuickSilver.Protocol.Membership.RegionView view, Instant now) => Say("retired");

    public void OnNodesRemoved(IReadOnlyList<NodeInfo> nodes, Instant now)
    {
        foreach (NodeInfo node in nodes) Say($"removed {node.Name}");
    }

    public void OnRemovalConfirmed(NodeInfo node, Instant now)
    {
    }

    public void OnGroupsForgotten(IReadOnlyList<GroupId> groups, Instant now)
    {
    }

    public void OnJoinRefused(string groupName, MembershipRefusal reason, Instant now) =>
        Say($"refused {groupName}: {reason}");

    public void OnObserving(NodeObservations observed, Instant now) => Observing?.Invoke(observed);

    public void OnConnectionChanged(bool connected, Instant now) => Say(connected ? "resumed" : "lost");

    public void OnExpelled(MembershipRefusal reason, Instant now) => Say($"expelled: {reason}");

    public void OnMembershipConnected(Instant now)
    {
        Say("connected");
        _agent.OnConnected();
    }

    public void OnMembershipFrame(ReadOnlySpan<byte> frame, Instant now) => _agent.OnFrame(frame, now);

    public void OnMembershipDisconnected(Instant now)
    {
        _agent.OnDisconnected(now);
        Say("disconnected");
    }

    public void OnServing(string endpoint) => Say("serving");

    public void OnConnected(string server) => Say($"via {server}");

    public void OnLost(string server, FrameEnd end) => Say($"end: {end}");

    public void OnSeeking(string what)
    {
        // Where the search stands is told when it fails.
    }

    public void OnUnreachable(string reason) => Say("unreachable");

    public void OnTurnEnded(Instant now, bool wasBusy)
    {
        // Nothing is published by turn here.
    }

    public void OnStopping(Instant now) => Say("stopping");

    public void OnFault(Exception fault, Instant now) => _fault = fault;

    private void Say(string word) => _words.Writer.TryWrite(word);

    private sealed class Call(Action<Instant> action) : IRequestTarget
    {
        public void Run(object? payload, long argument, Instant now) => action(now);
    }
}
