using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Dissemination.Sending;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Limits;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Tests.Dissemination;

public class MessageSourceTests
{
    private static readonly GroupInfo Group = SendWorld.Group(1);

    [Fact]
    public void RegisteringAsksNothingAndTheFirstSignalStartsWhenTheSocketAsks()
    {
        SendWorld world = World(out GroupSender sender);
        var source = new SourceStub(3);
        sender.AddSource(source);
        world.PullAll();
        Assert.Equal(0, source.Asked);
        sender.Signal(source, world.Now);
        Assert.Equal(0, source.Asked);
        world.PullAll();
        Assert.Equal((3UL, 4), (sender.LastNumber, source.Asked));
        source.Ready = 2;
        world.PullAll();
        Assert.Equal(4, source.Asked);
        sender.Signal(source, world.Now);
        world.PullAll();
        Assert.Equal((5UL, 7), (sender.LastNumber, source.Asked));
    }

    [Fact]
    public void ASignalDuringACallThatSaysNothingIsNotForgotten()
    {
        SendWorld world = World(out GroupSender sender);
        var source = new SourceStub(0);
        sender.AddSource(source);
        source.OnAsked = () =>
        {
            source.OnAsked = null;
            sender.Signal(source, world.Now);
        };
        sender.Signal(source, world.Now);
        world.PullAll();
        Assert.Equal(2, source.Asked);
    }

    [Fact]
    public void SourcesTakeTurns()
    {
        SendWorld world = World(out GroupSender sender, receiveBuffer: 100_000);
        SourceStub one = new(10_000, 1000) { Mark = 1 }, two = new(10_000, 1000) { Mark = 2 };
        sender.AddSource(one);
        sender.AddSource(two);
        sender.Signal(one, world.Now);
        sender.Signal(two, world.Now);
        for (int index = 0; index < 500; index++) world.Send(sender, new byte[1000]);
        while (world.Own.Count < 900)
        {
            world.PullAll();
            world.AckAll();
        }
        var late = world.Own.Skip(300).Take(600).GroupBy(own => own.Bytes[0])
            .ToDictionary(group => group.Key, group => group.Count());
        Assert.All(new byte[] { 0, 1, 2 }, mark => Assert.InRange(late[mark], 195, 205));
    }

    [Fact]
    public void ASourceIsNotAskedWhileTheGroupIsShut()
    {
        SendWorld world = World(out GroupSender sender, pending: new PendingQuota { StreamMessages = 10 });
        var source = new SourceStub(100);
        sender.AddSource(source);
        sender.Signal(source, world.Now);
        world.PullAll();
        Assert.Equal((10UL, 10), (sender.LastNumber, source.Asked));
        world.AckAll();
        world.PullAll();
        Assert.Equal(20UL, sender.LastNumber);
    }

    [Fact]
    public void AnEndlessSourceOfALonelyGroupDoesNotHoldUpTheOthers()
    {
        var world = new SendWorld(receiveBuffer: 100_000);
        GroupInfo lonely = SendWorld.Group(2);
        world.Begin(
            [Group, lonely],
            world.View(1, 1, 1, world.Nodes(1, 1), unicast: false, Group, lonely),
            world.View(2, 2, 1, world.Nodes(10, 2), unicast: false, Group));
        GroupSender busy = world.Open(Group), alone = world.Open(lonely);
        world.Keeps = false;
        for (int index = 0; index < 600; index++) world.Send(busy, new byte[1000]);
        Assert.True(world.Waiting(busy) > 0);
        var source = new SourceStub(int.MaxValue, 10);
        alone.AddSource(source);
        alone.Signal(source, world.Now);
        for (int round = 0; round < 100 && world.Waiting(busy) > 0; round++)
        {
            world.AckAll();
            world.PullAll();
            world.Now += TimeSpan.FromMilliseconds(1);
            world.Alarms.FireNext(world.Now);
        }
        Assert.Equal(0, world.Waiting(busy));
        Assert.True(alone.LastNumber > 1_000);
    }

    [Fact]
    public void ARemovedSourceIsAskedNoMoreEvenIfItRemovesItself()
    {
        SendWorld world = World(out GroupSender sender);
        var source = new SourceStub(100);
        sender.AddSource(source);
        source.OnAsked = () => sender.RemoveSource(source);
        sender.Signal(source, world.Now);
        sender.Signal(source, world.Now);
        world.PullAll();
        Assert.Equal((1UL, 1), (sender.LastNumber, source.Asked));
    }

    [Fact]
    public void AHandedMessageKeepsItsPlaceAmongWrittenOnesAndItsBytes()
    {
        SendWorld world = World(out GroupSender sender);
        var source = new MixedSource();
        sender.AddSource(source);
        sender.Signal(source, world.Now);
        for (int round = 0; round < 100 && sender.LastNumber < 300; round++) world.PullAll();

        int[] all = [.. Enumerable.Range(0, 300)];
        Assert.Equal(all.Select(static index => (byte)index), world.Own.Select(static own => own.Bytes[0]));
        Assert.Equal(all.Select(MixedSource.LengthOf), world.Own.Select(static own => own.Bytes.Length));
        Assert.Equal(
            all.Where(MixedSource.IsHanded).Select(static index => (ulong)index + 1),
            source.Tickets.Select(static ticket => ticket.Number));
        Assert.All(source.Tickets, static ticket => Assert.Equal(0, ticket.StableCalls));
        Assert.All(source.Payloads, static payload => Assert.Equal(1, payload.Recycled));
        world.AckAll();
        Assert.All(source.Tickets, static ticket => Assert.Equal(1, ticket.StableCalls));
        world.Disseminator.Close();
        Assert.Equal(0, world.Pool.OutstandingChunks);
    }

    [Fact]
    public void AHandedMessageIsTheLastThatIsTaken()
    {
        var arena = new Arena(new BufferPool(), BufferOwner.Pending);
        var writer = new MessageWriter(arena);
        writer.GetSpan(10).Fill(1);
        writer.Advance(10);
        var payload = new SendPayload([7]);
        Assert.False(writer.Hand(payload, null));
        Assert.Throws<InvalidOperationException>(() => writer.Hand(payload, null));
        Assert.True(writer.TryTakeHanded(out Payload? taken, out _, out bool isPiece));
        Assert.Same(payload, taken);
        Assert.False(isPiece);
        Assert.False(writer.TryTakeHanded(out _, out _, out _));
        Assert.False(writer.Hand(payload, null, isPiece: true));
        Assert.True(writer.TryTakeHanded(out _, out _, out isPiece));
        Assert.True(isPiece);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(70_000)]
    [InlineData(1_000_000)]
    public void MessagesOfAnyLengthComeOutAsWritten(int bytes)
    {
        SendWorld world = World(out GroupSender sender);
        var source = new SourceStub(3, bytes) { Mark = 9 };
        sender.AddSource(source);
        sender.Signal(source, world.Now);
        while (world.Own.Count < 3)
        {
            world.PullAll();
            world.AckAll();
        }
        Assert.All(world.Own, own => Assert.True(own.Bytes.Length == bytes && own.Bytes.All(value => value == 9)));
        world.AckAll();
        world.PullAll();
        world.Disseminator.Close();
        Assert.Equal(0, world.Pool.OutstandingChunks);
    }

    [Fact]
    public void WhatIsWrittenInPiecesIsJoined()
    {
        var pool = new BufferPool();
        var arena = new Arena(pool, BufferOwner.Pending);
        var writer = new MessageWriter(arena);
        for (int message = 0; message < 20; message++)
        {
            int length = 0;
            for (int piece = 1; length < message * 9_000; piece = (piece * 3) + 1)
            {
                for (int index = 0; index < piece; index++) writer.GetSpan(piece)[index] = (byte)(length + index);
                writer.Advance(piece);
                length += piece;
            }
            if (message % 3 == 2)
            {
                writer.Discard();
                continue;
            }
            Slice slice = writer.Finish();
            byte[] expected = [.. Enumerable.Range(0, length).Select(index => (byte)index)];
            Assert.True(slice.Span.SequenceEqual(expected));
            slice.Release();
        }
        arena.Close();
        Assert.Equal(0, pool.OutstandingChunks);
    }

    [Fact]
    public void AMessageAboveTheLimitIsRefused()
    {
        var writer = new MessageWriter(new Arena(new BufferPool(), BufferOwner.Pending));
        Assert.Throws<InvalidOperationException>(() => writer.GetMemory((16 << 20) + 1));
    }

    private static SendWorld World(
        out GroupSender sender, PendingQuota? pending = null, int receiveBuffer = 64 << 20)
    {
        var world = new SendWorld(receiveBuffer: receiveBuffer, pending: pending);
        world.Begin([Group], world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, Group));
        sender = world.Open(Group);
        return world;
    }
}
