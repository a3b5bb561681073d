using QuickSilver.Bench;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Security;

namespace QuickSilver.Benchmarks.Membership;

/// <summary>
/// A membership server and its nodes, with links that deliver when told to: the server's work and that of the nodes are
/// apart.
/// </summary>
internal sealed class QuietCluster : IServerLinks
{
    private static readonly TimeSpan Settling = TimeSpan.FromSeconds(10);

    private readonly Queue<(int Node, byte[] Frame)> _up = new();
    private readonly Queue<(int Node, byte[] Frame)> _down = new();
    private readonly AlarmQueue _serverAlarms = new();
    private readonly AlarmQueue _nodeAlarms = new();
    private readonly QuietMember[] _nodes;
    private readonly MembershipServer _server;
    private Instant _now = new(TimeSpan.TicksPerSecond);

    /// <summary>Starts nodes that are in no group.</summary>
    public QuietCluster(int nodes, bool isSecured)
    {
        var settings = new MembershipServerSettings
        {
            FailureTimeout = Timeout.InfiniteTimeSpan,
            Crypto = isSecured ? new CipherSuite(CipherSuite.OfPlatform) : null,
        };
        _server = new MembershipServer(settings, _serverAlarms, new SeededRandom(1), this);
        _nodes = new QuietMember[nodes];
        for (int index = 0; index < nodes; index++)
        {
            int number = index;
            _nodes[index] = new QuietMember(
                index, TimeSpan.FromHours(1), _nodeAlarms, frame => _up.Enqueue((number, frame)), isSecured);
            _server.OnConnected(index, _now);
            _nodes[index].Agent.OnConnected();
        }
        Settle();
    }

    /// <summary>Steps that the server has made.</summary>
    public ulong Steps => _server.Statistics.Steps;

    /// <summary>Frames that wait for nodes.</summary>
    public int FramesDown => _down.Count;

    /// <summary>A node asks to join a group.</summary>
    public void Join(int node, string group) => _nodes[node].Agent.RequestJoin([group], static _ => 0, _now);

    /// <summary>A node asks to leave its groups.</summary>
    public void Leave(int node)
    {
        MembershipAgent agent = _nodes[node].Agent;
        agent.RequestLeave([.. agent.Cluster.Layout.Groups], _now);
    }

    /// <summary>The server reads what nodes have sent, and makes the next step: what it sends waits.</summary>
    public void RunServer()
    {
        ulong steps = Steps;
        Instant end = _now + Settling;
        while (Steps == steps)
        {
            if (_up.TryDequeue(out (int Node, byte[] Frame) next))
            {
                _server.OnFrame(next.Node, next.Frame, _now);
                continue;
            }
            Instant due = _serverAlarms.NextDue < _nodeAlarms.NextDue ? _serverAlarms.NextDue : _nodeAlarms.NextDue;
            if (due > end) return;
            if (due > _now) _now = due;
            if (!_serverAlarms.FireNext(_now)) _nodeAlarms.FireNext(_now);
        }
    }

    /// <summary>Server and nodes run until nothing is left to do.</summary>
    public void Settle()
    {
        Instant end = _now + Settling;
        while (true)
        {
            while (_up.TryDequeue(out (int Node, byte[] Frame) up)) _server.OnFrame(up.Node, up.Frame, _now);
            while (_down.TryDequeue(out (int Node, byte[] Frame) down))
                _nodes[down.Node].Agent.OnFrame(down.Frame, _now);
            if (_up.Count > 0 || _serverAlarms.FireNext(_now) || _nodeAlarms.FireNext(_now)) continue;
            Instant next = _serverAlarms.NextDue < _nodeAlarms.NextDue ? _serverAlarms.NextDue : _nodeAlarms.NextDue;
            if (next > end) break;
            if (next > _now) _now = next;
        }
        _now = end;
        if (_server.IsBusy) throw new InvalidOperationException("The server is not done after ten virtual seconds.");
    }

    void IServerLinks.Send(long connection, ReadOnlySpan<byte> frame) =>
        _down.Enqueue(((int)connection, frame.ToArray()));

    void IServerLinks.Close(long connection, MembershipRefusal reason) =>
        throw new InvalidOperationException($"The server closed connection {connection}: {reason}.");
}
