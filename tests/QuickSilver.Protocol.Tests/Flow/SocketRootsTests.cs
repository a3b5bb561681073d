using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Pull;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Tests.Security;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Flow;

public sealed class SocketRootsTests
{
    private static readonly RootBudgets Budgets = new() { ControlDatagrams = 10, RepairDatagrams = 5, DataTrains = 4 };

    private readonly TransportStub _transport = new();
    private readonly AlarmQueue _alarms = new();
    private readonly BufferPool _pool = new();
    private readonly SocketRoots _roots;
    private readonly Instant _now = new(5_000);

    public SocketRootsTests() => _roots = new SocketRoots(_transport, _alarms, _pool, Budgets);

    [Fact]
    public void ControlGoesBeforeRepairsAndRepairsBeforeData()
    {
        Feed(4, 1, PriorityClass.Data);
        Feed(3, 1, PriorityClass.Repair);
        Feed(2, 1, PriorityClass.Request);
        Feed(1, 1, PriorityClass.Token);

        Assert.Equal(4, _roots.PullAll(_now));

        Assert.Equal([1, 2, 3, 4], _transport.SentIds);
    }

    [Fact]
    public void DataIsSentTrainByTrainInTurnUpToTheQuantum()
    {
        FeedStub train = Feed(1, 10, PriorityClass.Data);
        train.DatagramsPerTrain = 32;
        Feed(2, 10, PriorityClass.Data);

        Assert.Equal(32 + 1 + 32 + 1, _roots.PullAll(_now));

        Assert.Equal([1, 2, 1, 2], _transport.SentIds);
        Assert.True(_roots.HasWork);
    }

    [Fact]
    public void ControlAndRepairsAreBoundedAndDataStillGoes()
    {
        Feed(1, 1000, PriorityClass.Token);
        Feed(2, 1000, PriorityClass.Repair);
        Feed(3, 1, PriorityClass.Data);

        _roots.PullAll(_now);

        Assert.Equal(10, _transport.SentIds.Count(id => id == 1));
        Assert.Equal(5, _transport.SentIds.Count(id => id == 2));
        Assert.Equal(1, _transport.SentIds.Count(id => id == 3));
    }

    [Fact]
    public void OneTrainOfDataGoesEvenWithoutABudget()
    {
        var roots = new SocketRoots(_transport, _alarms, _pool, new RootBudgets { DataTrains = 0 });
        roots.Register(new FeedStub(1, 5), PriorityClass.Data);

        roots.PullAll(_now);

        Assert.Equal([1], _transport.SentIds);
    }

    [Fact]
    public void ATrainThatFindsItsSocketFullIsOfferedAgainBeforeItsFeedIsAsked()
    {
        FeedStub feed = Feed(1, 3, PriorityClass.Data);
        _transport.Answer = _ => SendOutcome.Busy;
        Assert.Equal(0, _roots.PullAll(_now));
        Assert.Equal(1, feed.Asked);
        Assert.Equal(1, _roots.Kept);
        Assert.False(_roots.HasWork);

        _roots.PullAll(_now);
        Assert.Equal(1, feed.Asked);

        _transport.Answer = _ => SendOutcome.Sent;
        _roots.PullAll(_now);

        Assert.Equal([1, 1, 1], _transport.SentIds);
        Assert.Equal([1, 2, 3], _transport.Sent.Select(sent => (int)sent.First));
        Assert.Equal(0, _roots.Kept);
        Assert.Equal(2UL, _roots.Counters.Busy);
    }

    [Fact]
    public void AFullSocketDoesNotStopTheOthers()
    {
        Feed(1, 2, PriorityClass.Data);
        Feed(2, 2, PriorityClass.Data);
        Feed(3, 1, PriorityClass.Token);
        _transport.Answer = train => train.To.Port == 1 ? SendOutcome.Busy : SendOutcome.Sent;

        _roots.PullAll(_now);

        Assert.Equal([3, 2, 2], _transport.SentIds);
    }

    [Fact]
    public void ControlGoesBeforeDataThatWaitedForFullSockets()
    {
        for (int socket = 1; socket <= 3; socket++) Feed(socket, 1, PriorityClass.Data);
        Feed(4, 2, PriorityClass.Request);
        _transport.Answer = _ => SendOutcome.Busy;
        _roots.PullAll(_now);
        Assert.Equal(4, _roots.Kept);

        _transport.Answer = _ => SendOutcome.Sent;
        Feed(5, 1, PriorityClass.Token);
        _roots.PullAll(_now);

        Assert.Equal([4, 5, 4, 1, 2, 3], _transport.SentIds);
    }

    [Fact]
    public void ControlThatWaitedGoesInTheMiddleOfATurn()
    {
        Feed(1, 1, PriorityClass.Data);
        Feed(2, 1, PriorityClass.Token);
        _transport.Answer = _ => SendOutcome.Busy;
        _roots.PullAll(_now);

        _transport.Answer = _ => SendOutcome.Sent;
        Assert.Equal(1, _roots.PullControl(_now));

        Assert.Equal([2], _transport.SentIds);
        Assert.Equal(1, _roots.Kept);
    }

    [Fact]
    public void WhatFullSocketsRefusedGoesOnceInOrderWhenEachHasRoom()
    {
        for (int socket = 1; socket <= 3; socket++) Feed(socket, 4, PriorityClass.Data);
        int full = 0b1110;
        _transport.Answer = train => (full >> train.To.Port & 1) != 0 ? SendOutcome.Busy : SendOutcome.Sent;
        while (full != 0)
        {
            for (int turn = 0; turn < 3; turn++) _roots.PullAll(_now);
            full &= full - 1;
        }
        for (int turn = 0; turn < 3; turn++) _roots.PullAll(_now);

        for (int socket = 1; socket <= 3; socket++)
        {
            List<(int Id, int Datagrams, byte First)> trains = _transport.Sent.FindAll(sent => sent.Id == socket);
            Assert.Equal([1, 2, 3, 4], trains.Select(static sent => (int)sent.First));
        }
    }

    [Fact]
    public void SealedTrainsThatFullSocketsRefusedGoAsTheyWereSealed()
    {
        var pair = new SealedPair();
        var roots = new SocketRoots(_transport, _alarms, _pool, new TrainSealer(new DatagramSealer(pair.From)));
        var offered = new List<byte[]>();
        var sent = new List<byte[]>();
        bool isFull = true;
        _transport.Quiet = true;
        _transport.Answer = train =>
        {
            (isFull ? offered : sent).Add(train.Bytes.ToArray());
            return isFull ? SendOutcome.Busy : SendOutcome.Sent;
        };
        roots.Register(new DatagramFeed(DatagramKind.Data, 1, 2, 3), PriorityClass.Data);
        roots.Register(new DatagramFeed(DatagramKind.Token, 0, 0), PriorityClass.Token);
        roots.PullAll(_now);
        isFull = false;
        roots.PullAll(_now);

        Assert.Equal(2, offered.Count);
        Assert.All(offered, refused => Assert.Single(sent, datagram => datagram.AsSpan().SequenceEqual(refused)));
        var sequences = new List<ulong>();
        foreach (byte[] datagram in sent)
        {
            Assert.Equal(RejectReason.None, pair.Open(datagram, out byte[] plain));
            DatagramHeader.TryRead(plain, out DatagramHeader header);
            if (header.Kind == DatagramKind.Data) sequences.Add(header.Sequence);
        }
        Assert.Equal([1, 2, 3], sequences);
        Assert.Equal(5, sent.Count);
        Assert.Equal(0, _pool.OutstandingChunks);
    }

    [Fact]
    public void AControlTrainThatWaitsIsCopied()
    {
        FeedStub feed = Feed(1, 1, PriorityClass.Token);
        _transport.Answer = _ => SendOutcome.Busy;
        _roots.PullAll(_now);
        Assert.Equal(1, _pool.OutstandingChunks);

        feed.Overwrite();
        _transport.Answer = _ => SendOutcome.Sent;
        _roots.PullAll(_now);

        Assert.Equal((1, 1, (byte)1), Assert.Single(_transport.Sent));
        Assert.Equal(0, _pool.OutstandingChunks);
    }

    [Fact]
    public void ATrainThatWaitsIsDroppedWhenItsMemoryGoes()
    {
        FeedStub data = Feed(1, 1, PriorityClass.Data);
        FeedStub control = Feed(2, 1, PriorityClass.Token);
        _transport.Answer = _ => SendOutcome.Busy;
        _roots.PullAll(_now);
        Assert.Equal(2, _roots.Kept);

        _roots.DropKept(data);
        _roots.DropKept(control);
        data.Overwrite();
        _transport.Answer = _ => SendOutcome.Sent;
        _roots.PullAll(_now);

        Assert.Empty(_transport.Sent);
        Assert.Equal(0, _roots.Kept);
        Assert.Equal(0, _pool.OutstandingChunks);
        Assert.Equal(2, data.Asked);
    }

    [Fact]
    public void AnAlarmWakesTheLoopForATrainThatWaits()
    {
        Feed(1, 1, PriorityClass.Data);
        _transport.Answer = _ => SendOutcome.Busy;
        _roots.PullAll(_now);
        Assert.Equal(_now + Budgets.RetryDelay, _alarms.NextDue);

        _transport.Answer = _ => SendOutcome.Sent;
        _roots.PullAll(_now);
        Assert.Equal(Instant.Never, _alarms.NextDue);
    }

    [Fact]
    public void WhatTheKernelRefusesIsCountedAndTheFeedGoesOn()
    {
        FeedStub feed = Feed(1, 2, PriorityClass.Data);
        feed.DatagramsPerTrain = 3;
        int calls = 0;
        _transport.Answer = _ => ++calls == 1 ? SendOutcome.Failed : SendOutcome.Sent;

        Assert.Equal(3, _roots.PullAll(_now));

        Assert.Equal(3UL, _roots.Counters.Failed);
        Assert.Equal(3UL, _roots.Counters.Datagrams(PriorityClass.Data));
    }

    [Fact]
    public void DatagramsAndBytesAreCountedByClass()
    {
        FeedStub data = Feed(1, 2, PriorityClass.Data);
        data.DatagramsPerTrain = 4;
        Feed(2, 3, PriorityClass.Token);

        _roots.PullAll(_now);

        Assert.Equal(8UL, _roots.Counters.Datagrams(PriorityClass.Data));
        Assert.Equal(800UL, _roots.Counters.Bytes(PriorityClass.Data));
        Assert.Equal(3UL, _roots.Counters.Datagrams(PriorityClass.Token));
        Assert.Equal(300UL, _roots.Counters.Bytes(PriorityClass.Token));
        Assert.Equal(5UL, _roots.Counters.Trains);
    }

    [Fact]
    public void ClosingGivesBackWhatWaits()
    {
        Feed(1, 1, PriorityClass.Request);
        _transport.Answer = _ => SendOutcome.Busy;
        _roots.PullAll(_now);

        _roots.Close();

        Assert.Equal(0, _pool.OutstandingChunks);
        Assert.Equal(0, _roots.Kept);
        Assert.Equal(Instant.Never, _alarms.NextDue);
    }

    [Fact]
    public void ATurnOfSendingAllocatesNothingFullSocketsIncluded()
    {
        FeedStub data = new(1), control = new(2);
        _transport.Quiet = true;
        for (int round = 0; round < 3; round++) Exercise(data, control);

        Assert.Equal(0, AllocatedBytes.Of(() => Exercise(data, control)));
    }

    private void Exercise(FeedStub data, FeedStub control)
    {
        data.Ready = control.Ready = 3;
        _roots.Register(data, PriorityClass.Data);
        _roots.Register(control, PriorityClass.Token);
        _transport.Answer = static _ => SendOutcome.Busy;
        _roots.PullAll(_now);
        _transport.Answer = static _ => SendOutcome.Sent;
        for (int turn = 0; turn < 3; turn++) _roots.PullAll(_now);
    }

    private FeedStub Feed(int id, int ready, PriorityClass priority)
    {
        var feed = new FeedStub(id, ready);
        _roots.Register(feed, priority);
        return feed;
    }

    // One datagram a train, each under its own sequence.
    private sealed class DatagramFeed(DatagramKind kind, params ulong[] sequences) : IFeed
    {
        private int _next;

        public bool TryPull(Instant now, out Train train)
        {
            train = default;
            if (_next == sequences.Length) return false;
            byte[] datagram = SealedPair.Plain(kind, sequence: sequences[_next++]);
            train = new Train(datagram, datagram.Length, TrainRoute.Region, default, null);
            return true;
        }
    }
}
