using System.Net;
using System.Net.Sockets;
using QuickSilver.Protocol.Wire;
using QuickSilver.Tests.Api;
using ProtocolView = QuickSilver.Protocol.Membership.RegionView;

namespace QuickSilver.Tests.Hostile;

/// <summary>
/// Datagrams in members' names, sent to real nodes from a socket of the attacker's on the same machine. What has to be
/// known for it (cluster, view, keys, ports) any user can find out; here the test reads it from the nodes.
/// </summary>
[Collection(NodeCollection.Name)]
public sealed class ForgedDatagramTests
{
    private static readonly TimeSpan Long = TimeSpan.FromSeconds(1);

    [Theory]
    [InlineData(FastPathMode.Auto)]
    [InlineData(FastPathMode.Off)]
    public async Task A_forged_acknowledgement_confirms_nothing(FastPathMode path)
    {
        await using var rig = new NodeRig();
        (Group sender, Group silent) = await StartAsync(rig, path);
        Task<DeliveryReport> confirmed;
        using (await Trouble.FreezeAsync(silent.Node))
        {
            confirmed = sender.SendConfirmedAsync(new byte[100]);
            using var attacker = await Attacker.AgainstAsync(sender.Node);
            long until = Environment.TickCount64 + (long)Long.TotalMilliseconds;
            while (Environment.TickCount64 < until)
            {
                for (ulong stable = 1; stable < 20; stable++)
                    attacker.Send(sender.Node, silent.Node, DatagramKind.Ack, Ack(stable));
                await Task.Delay(5);
            }
            Assert.False(confirmed.IsCompleted, "a message that the other member does not hold was confirmed");
            Assert.True(await attacker.ForgedAtAsync(sender.Node) > 100);
        }
        await confirmed.WaitAsync(NodeRig.Patience);
    }

    [Theory]
    [InlineData(FastPathMode.Auto)]
    [InlineData(FastPathMode.Off)]
    public async Task A_forged_token_removes_nobody(FastPathMode path)
    {
        await using var rig = new NodeRig();
        (Group one, Group other) = await StartAsync(rig, path);
        using var attacker = await Attacker.AgainstAsync(one.Node);
        for (uint index = 0; index < 50; index++)
        {
            foreach ((
                QuickSilverNode to, QuickSilverNode from) in ((QuickSilverNode, QuickSilverNode)[])[
                    (one.Node, other.Node), (other.Node, one.Node)])
                attacker.Send(to, from, DatagramKind.Token, attacker.Token(to, from, index));
        }
        await one.SendAsync(new byte[10]);
        await other.SendAsync(new byte[10]);
        Assert.Equal(2, (await NodeRig.ReadAsync(one, 2)).Count);
        Assert.Equal(2, (await NodeRig.ReadAsync(other, 2)).Count);
        await one.SendConfirmedAsync(new byte[10]).WaitAsync(NodeRig.Patience);
        Assert.Equal(50UL, await attacker.ForgedAtAsync(one.Node));
        Assert.Equal(50UL, await attacker.ForgedAtAsync(other.Node));
    }

    private static async Task<(Group Sender, Group Silent)> StartAsync(NodeRig rig, FastPathMode path) =>
        await rig.StartPairAsync(change: options =>
        {
            options.Transport.FastPath = path;
            Trouble.Patient(options);
        });

    private static byte[] Ack(ulong stable)
    {
        byte[] body = new byte[AckBody.MaxLength];
        var writer = new WireWriter(body);
        new AckBody(stable, stable, stable, 1, 0).WriteTo(ref writer);
        return body[..writer.Written];
    }

    /// <summary>A socket of nobody's, and what is known of the cluster.</summary>
    private sealed class Attacker : IDisposable
    {
        private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        private readonly ProtocolView _view;
        private readonly ulong _cluster;

        private Attacker(ProtocolView view, ulong cluster)
        {
            _view = view;
            _cluster = cluster;
            _socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        }

        public static Task<Attacker> AgainstAsync(QuickSilverNode node) => Ask(node, static node =>
            new Attacker(node.Core.Stack.Rooms.Recoverer.Regions[^1].View, node.Core.Stack.Rooms.ClusterInstance));

        public static Task<ulong> ForgedAsync(QuickSilverNode node) =>
            Ask(node, static node => node.Core.Stack.Counters.Rejected[RejectReason.WrongSource]);

        public Task<ulong> ForgedAtAsync(QuickSilverNode node) => ForgedAsync(node);

        public void Send(QuickSilverNode to, QuickSilverNode inTheNameOf, DatagramKind kind, byte[] body)
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
                Sequence = DatagramKinds.IsFeedback(kind) ? KeyOf(to) : 0,
            }.WriteTo(datagram);
            _socket.SendTo(
                datagram, new IPEndPoint(IPAddress.Loopback, _view.Members[_view.IndexOf(KeyOf(to))].Control.Port));
        }

        public byte[] Token(QuickSilverNode to, QuickSilverNode from, uint epoch)
        {
            int at = _view.IndexOf(KeyOf(to));
            int before = _view.IndexOf(KeyOf(from));
            var token = new Token { Partition = _view.Partitions.OfMember(at), PartitionLead = at };
            token.AddRemoved(before);
            byte[] body = new byte[200];
            var writer = new WireWriter(body);
            new TokenHop(1 + epoch, before, 1000 + epoch, 1, before, at, 0, 1).WriteTo(ref writer, []);
            token.WriteTo(ref writer, 0);
            return body[..writer.Written];
        }

        public void Dispose() => _socket.Dispose();

        private static ulong KeyOf(QuickSilverNode node) => node.Core.Stack.Rooms.SelfKey;

        private static async Task<T> Ask<T>(QuickSilverNode node, Func<QuickSilverNode, T> question)
        {
            var answer = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
            // Of what lies in its sockets already too.
            await Task.Delay(50);
            Assert.True(node.Core.Services.TryPost(_ => answer.SetResult(question(node))));
            return await answer.Task.WaitAsync(NodeRig.Patience);
        }
    }
}
