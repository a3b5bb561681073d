using QuickSilver.Bench;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Server;

namespace QuickSilver.Simulator.Overlap;

/// <summary>The membership server and nodes of a pattern, with links that deliver at once, until all is
/// quiet.</summary>
internal sealed class OverlapWorld : IServerLinks
{
    private readonly Queue<Action> _frames = new();
    private readonly AlarmQueue _alarms = new();
    private readonly QuietMember[] _nodes;
    private readonly MembershipServer _server;
    private Instant _now = new(TimeSpan.TicksPerSecond);

    /// <summary>Has all nodes of a pattern join their groups.</summary>
    /// <param name="pattern">The pattern.</param>
    /// <param name="nodes">Number of nodes.</param>
    /// <param name="addresses">Multicast addresses of the pool.</param>
    /// <param name="maxRegions">Regions above which similar ones are merged.</param>
    public OverlapWorld(OverlapPattern pattern, int nodes, int addresses, int maxRegions)
    {
        var settings = new MembershipServerSettings
        {
            FailureTimeout = Timeout.InfiniteTimeSpan,
            MulticastFirst = 0xEF01_0000,
            MulticastCount = addresses,
            MaxRegions = maxRegions,
        };
        _server = new MembershipServer(settings, _alarms, new SeededRandom(1), this);
        _nodes = new QuietMember[nodes];
        for (int index = 0; index < nodes; index++)
        {
            long connection = index + 1;
            _nodes[index] = new QuietMember(
                index, TimeSpan.FromSeconds(1), _alarms,
                frame => _frames.Enqueue(() => _server.OnFrame(connection, frame, _now)));
            _server.OnConnected(connection, _now);
            _nodes[index].Agent.OnConnected();
        }
        Run();
        for (int index = 0; index < nodes; index++)
        {
            string[] names = [
                .. Enumerable.Range(0, pattern.Members.Count)
                    .Where(group => Array.BinarySearch(pattern.Members[group], index) >= 0)
                    .Select(Name)];
            for (int first = 0; first < names.Length; first += 256)
                _nodes[index].Agent.RequestJoin([.. names.Skip(first).Take(256)], static _ => 0, _now);
        }
        Run();
        Run();
    }

    /// <summary>The server's counts.</summary>
    public MembershipStatistics Statistics => _server.Statistics;

    /// <summary>The name of a group by its index.</summary>
    public static string Name(int group) => $"g{group}";

    /// <summary>The groups and views of a node.</summary>
    public GroupLayout LayoutOf(int node) => _nodes[node].Agent.Cluster.Layout;

    /// <inheritdoc cref="ClusterView.Self"/>
    public NodeInfo InfoOf(int node) => _nodes[node].Agent.Cluster.Self!;

    void IServerLinks.Send(long connection, ReadOnlySpan<byte> frame)
    {
        byte[] copy = frame.ToArray();
        _frames.Enqueue(() => _nodes[connection - 1].Agent.OnFrame(copy, _now));
    }

    void IServerLinks.Close(long connection, MembershipRefusal reason) =>
        throw new InvalidOperationException($"The server closed connection {connection}: {reason}.");

    private void Run()
    {
        Instant end = _now + TimeSpan.FromSeconds(10);
        while (true)
        {
            while (_frames.TryDequeue(out Action? deliver)) deliver();
            if (_alarms.FireNext(_now)) continue;
            if (_alarms.NextDue > end) break;
            if (_alarms.NextDue > _now) _now = _alarms.NextDue;
        }
        _now = end;
        if (_server.IsBusy) throw new InvalidOperationException("The server is not done after ten virtual seconds.");
    }
}
