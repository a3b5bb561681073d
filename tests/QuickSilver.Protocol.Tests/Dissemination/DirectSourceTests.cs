using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Sending;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Control;
using QuickSilver.Protocol.Flow.Limits;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Dissemination;

/// <summary>Sources that write straight into packets.</summary>
public class DirectSourceTests
{
    private static readonly GroupInfo First = SendWorld.Group(1);
    private static readonly GroupInfo Second = SendWorld.Group(2);
    private static readonly GroupInfo Spanning = SendWorld.Group(3);

    private readonly Dictionary<string, ulong> _marks = [];
    private int _inRuns;

    [Fact]
    public void AMessageIsWrittenWhenThePacketIsMadeAndNotBefore()
    {
        SendWorld world = World(out RegionView view);
        GroupSender sender = world.Open(First);
        var source = new SourceStub(2) { Mark = 4 };
        sender.AddSource(source);
        sender.Signal(source, world.Now);
        Assert.Equal(0UL, sender.LastNumber);
        world.PullAll();

        Assert.Equal(2UL, _marks["a source writes a message into a packet"]);
        Assert.Equal([1, 2], Received(world, view).Messages.ConvertAll(static message => (int)message.Number));
        Assert.Equal([2], world.OwnRuns);
        Assert.Equal((2L, 200L), (sender.PendingMessages, sender.PendingBytes));
        world.AckAll();
        Assert.Equal((0L, 0L), (sender.PendingMessages, sender.PendingBytes));
    }

    [Theory]
    [InlineData(1372, 64)]
    [InlineData(1372, 1)]
    [InlineData(9000, 7)]
    [InlineData(65_000, 1)]
    public void WhateverSourcesWriteArrives(int slot, int train)
    {
        for (ulong seed = 1; seed <= 40; seed++) RunAnything(seed, slot, train);
        Assert.True(_marks["a source writes a message into a packet"] > 1_000);
        Assert.True(_marks["sources write a batch of messages into a packet"] > 100);
        Assert.True(_marks["a batch ends by a message of another length"] > 10);
        Assert.True(_inRuns > 100);
        Assert.True(_marks["waiting messages of one group and length become a batch"] > 10);
        Assert.True(_marks["a group that wrote into packets takes turns at the buffer again"] > 10);
    }

    [Fact]
    public void MessagesOfOneLengthShareAHead()
    {
        SendWorld world = World(out RegionView view, slot: 8000);
        GroupSender sender = world.Open(First);
        var source = new SourceStub(90, 50);
        sender.AddSource(source);
        sender.Signal(source, world.Now);
        world.PullAll();
        StreamModel model = Received(world, view);

        Assert.Equal((90, 91), (model.Messages.Count, source.Asked));
        // The first of its group stands alone, and so do those after which the next are expected to be like them.
        Assert.Equal(6, model.Records);
        Assert.Equal([5, 85], world.OwnRuns);
    }

    [Fact]
    public void AMessageThatEndsARunComesAfterItAndARunWithoutFollowersIsNone()
    {
        SendWorld world = World(out RegionView view, slot: 8000);
        GroupSender sender = world.Open(First);
        int[] lengths = [
            .. Enumerable.Repeat(30, 20), 31, .. Enumerable.Repeat(30, 7), 0, 0, 0, 0, 0, 0, 0,
            .. Enumerable.Repeat(200, 5), 9, 9];
        foreach (int length in lengths)
        {
            var source = new SourceStub(1, length) { Mark = (byte)length };
            sender.AddSource(source);
            sender.Signal(source, world.Now);
        }
        while (sender.LastNumber < (ulong)lengths.Length) world.PullAll();

        Assert.Equal(lengths, Received(world, view).Messages.Select(static message => message.Bytes.Length));
        Assert.Equal(lengths, world.Own.Select(static own => own.Bytes.Length));
        Assert.All(world.Own, static own => Assert.All(own.Bytes, value => Assert.Equal(own.Bytes.Length, value)));
        Assert.True(_marks["a batch ends by a message of another length"] > 0);
    }

    [Fact]
    public void ARunEndsWhereTheLimitOfPendingIsReached()
    {
        SendWorld world = World(out RegionView view, slot: 8000, pending: new PendingQuota { StreamMessages = 40 });
        GroupSender sender = world.Open(First);
        var source = new SourceStub(1_000, 20);
        sender.AddSource(source);
        sender.Signal(source, world.Now);
        world.PullAll();
        Assert.Equal((40UL, 40L), (sender.LastNumber, sender.PendingMessages));
        world.AckAll();
        world.PullAll();
        Assert.Equal(80UL, sender.LastNumber);
        Assert.Equal(80, Received(world, view).Messages.Count);
    }

    [Fact]
    public void DirectGroupsTakeTurns()
    {
        SendWorld world = World(out RegionView view);
        foreach (GroupInfo group in new[] { First, Second })
        {
            GroupSender sender = world.Open(group);
            var source = new SourceStub(1_000, 300);
            sender.AddSource(source);
            sender.Signal(source, world.Now);
        }
        world.PullAll(most: 20);
        var byGroup = Received(world, view).Messages.CountBy(static message => message.Group).ToDictionary();

        Assert.InRange(byGroup[First.Id], 1, 1_000);
        Assert.InRange(byGroup[Second.Id] - byGroup[First.Id], -30, 30);
    }

    [Fact]
    public void ASourceGoesOnInTheNextStep()
    {
        SendWorld world = World(out RegionView before);
        GroupSender sender = world.Open(First);
        var source = new SourceStub(int.MaxValue);
        sender.AddSource(source);
        sender.Signal(source, world.Now);
        world.PullAll(most: 2);
        ulong sent = sender.LastNumber;
        RegionView after = world.View(1, 2, 2, world.Nodes(1, 2), unicast: false, First, Second);
        world.Install(2, after);
        world.Switch();
        world.PullAll(most: 2);

        Assert.Equal(sent, (ulong)Received(world, before).Messages.Count);
        StreamModel model = Received(world, after);
        Assert.Equal(sent + 1, model.Messages[0].Number);
        Assert.Equal(SendWorld.Step(1), model.Firsts[(First.Id, sent + 1)]);
    }

    [Fact]
    public void WhereNobodyElseIsLeftASourceIsHeardHereAlone()
    {
        SendWorld world = World(out RegionView view);
        GroupSender sender = world.Open(First);
        var source = new SourceStub(50);
        sender.AddSource(source);
        sender.Signal(source, world.Now);
        world.Remove(view.Members[1], view.Members[2]);
        world.PullAll();

        Assert.Empty(world.DataTrains);
        Assert.Equal(50, world.Own.Count);
        Assert.Equal(0, sender.PendingMessages);
    }

    private void RunAnything(ulong seed, int slot, int train)
    {
        var random = new SeededRandom(seed);
        SendWorld world = World(out RegionView view, slot, train);
        GroupSender[] senders = [world.Open(First), world.Open(Second), world.Open(Spanning)];
        RandomSource[] sources = [new(random), new(random), new(random)];
        var handed = new List<byte[]>();
        for (int index = 0; index < sources.Length; index++) senders[index % 2].AddSource(sources[index]);
        for (int turn = 0; turn < 60; turn++)
        {
            int which = (int)random.NextBelow(3);
            sources[which].Ready += (int)random.NextBelow(12);
            senders[which % 2].Signal(sources[which], world.Now);
            int length = (int)random.NextBelow(3_000);
            for (ulong left = random.NextBelow(6) == 0 ? 1 + random.NextBelow(5) : 0; left > 0; left--)
            {
                handed.Add(new byte[length]);
                world.Send(senders[random.NextBelow(3)], handed[^1]);
            }
            world.PullAll((int)random.NextBelow(4));
            if (random.NextBelow(3) == 0) world.AckAll();
        }
        while (world.PullAll() > 0 || senders.Any(static sender => sender.PendingMessages > 0)) world.AckAll();

        _inRuns += sources.Sum(static source => source.InRuns);
        List<(GroupId Group, ulong Number, StepNumber Step, byte[] Bytes)> received = Received(world, view).Messages;
        Assert.Equal(
            [.. handed.Concat(sources.SelectMany(source => source.Written)).Select(Convert.ToHexString).Order()],
            received.Select(message => Convert.ToHexString(message.Bytes)).Order().ToArray());
        foreach (GroupSender sender in senders)
        {
            var mine = received.Where(message => message.Group == sender.Group.Id).OrderBy(message => message.Number)
                .ToList();
            var own = world.Own.Where(message => message.Group == sender).ToList();
            Assert.Equal(
                Enumerable.Range(1, (int)sender.LastNumber).Select(number => (ulong)number),
                mine.Select(message => message.Number));
            Assert.Equal(mine.Select(message => message.Number), own.Select(message => message.Number));
            Assert.True(
                mine.Zip(own).All(pair => pair.First.Bytes.AsSpan().SequenceEqual(pair.Second.Bytes)),
                $"seed {seed}: own bytes differ");
        }
        world.Disseminator.Close();
        Assert.True(world.Pool.OutstandingChunks == 0, $"seed {seed}: {world.Pool.OutstandingChunks} chunks are out");
    }

    private SendWorld World(out RegionView view, int slot = 1372, int train = 64, PendingQuota? pending = null)
    {
        var settings = new DisseminationSettings
        {
            Rate = new RateSettings { Fixed = true, Initial = 1e9 },
            Probes = new Probes(_marks),
        };
        var world = new SendWorld(settings, slot, train, pending: pending);
        view = world.View(1, 1, 1, world.Nodes(1, 3), unicast: false, First, Second, Spanning);
        RegionView far = world.View(2, 2, 1, world.Nodes(20, 2), unicast: false, Spanning);
        world.Begin([First, Second, Spanning], view, far);
        return world;
    }

    private static StreamModel Received(SendWorld world, RegionView view)
    {
        var model = new StreamModel(view);
        model.Take(world.DataTrains.Where(train => train.Headers[0].ViewCounter == view.Number.Counter));
        return model;
    }
}
