using System.Net;
using System.Net.Sockets;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;
using QuickSilver.Tests.Api;
using QuickSilver.Transport;
using ProtocolView = QuickSilver.Protocol.Membership.RegionView;

namespace QuickSilver.Tests.Hostile;

/// <summary>
/// A socket of nobody's, and what is known of the cluster: instance, view, keys and ports. Any user of the machine can
/// find these out; here they are read from a node.
/// </summary>
internal sealed class DatagramForger : IDisposable
{
    private const int LongestBody = 1024;
    private const int VersionOffset = 2;

    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
    private readonly ProtocolView _view;
    private readonly ulong _cluster;

    private DatagramForger(ProtocolView view, ulong cluster)
    {
        _view = view;
        _cluster = cluster;
        _socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
    }

    /// <summary>The address of the region's multicast.</summary>
    public IPEndPoint Multicast => AddressForms.ToEndPoint(_view.Multicast);

    /// <summary>Learns what is known of a node's last region.</summary>
    public static Task<DatagramForger> AgainstAsync(QuickSilverNode node) => Ask(node, static node =>
        new DatagramForger(
            node.Core.Stack.Rooms.Recoverer.Regions[^1].View, node.Core.Stack.Rooms.ClusterInstance));

    /// <summary>What a node has dropped for a reason, of all that lies in its sockets already too.</summary>
    public static Task<ulong> RejectedAsync(QuickSilverNode node, params RejectReason[] reasons) =>
        Ask(node, node => reasons.Aggregate(
            0UL, (sum, reason) => sum + node.Core.Stack.Counters.Rejected[reason]));

    /// <summary>The body of an acknowledgement.</summary>
    public static byte[] Ack(ulong stable) => Body((ref WireWriter writer) =>
        new AckBody(stable, stable, stable, 1, 0).WriteTo(ref writer));

    /// <summary>The number of the view of a node's last region.</summary>
    public static Task<ulong> ViewAsync(QuickSilverNode node) => Ask(
        node, static node => (ulong)node.Core.Stack.Rooms.Recoverer.Regions[^1].View.Number.Counter);

    /// <summary>The body of the packet that would follow one that was heard: with the next message of its group. What
    /// cannot be read of a sealed one is made up.</summary>
    public static byte[] PacketAfter(byte[] heard, byte[] text)
    {
        ulong step = 1, number = 3;
        int group = 0;
        if ((heard[VersionOffset] & DatagramHeader.SealedBit) == 0)
        {
            var reader = new WireReader(heard.AsSpan(DatagramHeader.Length));
            step = reader.ReadVarint();
            Assert.True(PacketRecord.TryRead(ref reader, heard.Length, default, out PacketRecord record));
            (number, group) = (record.Highest + 1, record.GroupIndex);
        }
        return Body((ref WireWriter writer) =>
        {
            writer.WriteVarint(step);
            PacketRecord.WriteHead(ref writer, default, group, number, false, default, text.Length, 0, text.Length);
            writer.WriteBytes(text);
        });
    }

    /// <summary>The body of a token that removes a member.</summary>
    public byte[] Token(QuickSilverNode to, QuickSilverNode from, uint epoch)
    {
        int at = _view.IndexOf(KeyOf(to));
        int before = _view.IndexOf(KeyOf(from));
        var token = new Token { Partition = _view.Partitions.OfMember(at), PartitionLead = at };
        token.AddRemoved(before);
        return Body((ref WireWriter writer) =>
        {
            new TokenHop(1 + epoch, before, 1000 + epoch, 1, before, at, 0, 1).WriteTo(ref writer, []);
            token.WriteTo(ref writer, 0);
        });
    }

    /// <summary>Makes a datagram in a node's name.</summary>
    public byte[] Forge(
        QuickSilverNode inTheNameOf, DatagramKind kind, byte[] body, ulong sequence, bool looksSealed = false)
    {
        byte[] datagram = new byte[DatagramHeader.Length + body.Length];
        body.CopyTo(datagram, DatagramHeader.Length);
        new DatagramHeader
        {
            Kind = kind,
            Cluster = _cluster,
            ViewTag = _view.Number.Tag,
            ViewCounter = _view.Number.Counter,
            Sender = KeyOf(inTheNameOf),
            Sequence = sequence,
        }.WriteTo(datagram);
        if (!looksSealed) return datagram;
        // Right in all that can be known: the lane and the writer's index. Gate and tag are zero.
        SealLane lane = DatagramKinds.LaneOf(kind);
        byte[] longer = new byte[datagram.Length + SealedHeader.AddedBytes(lane, SealedHeader.MostTagBytes)];
        SealedHeader.Write(datagram, longer, lane, (ushort)_view.IndexOf(KeyOf(inTheNameOf)));
        body.CopyTo(longer, DatagramHeader.Length);
        return longer;
    }

    /// <summary>Sends a control datagram to a node in another's name.</summary>
    public void Send(QuickSilverNode to, QuickSilverNode inTheNameOf, DatagramKind kind, byte[] body) =>
        SendControl(to, Forge(inTheNameOf, kind, body, DatagramKinds.IsFeedback(kind) ? KeyOf(to) : 0));

    /// <summary>As <see cref="Send"/>, once plain and once with what looks like a seal.</summary>
    public void SendBoth(QuickSilverNode to, QuickSilverNode inTheNameOf, DatagramKind kind, byte[] body)
    {
        Send(to, inTheNameOf, kind, body);
        ulong sequence = DatagramKinds.IsFeedback(kind) ? KeyOf(to) : 0;
        SendControl(to, Forge(inTheNameOf, kind, body, sequence, looksSealed: true));
    }

    /// <summary>Sends bytes to the control port of a node.</summary>
    public void SendControl(QuickSilverNode to, byte[] datagram) =>
        _socket.SendTo(datagram, new IPEndPoint(IPAddress.Loopback, InfoOf(to).Control.Port));

    /// <summary>Sends bytes to the data port of a node.</summary>
    public void SendData(QuickSilverNode to, byte[] datagram) =>
        _socket.SendTo(datagram, new IPEndPoint(IPAddress.Loopback, InfoOf(to).Data.Port));

    /// <inheritdoc/>
    public void Dispose() => _socket.Dispose();

    /// <summary>The control port of a node.</summary>
    public int ControlPortOf(QuickSilverNode node) => InfoOf(node).Control.Port;

    /// <summary>The key of a node.</summary>
    public static ulong KeyOf(QuickSilverNode node) => node.Core.Stack.Rooms.SelfKey;

    private NodeInfo InfoOf(QuickSilverNode node) => _view.Members[_view.IndexOf(KeyOf(node))];

    private static byte[] Body(Writing write)
    {
        byte[] body = new byte[LongestBody];
        var writer = new WireWriter(body);
        write(ref writer);
        return body[..writer.Written];
    }

    private static async Task<T> Ask<T>(QuickSilverNode node, Func<QuickSilverNode, T> question)
    {
        var answer = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        // Of what lies in its sockets already too.
        await Task.Delay(50);
        Assert.True(node.Core.Services.TryPost(_ => answer.SetResult(question(node))));
        return await answer.Task.WaitAsync(NodeRig.Patience);
    }

    private delegate void Writing(ref WireWriter writer);
}
