using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Network;

namespace QuickSilver.Simulation.Tests.Network;

public class SimulatedTransportTests
{
    [Theory]
    [InlineData(64, 256)]
    [InlineData(512, 166)]
    [InlineData(1000, 92)]
    [InlineData(1400, 92)]
    [InlineData(8000, 12)]
    public void AReceiveBufferHoldsAboutAsManyDatagramsAsOnLinuxAndNeverMore(int bytes, int measured)
    {
        var bench = new NetworkBench(
            new NetworkModel { ReceiveBufferBytes = 212_992, Bandwidth = 0, CoalesceReads = false });
        for (int number = 0; number < 400; number++) bench.Unicast(0, 1, bytes: bytes, first: number);
        bench.RunAll();
        int held = 400 - (int)bench.Network.Counters.BufferDrops;
        Assert.InRange(held, measured * 9 / 10, measured);
        Assert.Equal(Enumerable.Range(0, held), bench.TakeNumbers(1));
    }

    [Fact]
    public void DropsOfAChannelAreItsOwn()
    {
        var group = new NetEndpoint(0xEF00_0001, 15_000);
        var bench = new NetworkBench(
            new NetworkModel { ReceiveBufferBytes = 10_000, Bandwidth = 0, MulticastJoinDelay = TimeSpan.Zero });
        IRegionChannel channel = bench.Transports[1].Open(group, receive: true)!;
        IRegionChannel sender = bench.Transports[0].Open(group, receive: false)!;
        for (int number = 0; number < 10; number++) bench.Multicast(0, sender, bytes: 1000, first: number);
        for (int number = 0; number < 10; number++) bench.Unicast(0, 1, bytes: 1000, first: number);
        bench.RunAll();
        Assert.Equal(6UL, channel.Drops);
    }

    [Fact]
    public void EqualDatagramsOfOneSenderAreReadInOnePiece()
    {
        var bench = new NetworkBench(new NetworkModel { CoalesceReads = true });
        bench.Unicast(0, 1, count: 10, bytes: 500);
        bench.RunAll();
        Assert.Equal([5000], bench.TakeReads(1).Select(read => read.Length));
    }

    [Fact]
    public void AShorterDatagramEndsAPieceAndALongerOneBeginsAnother()
    {
        var bench = new NetworkBench(new NetworkModel { CoalesceReads = true });
        foreach (int bytes in new[] { 500, 500, 300, 500, 600 }) bench.Unicast(0, 1, bytes: bytes);
        bench.RunAll();
        Assert.Equal([1300, 500, 600], bench.TakeReads(1).Select(read => read.Length));
    }

    [Fact]
    public void WithoutCoalescingEachDatagramIsARead()
    {
        var bench = new NetworkBench(new NetworkModel { CoalesceReads = false });
        bench.Unicast(0, 1, count: 10, bytes: 500);
        bench.RunAll();
        Assert.Equal(10, bench.TakeReads(1).Count);
    }

    [Fact]
    public void AFullSendBufferRefusesTheWholeTrainAndSaysWhenToTryAgain()
    {
        var bench = new NetworkBench(new NetworkModel { Bandwidth = 100_000_000, SendBufferBytes = 20_000 });
        int sent = 0;
        while (bench.Unicast(0, 1, count: 10, bytes: 1000, first: sent * 10) == SendOutcome.Sent) sent++;
        Assert.InRange(sent, 2, 3);
        Instant again = bench.Transports[0].BusyUntil;
        Assert.True(again > bench.Clock.Now && again != Instant.Never);
        bench.RunTo(again - Instant.Zero);
        Assert.Equal(SendOutcome.Sent, bench.Unicast(0, 1, count: 10, bytes: 1000, first: sent * 10));
        bench.RunAll();
        Assert.Equal(Enumerable.Range(0, (sent + 1) * 10), bench.TakeNumbers(1));
    }

    [Fact]
    public void ASwitchPortThatIsFedByManyDropsTheTail()
    {
        var bench = new NetworkBench(new NetworkModel { Bandwidth = 100_000_000, PortBufferBytes = 10_000 }, nodes: 4);
        for (int from = 1; from < 4; from++) bench.Unicast(from, 0, count: 20, bytes: 1000);
        bench.RunAll();
        bench.TakeReads(0);
        Assert.True(bench.Network.Counters.PortDrops > 20, $"{bench.Network.Counters.PortDrops} dropped");
        Assert.Equal(60, bench.Read.Count + (int)bench.Network.Counters.PortDrops);
    }

    [Fact]
    public void ControlIsReadFirstAndEmptySocketsSaySoAfterIt()
    {
        var bench = new NetworkBench(new NetworkModel());
        bench.Unicast(0, 1);
        byte[] control = new byte[100];
        bench.Transports[
            0].Send(new Train(control, control.Length, TrainRoute.Control, bench.Transports[1].Facts.Control, null));
        bench.RunAll();
        var batch = new List<Completion>();
        bench.Transports[1].Take(batch, 100);
        Assert.Equal(3, batch.Count);
        Assert.Equal(SocketRole.Control, batch[0].Role);
        Assert.False(batch[1].IsDrained);
        Assert.True(batch[2].IsDrained && batch[2].Role == SocketRole.Unicast);
    }

    [Fact]
    public void AReadIsOverwrittenWhenItIsGivenBack()
    {
        var bench = new NetworkBench(new NetworkModel());
        bench.Unicast(0, 1);
        bench.RunAll();
        var batch = new List<Completion>();
        bench.Transports[1].Take(batch, 1);
        byte[] kept = batch[0].Buffer;
        bench.Transports[1].Recycle(batch[0]);
        Assert.NotEqual(0, kept[50]);
    }

    [Fact]
    public void AfterTheEndNothingArrivesAndEveryDatagramIsBackInThePool()
    {
        var bench = new NetworkBench(new NetworkModel(), nodes: 2);
        bench.Unicast(0, 1, count: 10);
        bench.RunAll();
        bench.Unicast(0, 1, count: 10);
        bench.Transports[1].CloseAll(inGoodOrder: false);
        bench.RunAll();
        Assert.Empty(bench.TakeReads(1));
        // The last one sent is remembered, for splices.
        Assert.InRange(bench.Network.Pool.Outstanding, 0, 1);
    }
}
