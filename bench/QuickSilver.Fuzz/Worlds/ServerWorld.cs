using System.Diagnostics;
using QuickSilver.Fuzz.Inputs;
using QuickSilver.Fuzz.Targets;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Fuzz.Worlds;

/// <summary>
/// A membership server and its nodes, which join and leave all the time; one link carries damaged copies in the place
/// of some of its frames, upwards or downwards. Whatever comes by it: nothing throws, memory grows with the input and
/// with what the frame describes, the other nodes stay in, and who broke the format is out. A damaged node comes back
/// as a new incarnation.
/// </summary>
internal sealed class ServerWorld : IServerLinks
{
    private const int Good = 3;
    private const int Names = 12;
    private const int DamagedOneIn = 3;
    private const int PerByte = 256;
    private const long Fixed = (1 << 20) + ((long)RegionFrame.MaxCounters * 32);
    private const int LongestFrame = 4096;
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(1);

    private readonly bool _upwards;
    private readonly AlarmQueue _alarms = new();
    private readonly SeededRandom _random;
    private readonly Mutator _mutator;
    private readonly MembershipServer _server;
    private readonly FuzzedNode[] _nodes;
    private readonly Dictionary<long, FuzzedNode> _connections = [];
    private readonly Queue<(bool Up, long Connection, byte[] Frame)> _frames = new();
    private readonly List<FuzzedNode> _replaced = [];
    private Instant _now = new(TimeSpan.TicksPerSecond);
    private ulong _incarnation;
    private long _connection;
    private long _damaged;
    private long _accepted;
    private long _most;

    /// <summary>Makes it.</summary>
    /// <param name="upwards">True: what goes to the server is damaged; false: what comes from it.</param>
    /// <param name="corpus">Frames to splice with.</param>
    /// <param name="seed">Of everything.</param>
    public ServerWorld(bool upwards, byte[][] corpus, ulong seed)
    {
        _upwards = upwards;
        _random = new SeededRandom(seed);
        _mutator = new Mutator(seed + 1, corpus, LongestFrame);
        var settings = new MembershipServerSettings { FailureTimeout = TimeSpan.FromHours(1) };
        _server = new MembershipServer(settings, _alarms, new SeededRandom(seed + 2), this);
        _nodes = [.. Enumerable.Range(0, Good + 1).Select(number => new FuzzedNode(number, SendUp))];
        foreach (FuzzedNode node in _nodes) Begin(node);
    }

    /// <summary>Damages frames.</summary>
    public FuzzResult Run(string name, long inputs)
    {
        long start = Stopwatch.GetTimestamp();
        string? failure = null;
        try
        {
            while (_damaged < inputs) Turn();
        }
        catch (Exception thrown)
        {
            failure = thrown.ToString();
        }
        return new FuzzResult(name, _damaged, _accepted, _most, Stopwatch.GetElapsedTime(start), failure);
    }

    /// <inheritdoc/>
    public void Send(long connection, ReadOnlySpan<byte> frame) =>
        _frames.Enqueue((false, connection, frame.ToArray()));

    /// <inheritdoc/>
    public void Close(long connection, MembershipRefusal reason)
    {
        if (!_connections.Remove(connection, out FuzzedNode? node) || node.Connection != connection) return;
        node.Agent.OnDisconnected(_now);
        if (node.Number == Good) return;
        // A registration names an address and a life, and nobody proves who it is: a later life on the address of
        // another takes its place.
        if (reason != MembershipRefusal.Replaced)
            throw new FuzzException($"a node that did nothing wrong was put out: {reason}");
        _replaced.Add(node);
    }

    private void Turn()
    {
        _now += Step;
        while (_alarms.FireNext(_now))
        {
        }
        FuzzedNode evil = _nodes[Good];
        if (evil.IsExpelled || !_connections.ContainsKey(evil.Connection)) Begin(evil);
        foreach (FuzzedNode node in _nodes) Ask(node);
        while (_frames.TryDequeue(out (bool Up, long Connection, byte[] Frame) next))
            Deliver(next.Up, next.Connection, next.Frame);
        BringBack();
        for (int number = 0; number < Good; number++)
        {
            if (_nodes[number].IsExpelled) throw new FuzzException("a node that did nothing wrong has come to its end");
        }
        if (_frames.Count == 0 && _server.Statistics.Nodes < Good)
            throw new FuzzException($"the server knows {_server.Statistics.Nodes} nodes");
    }

    private void BringBack()
    {
        foreach (FuzzedNode node in _replaced) Begin(node);
        _replaced.Clear();
    }

    private void Begin(FuzzedNode node)
    {
        if (_connections.Remove(node.Connection)) _server.OnDisconnected(node.Connection, _now);
        long connection = ++_connection;
        _connections.Add(connection, node);
        _server.OnConnected(connection, _now);
        var control = new NetEndpoint(0x0A00_0001, (ushort)(1000 + node.Number));
        var data = new NetEndpoint(0x0A00_0001, (ushort)(2000 + node.Number));
        var settings = new AgentSettings(
            "default", $"n{node.Number}", ++_incarnation, control, data, 1 << 20, true, TimeSpan.FromSeconds(1));
        node.Begin(settings, connection, _alarms);
    }

    private void Ask(FuzzedNode node)
    {
        if (node.IsExpelled || _random.NextBelow(node.Number == Good ? 3UL : 40UL) != 0) return;
        string name = $"g{_random.NextBelow(Names)}";
        GroupSet published = node.Agent.Cluster.Layout.Published;
        switch (_random.NextBelow(6))
        {
            case 0 or 1 when node.Groups.Count > 0:
                node.Agent.RequestLeave([node.Groups.First().Id], _now);
                break;
            case 2:
                node.Agent.RequestPublish([name], static _ => 0, _now);
                break;
            case 3 when published.Length > 0:
                node.Agent.RequestCease([published[0]], _now);
                break;
            default:
                node.Agent.RequestJoin([name], static _ => 0, _now);
                break;
        }
    }

    private void SendUp(FuzzedNode node, byte[] frame) => _frames.Enqueue((true, node.Connection, frame));

    private void Deliver(bool up, long connection, byte[] frame)
    {
        if (!_connections.TryGetValue(connection, out FuzzedNode? node)) return;
        bool isDamaged = node.Number == Good && up == _upwards && _random.NextBelow(DamagedOneIn) == 0;
        ReadOnlySpan<byte> bytes = isDamaged ? _mutator.NextOf(frame) : frame;
        long before = GC.GetAllocatedBytesForCurrentThread();
        if (up) _server.OnFrame(connection, bytes, _now);
        else node.Agent.OnFrame(bytes, _now);
        if (!isDamaged) return;
        long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        _most = Math.Max(_most, allocated);
        _damaged++;
        bool isAccepted = up ? _connections.ContainsKey(connection) : !node.IsExpelled;
        if (isAccepted) _accepted++;
        if (allocated > Fixed + ((long)PerByte * bytes.Length))
        {
            throw new FuzzException($"{allocated} bytes were allocated for {Convert.ToHexString(bytes)}");
        }
    }
}
