using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Sending;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Dissemination;

public class PacketPackingTests
{
    [Theory]
    [InlineData(1372, 64)]
    [InlineData(8000, 8)]
    [InlineData(600, 1)]
    [InlineData(65_493, 64)]
    public void EveryMessageIsPackedOnceAndWholeInOrder(int slot, int trainDatagrams)
    {
        for (ulong seed = 1; seed <= 12; seed++) Run(seed, slot, trainDatagrams);
    }

    [Fact]
    public void ALoneMessageLeavesAtOnceInASmallPacket()
    {
        var world = new SendWorld();
        GroupInfo group = SendWorld.Group(1);
        world.Begin([group], world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, group));
        world.Send(world.Open(group), new byte[10]);
        Assert.Equal(1, world.PullAll());
        Assert.Equal(48 + 1 + 5 + 10, world.Trains[0].Datagrams[0].Length);
    }

    [Fact]
    public void ABacklogLeavesAsTrainsOfFullPackets()
    {
        var world = new SendWorld(slotBytes: 1000);
        GroupInfo group = SendWorld.Group(1);
        world.Begin([group], world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, group));
        GroupSender sender = world.Open(group);
        for (int index = 0; index < 200; index++) world.Send(sender, new byte[700]);
        world.PullAll();
        Assert.Equal(3, world.Trains.Count);
        Assert.Equal([64, 64], world.Trains.Take(2).Select(train => train.Datagrams.Count));
        Assert.Equal([1000, 1000], world.Trains.Take(2).Select(train => train.Segment));
    }

    [Fact]
    public void TinyMessagesOfOneLengthStillFillWholeTrains()
    {
        var world = new SendWorld();
        GroupInfo group = SendWorld.Group(1);
        world.Begin([group], world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, group));
        GroupSender sender = world.Open(group);
        for (int index = 0; index < 3000; index++) world.Send(sender, new byte[8]);
        world.PullAll();
        SentTrain train = Assert.Single(world.Trains);
        Assert.All(train.Datagrams.SkipLast(1), datagram => Assert.Equal(1372, datagram.Length));
    }

    [Fact]
    public void OwnMessagesAreHandedOverAsThePacketHoldsThem()
    {
        var world = new SendWorld(slotBytes: 8000);
        GroupInfo first = SendWorld.Group(1), second = SendWorld.Group(2);
        // Of two regions: messages are bound before they are packed.
        world.Begin(
            [first, second],
            world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, first, second),
            world.View(2, 2, 1, world.Nodes(20, 2), unicast: false, first, second));
        GroupSender one = world.Open(first), two = world.Open(second);
        for (int index = 0; index < 10; index++) world.Send(one, [1, 2, (byte)index]);
        world.Send(one, [1, 2]);
        for (int index = 0; index < 4; index++) world.Send(two, [(byte)index]);
        world.Send(one, [1, 2]);
        Assert.Equal(2, world.PullAll());

        Assert.Equal([2, 8, 1, 2, 2, 1], world.OwnRuns);
        Assert.Equal(
            Enumerable.Range(1, 12), world.Own.Where(own => own.Group == one).Select(static own => (int)own.Number));
        Assert.Equal([1, 2, 3, 4], world.Own.Where(own => own.Group == two).Select(static own => (int)own.Number));
        for (int index = 0; index < 10; index++) Assert.Equal([1, 2, (byte)index], world.Own[index].Bytes);
    }

    [Fact]
    public void AMessageOfSixteenMebibytesGoesThrough()
    {
        var world = new SendWorld(slotBytes: 8000);
        GroupInfo group = SendWorld.Group(1);
        RegionView view = world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, group);
        world.Begin([group], view);
        GroupSender sender = world.Open(group);
        var bytes = new byte[PacketRecord.MaxMessageBytes];
        for (int index = 0; index < bytes.Length; index++) bytes[index] = (byte)(index * 7 / 3);
        world.Send(sender, bytes);
        world.Send(sender, [1]);
        while (world.PullAll(1) > 0) world.AckAll();
        var model = new StreamModel(view);
        model.Take(world.DataTrains);
        Assert.Equal([1UL, 2UL], model.Messages.Select(message => message.Number));
        Assert.True(bytes.AsSpan().SequenceEqual(model.Messages[0].Bytes));
        Assert.True(bytes.AsSpan().SequenceEqual(world.Own[0].Bytes));
    }

    private static void Run(ulong seed, int slot, int trainDatagrams)
    {
        var random = new SeededRandom(seed);
        var world = new SendWorld(slotBytes: slot, trainDatagrams: trainDatagrams);
        GroupInfo[] groups = [.. Enumerable.Range(1, 300).Select(index => SendWorld.Group((uint)index))];
        RegionView view = world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, groups);
        world.Begin(groups, view);
        var admitted = new List<(GroupId Group, byte[] Bytes)>();
        for (int burst = 0; burst < 10; burst++)
        {
            int scale = (int)random.NextBelow(5);
            for (ulong left = random.NextBelow(60); left > 0; left--)
            {
                var bytes =
                    new byte[random.NextBelow(scale switch { 0 => 2, 1 => 40, 2 => 300, 3 => 2_000, _ => 20_000 })];
                for (int index = 0; index < bytes.Length; index++) bytes[index] = (byte)random.NextUInt64();
                GroupInfo group = groups[(int)random.NextBelow((ulong)groups.Length)];
                world.Send(world.Open(group), bytes);
                admitted.Add((group.Id, bytes));
            }
            if (random.NextBelow(2) == 0) world.PullAll((int)random.NextBelow(3));
            if (random.NextBelow(2) == 0) world.AckAll();
        }
        world.PullAll();

        string where = $"seed {seed}, slot {slot}";
        var model = new StreamModel(view);
        model.Take(world.DataTrains);
        Check(admitted, [.. model.Messages.Select(message => (message.Group, message.Number, message.Bytes))], where);
        Check(admitted, [.. world.Own.Select(own => (own.Group.Group.Id, own.Number, own.Bytes))], where);
        foreach (SentTrain train in world.DataTrains)
        {
            Assert.True(train.Datagrams.Count <= trainDatagrams, where);
            Assert.True(train.Datagrams.Sum(datagram => datagram.Length) <= Train.MaxBytes, where);
            Assert.All(train.Datagrams.SkipLast(1), datagram => Assert.True(datagram.Length == slot, where));
        }
        world.AckAll();
        world.Disseminator.Close();
        Assert.True(world.Pool.OutstandingChunks == 0, where);
    }

    private static void Check(
        List<(GroupId Group, byte[] Bytes)> admitted, List<(GroupId Group, ulong Number, byte[] Bytes)> seen,
        string where)
    {
        Assert.True(admitted.Count == seen.Count, where);
        foreach (IGrouping<GroupId, (GroupId Group, byte[] Bytes)> sent in admitted.GroupBy(message => message.Group))
        {
            var got = seen.Where(message => message.Group == sent.Key).ToList();
            Assert.True(
                got.Select(message => message.Number)
                    .SequenceEqual(Enumerable.Range(1, got.Count).Select(number => (ulong)number)), where);
            Assert.True(got.Zip(sent).All(pair => pair.First.Bytes.AsSpan().SequenceEqual(pair.Second.Bytes)), where);
        }
    }
}
