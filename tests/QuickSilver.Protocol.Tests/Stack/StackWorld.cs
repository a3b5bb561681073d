using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Control;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Stack;

/// <summary>A membership server and some whole nodes, joined by a network without delay or loss: time passes only when
/// a test says so.</summary>
internal sealed class StackWorld : IServerLinks
{
    private readonly Queue<Action> _news = new();
    private readonly AlarmQueue _alarms = new();
    private readonly MembershipServer _server;

    public StackWorld(int nodes, RateSettings? rate = null)
    {
        _server = new MembershipServer(new MembershipServerSettings(), _alarms, new SeededRandom(5), this);
        for (int index = 0; index < nodes; index++) Nodes.Add(new StackNode(this, index, rate));
        foreach (StackNode node in Nodes)
        {
            _server.OnConnected(node.Index, Now);
            node.Stack.OnMembershipConnected(Now);
        }
        RunFor(TimeSpan.FromSeconds(1));
    }

    public List<StackNode> Nodes { get; } = [];

    /// <summary>The cluster instance that the server made.</summary>
    public ulong Cluster => _server.Instance;

    public Instant Now { get; private set; } = new(1);

    /// <summary>The last datagram of each kind that a node has sent.</summary>
    public Dictionary<DatagramKind, byte[]> LastSent { get; } = [];

    /// <summary>Joins all nodes to groups and waits until they are in.</summary>
    public void JoinAll(params string[] names)
    {
        foreach (StackNode node in Nodes) node.Join(names);
        RunFor(TimeSpan.FromSeconds(4));
        Assert.All(Nodes, node => Assert.True(node.Joined));
    }

    public void RunFor(TimeSpan time)
    {
        Instant end = Now + time;
        Settle();
        while (NextDue() is { } next && next <= end)
        {
            if (next > Now) Now = next;
            while (_alarms.FireNext(Now))
            {
            }
            foreach (StackNode node in Nodes)
            {
                while (node.Alarms.FireNext(Now))
                {
                }
            }
            Settle();
        }
        Now = end;
    }

    public void ToServer(int node, byte[] frame) => _news.Enqueue(() => _server.OnFrame(node, frame, Now));

    /// <summary>The endpoint from which a datagram comes when it is what it says.</summary>
    public NetEndpoint SourceOf(ReadOnlySpan<byte> read, SocketRole role)
    {
        if (DatagramHeader.TryRead(read, out DatagramHeader header) != RejectReason.None) return default;
        StackNode? speaker = Nodes.Find(node => node.Self?.Number.Key == header.Sender);
        if (header.IsFromPeer && Nodes[0].Stack.Rooms.Recoverer.Find(header.ViewTag, header.ViewCounter) is { } region
            && header.Relay < region.View.Members.Length)
        {
            speaker = Nodes.Find(node => node.Self?.Number == region.View.Members[header.Relay].Number);
        }
        return speaker is null ? default : role == SocketRole.Control ? speaker.Facts.Control : speaker.Facts.Data;
    }

    public void Carry(StackNode from, in Train train)
    {
        NetEndpoint source = train.Route == TrainRoute.Control ? from.Facts.Control : from.Facts.Data;
        NetEndpoint to = train.To;
        SocketRole role = train.Route == TrainRoute.Control ? SocketRole.Control : SocketRole.Unicast;
        byte[] bytes = train.Span.ToArray();
        if (DatagramHeader.TryRead(bytes, out DatagramHeader header) == RejectReason.None)
            LastSent[header.Kind] = bytes;
        StackNode node = Nodes.Single(
            candidate => (role == SocketRole.Control ? candidate.Facts.Control : candidate.Facts.Data) == to);
        _news.Enqueue(() => node.Take(bytes, role, source));
    }

    void IServerLinks.Send(long connection, ReadOnlySpan<byte> frame)
    {
        byte[] copy = frame.ToArray();
        _news.Enqueue(() => Nodes[(int)connection].Stack.OnMembershipFrame(copy, Now));
    }

    void IServerLinks.Close(long connection, MembershipRefusal reason)
    {
    }

    private Instant? NextDue()
    {
        Instant next = _alarms.NextDue;
        foreach (StackNode node in Nodes)
        {
            if (node.Alarms.NextDue < next) next = node.Alarms.NextDue;
        }
        return next == Instant.Never ? null : next;
    }

    private void Settle()
    {
        bool busy = true;
        while (busy)
        {
            busy = false;
            while (_news.TryDequeue(out Action? news))
            {
                news();
                busy = true;
            }
            foreach (StackNode node in Nodes)
            {
                if (node.Stack.PullAll(Now) > 0) busy = true;
            }
        }
    }
}
