using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Stack;

/// <summary>Packets of ordered groups at the edge of the stack: their checksum, and the memory they stay in.</summary>
public sealed class OrderedPacketTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    private readonly StackWorld _world = new(3);

    public OrderedPacketTests()
    {
        foreach (StackNode node in _world.Nodes) node.Join(GroupModes.Ordered, "accounts");
        _world.RunFor(4 * Second);
    }

    [Fact]
    public void ADamagedBodyIsRefused()
    {
        _world.Nodes[1].Say("accounts", "m");
        _world.RunFor(Second);
        StackNode node = _world.Nodes[0];
        Assert.Equal(["accounts/n1/1: m"], node.Heard);
        byte[] packet = _world.LastSent[DatagramKind.OrderedData];
        DatagramHeader.TryRead(packet, out DatagramHeader header);
        Assert.True(header.HasPayloadChecksum);

        packet[^1] ^= 1;
        node.Take(packet, SocketRole.Unicast);

        Assert.Equal(1UL, node.Stack.Counters.Rejected[RejectReason.PayloadChecksum]);
        Assert.Equal(["accounts/n1/1: m"], node.Heard);
    }

    [Theory]
    [InlineData(60_000, 1)]
    [InlineData(10_000, 0)]
    public void APacketThatFillsAReadStaysInItsMemory(int bytes, int kept)
    {
        _world.Nodes[1].Say("accounts", "m");
        _world.RunFor(Second);
        StackNode node = _world.Nodes[0];
        node.Take(Next(_world.LastSent[DatagramKind.OrderedData], bytes), SocketRole.Unicast);

        Assert.Equal($"accounts/n1/2: {new string('x', bytes)}", node.Heard[^1]);
        Assert.Equal(kept, node.KeptReads);
        node.Stack.Shutdown(_world.Now);
        Assert.Equal(0, node.Pool.OutstandingChunks);
    }

    // The packet after one, with a message that is so long.
    private static byte[] Next(byte[] packet, int bytes)
    {
        DatagramHeader.TryRead(packet, out DatagramHeader header);
        Assert.True(OrderedHead.TryRead(packet.AsSpan(DatagramHeader.Length), out OrderedHead head, out int at));
        at += DatagramHeader.Length;
        Assert.True(OrderedRecord.TryRead(packet, ref at, out OrderedRecord record));
        var next = new byte[DatagramHeader.Length + bytes + 100];
        var writer = new WireWriter(next.AsSpan(DatagramHeader.Length));
        (head with { Sequence = head.Sequence + 1 }).WriteTo(ref writer);
        byte[] text = System.Text.Encoding.UTF8.GetBytes(new string('x', bytes));
        new OrderedRecord { Group = record.Group, Number = record.Number + 1, IsFirst = true, IsLast = true }
            .WriteTo(ref writer, text);
        next = next[..(DatagramHeader.Length + writer.Written)];
        header.WriteTo(next);
        return next;
    }
}
