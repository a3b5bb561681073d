using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Lateral;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing;
using QuickSilver.Testing.Nodes;
using QuickSilver.Testing.Runs;

namespace QuickSilver.Simulation.Tests.Lateral;

/// <summary>Who may repair what: members of a group alone.</summary>
public sealed class LateralRightTests
{
    private const string Shared = SimulatedModes.Lateral + "shared";
    private const string Other = SimulatedModes.Lateral + "other";

    [Theory]
    [InlineData(DatagramKind.LateralResend)]
    [InlineData(DatagramKind.LateralRepair)]
    public void APacketOfAGroupIsTakenFromItsMembersAlone(Enum kind)
    {
        var cluster = new SimulatedCluster(new SimulationOptions { Nodes = 4, Seed = 12 });
        foreach (SimulatedNode one in cluster.Nodes) cluster.Await(one.Join(Shared));
        cluster.Await([.. cluster.Nodes.Skip(1).Select(static one => one.Join(Other))]);
        SimulatedNode node = cluster.Nodes[1];
        uint group = node.FindGroup(Other)!.Id.Counter;
        StepNumber step = node.Stack.Cluster.Installed;
        var id = new LateralId(cluster.Nodes[2].Stack.Rooms.SelfKey, group, 1, 0);

        // Node 0 shares another group with the receiver: its repairs are heard, but not in this one.
        Assert.Equal(RejectReason.NotAllowed, Offer(cluster.Nodes[0]));
        Assert.Equal(0, node.FindGroup(Other)!.Delivered);
        // A member of the group is believed: the invariants see a message that was never sent.
        Assert.Equal("D1", Assert.Throws<InvariantViolationException>(() => Offer(cluster.Nodes[3])).Invariant);

        RejectReason Offer(SimulatedNode from)
        {
            byte[] room = new byte[512];
            var content = new LateralBlock
            {
                Term = step.Epoch.Term,
                Step = step.Counter,
                FirstInStep = 1,
                Bytes = "forged"u8,
            };
            var writer = new WireWriter(room);
            if (kind is DatagramKind.LateralResend) LateralDataBody.WritePrefix(ref writer, id, isResend: true);
            else LateralRepairBody.WritePrefix(ref writer, 0, [id]);
            int length = writer.Written + content.WriteTo(room.AsSpan(writer.Written), id);
            NodeInfo sender = node.Stack.Cluster.FindNode(from.Stack.Rooms.SelfKey)!;
            var header = new DatagramHeader { Kind = (DatagramKind)kind, Sender = sender.Number.Key };
            return node.Stack.Rooms.Modes.Find(GroupModes.Lateral)!.OnDatagram(
                header, sender, room.AsSpan(0, length), default, default, Instant.Zero + cluster.Elapsed);
        }
    }
}
