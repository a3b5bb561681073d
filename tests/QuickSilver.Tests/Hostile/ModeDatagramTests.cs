using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;
using QuickSilver.Tests.Api;

namespace QuickSilver.Tests.Hostile;

/// <summary>A member sends junk in datagrams of the modes' kinds from its own sockets, with good headers: what other
/// members cannot read is counted and dropped, and nothing else happens.</summary>
[Collection(NodeCollection.Name)]
public sealed class ModeDatagramTests
{
    private static readonly DatagramKind[] Kinds =
    [
        .. Enum.GetValues<DatagramKind>().Where(static kind => DatagramKinds.ModeOf(kind) != 0),
    ];

    private static readonly GroupMode[] Modes = [GroupMode.Lateral, GroupMode.Timed, GroupMode.Ordered];

    [Fact]
    public async Task Junk_of_every_kind_is_counted_and_dropped()
    {
        await using var rig = new NodeRig(isSecured: false);
        QuickSilverNode liar = await rig.StartAsync(Trouble.Patient);
        QuickSilverNode victim = await rig.StartAsync(Trouble.Patient);
        Group[] sending = await JoinAsync(liar);
        Group[] receiving = await JoinAsync(victim);
        foreach (Group group in sending) await group.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        // All engines are there, and have heard of the sender.
        await ExchangeAsync(sending, receiving, "before");

        foreach (DatagramKind kind in Kinds)
        {
            ulong before = await MalformedAsync(victim);
            // A loaded kernel may drop a datagram: it is sent again.
            await NodeRig.UntilAsync(
                async () =>
                {
                    await OnCoreAsync(liar, node => Send(node, victim, kind, []));
                    return await MalformedAsync(victim) > before;
                },
                $"an empty {kind} is counted");
        }
        // Junk of all lengths; the seed of a body is its length.
        ulong counted = await MalformedAsync(victim);
        for (int length = 1; length <= 300; length++)
        {
            byte[] junk = new byte[length];
            new Random(length).NextBytes(junk);
            await OnCoreAsync(liar, node =>
            {
                foreach (DatagramKind kind in Kinds) Send(node, victim, kind, junk);
            });
        }
        await NodeRig.UntilAsync(async () => await MalformedAsync(victim) > counted + 300, "junk is counted");

        await ExchangeAsync(sending, receiving, "after");
        NodeStatistics statistics = await victim.GetStatisticsAsync();
        Assert.Equal(0, statistics.MessagesLost);
        Assert.Equal(2 * Modes.Length, statistics.MessagesReceived);
        Assert.Equal(NodeState.Running, victim.State);
    }

    private static async Task<Group[]> JoinAsync(QuickSilverNode node)
    {
        var groups = new List<Group>();
        foreach (GroupMode mode in Modes)
        {
            groups.Add(await node.JoinAsync(mode.ToString(), new GroupOptions
            {
                Mode = mode switch
                {
                    GroupMode.Lateral => new LateralMode(),
                    GroupMode.Timed => new TimedMode(),
                    _ => new OrderedMode(),
                },
            }));
        }
        return [.. groups];
    }

    private static async Task ExchangeAsync(Group[] sending, Group[] receiving, string text)
    {
        for (int index = 0; index < sending.Length; index++)
        {
            await sending[index].SendAsync(text);
            Assert.Equal([text], await NodeRig.ReadAsync(receiving[index], 1));
        }
    }

    private static void Send(QuickSilverNode from, QuickSilverNode to, DatagramKind kind, byte[] body)
    {
        NodeInfo target = from.Core.Stack.Rooms.Cluster.FindNode(to.Core.Stack.Rooms.SelfKey)!;
        var view = from.Core.Stack.Rooms.Cluster.Own!;
        byte[] datagram = new byte[DatagramHeader.Length + body.Length];
        body.CopyTo(datagram, DatagramHeader.Length);
        new DatagramHeader
        {
            Kind = kind,
            Cluster = from.Core.Stack.Rooms.ClusterInstance,
            ViewTag = view.Number.Tag,
            ViewCounter = view.Number.Counter,
            Sender = from.Core.Stack.Rooms.SelfKey,
            // A request names the node that is asked.
            Sequence = DatagramKinds.IsFeedback(kind) ? to.Core.Stack.Rooms.SelfKey : 1,
        }.WriteTo(datagram);
        bool isControl = DatagramKinds.IsControl(kind);
        from.Core.Transport.Send(new Train(
            datagram, datagram.Length, isControl ? TrainRoute.Control : TrainRoute.Unicast,
            isControl ? target.Control : target.Data, null));
    }

    private static async Task<ulong> MalformedAsync(QuickSilverNode node)
    {
        ulong malformed = 0;
        // What lies in its sockets is read first.
        await Task.Delay(5);
        await OnCoreAsync(node, one => malformed = one.Core.Stack.Counters.Rejected[RejectReason.Malformed]);
        return malformed;
    }

    private static async Task OnCoreAsync(QuickSilverNode node, Action<QuickSilverNode> action)
    {
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Assert.True(node.Core.Services.TryPost(_ =>
        {
            action(node);
            done.SetResult();
        }));
        await done.Task.WaitAsync(NodeRig.Patience);
    }
}
