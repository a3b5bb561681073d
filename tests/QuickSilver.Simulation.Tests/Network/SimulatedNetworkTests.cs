using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Network;

namespace QuickSilver.Simulation.Tests.Network;

public class SimulatedNetworkTests
{
    private static readonly NetEndpoint Group = new(0xEF00_0001, 15_000);

    [Fact]
    public void AUnicastDatagramArrivesAfterSerialisationAndDelay()
    {
        var bench = new NetworkBench(
            new NetworkModel { Link = new LinkModel { Delay = TimeSpan.FromMilliseconds(1), Jitter = TimeSpan.Zero } });
        bench.Unicast(0, 1, bytes: 1184);
        // 1,250 bytes on the wire take 10 us at 1 Gbit/s, once at the sender and once at the port.
        bench.RunTo(TimeSpan.FromMicroseconds(1019));
        Assert.Empty(bench.TakeReads(1));
        bench.RunTo(TimeSpan.FromMicroseconds(1020));
        Assert.Single(bench.TakeReads(1));
    }

    [Fact]
    public void WithoutReorderingALinkKeepsTheOrder()
    {
        var bench = new NetworkBench(
            new NetworkModel { Link = new LinkModel { Jitter = TimeSpan.FromMilliseconds(5) } });
        for (int number = 0; number < 200; number++) bench.Unicast(0, 1, first: number);
        bench.RunAll();
        Assert.Equal(Enumerable.Range(0, 200), bench.TakeNumbers(1));
    }

    [Fact]
    public void ReorderingLetsLaterDatagramsOvertakeAndLosesNone()
    {
        var bench = new NetworkBench(new NetworkModel { Link = new LinkModel { Reordering = 0.2 } });
        for (int number = 0; number < 200; number++) bench.Unicast(0, 1, first: number);
        bench.RunAll();
        List<int> numbers = bench.TakeNumbers(1);
        Assert.NotEqual(Enumerable.Range(0, 200), numbers);
        Assert.Equal(Enumerable.Range(0, 200), numbers.Order());
    }

    [Fact]
    public void LossHitsDatagramsOfATrainOneByOneAtAboutTheGivenRate()
    {
        var bench = new NetworkBench(
            new NetworkModel
            {
                Link = new LinkModel { Loss = 0.1 },
                SendBufferBytes = 1 << 24,
                PortBufferBytes = 1 << 24
            });
        for (int train = 0; train < 100; train++) bench.Unicast(0, 1, count: 50, first: train * 50);
        bench.RunAll();
        int arrived = bench.TakeNumbers(1).Count;
        Assert.InRange(arrived, 4_400, 4_600);
        Assert.Equal((ulong)(5_000 - arrived), bench.Network.Counters.Lost);
    }

    [Fact]
    public void LossOfOneLinkIsTheSameWhateverOtherLinksCarry()
    {
        List<int> Arrived(bool busy)
        {
            var bench = new NetworkBench(new NetworkModel { Link = new LinkModel { Loss = 0.3 } });
            for (int number = 0; number < 100; number++)
            {
                bench.Unicast(0, 1, first: number);
                if (busy) bench.Unicast(2, 1, first: 1000 + number);
            }
            bench.RunAll();
            return [.. bench.TakeNumbers(1).Where(number => number < 1000)];
        }

        Assert.Equal(Arrived(busy: false), Arrived(busy: true));
    }

    [Fact]
    public void DuplicationDeliversSomeDatagramsTwice()
    {
        var bench = new NetworkBench(new NetworkModel { Link = new LinkModel { Duplication = 0.5 } });
        for (int number = 0; number < 200; number++) bench.Unicast(0, 1, first: number);
        bench.RunAll();
        List<int> numbers = bench.TakeNumbers(1);
        Assert.InRange(numbers.Count, 260, 340);
        Assert.Equal(200, numbers.Distinct().Count());
    }

    [Fact]
    public void DamageChangesBytesOfOneReceiversCopyOnly()
    {
        LinkModel damaging = new() { Corruption = 1 };
        var bench = new NetworkBench(new NetworkModel { Overrides = [new LinkOverride(0, 1, damaging)] });
        IRegionChannel channel = JoinAll(bench);
        for (int number = 1; number <= 50; number++) bench.Multicast(0, channel, first: number * 0x01010101);
        bench.RunAll();
        bench.TakeReads(1);
        bench.TakeReads(2);
        var sent = Enumerable.Range(1, 50).Select(number => number * 0x01010101).ToHashSet();
        bool IsAsSent(byte[] bytes) =>
            bytes.Length == 100 && sent.Contains(BitConverter.ToInt32(bytes))
                && !bytes.AsSpan(4).ContainsAnyExcept((byte)0);
        Assert.All(bench.Read.Where(read => read.Node == 2), read => Assert.True(IsAsSent(read.Bytes)));
        int differing = bench.Read.Count(read => read.Node == 1 && !IsAsSent(read.Bytes));
        Assert.InRange(differing, 25, 50);
    }

    [Fact]
    public void AMulticastReachesWhoJoinedAndNobodyElse()
    {
        var bench = new NetworkBench(new NetworkModel(), nodes: 4);
        IRegionChannel sender = bench.Transports[0].Open(Group, receive: false)!;
        bench.Transports[1].Open(Group, receive: true);
        bench.Transports[2].Open(Group, receive: true);
        bench.RunTo(TimeSpan.FromMilliseconds(10));
        bench.Multicast(0, sender);
        bench.RunAll();
        Assert.Empty(bench.TakeReads(0));
        Assert.Single(bench.TakeReads(1));
        Assert.Single(bench.TakeReads(2));
        Assert.Empty(bench.TakeReads(3));
    }

    [Fact]
    public void AMulticastSentBeforeTheJoinHasTakenEffectIsMissed()
    {
        var bench = new NetworkBench(new NetworkModel { MulticastJoinDelay = TimeSpan.FromMilliseconds(5) });
        IRegionChannel sender = bench.Transports[0].Open(Group, receive: false)!;
        bench.Transports[1].Open(Group, receive: true);
        bench.Multicast(0, sender, first: 1);
        bench.RunTo(TimeSpan.FromMilliseconds(6));
        bench.Multicast(0, sender, first: 2);
        bench.RunAll();
        Assert.Equal([2], bench.TakeNumbers(1));
    }

    [Fact]
    public void AChannelReceivesUntilTheLastReceiverClosesIt()
    {
        var bench = new NetworkBench(new NetworkModel { MulticastJoinDelay = TimeSpan.Zero });
        IRegionChannel sender = bench.Transports[0].Open(Group, receive: false)!;
        IRegionChannel first = bench.Transports[1].Open(Group, receive: true)!;
        IRegionChannel second = bench.Transports[1].Open(Group, receive: true)!;
        Assert.Same(first, second);
        bench.Transports[1].Close(first, receive: true);
        bench.Multicast(0, sender, first: 1);
        bench.RunAll();
        Assert.Equal([1], bench.TakeNumbers(1));
        bench.Transports[1].Close(second, receive: true);
        bench.Multicast(0, sender, first: 2);
        bench.RunAll();
        Assert.Empty(bench.TakeNumbers(1));
        Assert.Equal(0, bench.Transports[1].OpenChannels);
    }

    [Theory]
    [InlineData(true, 2)]
    [InlineData(false, 1)]
    public void LoopbackOfMulticastIsAKnob(bool loopback, int readers)
    {
        var bench = new NetworkBench(new NetworkModel { MulticastLoopback = loopback }, nodes: 2);
        IRegionChannel channel = JoinAll(bench);
        bench.Multicast(0, channel);
        bench.RunAll();
        Assert.Equal(readers, bench.TakeReads(0).Count + bench.TakeReads(1).Count);
    }

    [Fact]
    public void ADatagramBeyondTheMaximumVanishes()
    {
        var bench = new NetworkBench(new NetworkModel { MaxDatagramBytes = 1000 });
        bench.Unicast(0, 1, bytes: 1000, first: 1);
        bench.Unicast(0, 1, bytes: 1001, first: 2);
        bench.RunAll();
        Assert.Equal([1], bench.TakeNumbers(1));
    }

    [Fact]
    public void CutsAreDirected()
    {
        var bench = new NetworkBench(new NetworkModel());
        bench.Network.Conditions.Cut(0, 1, begins: true);
        bench.Unicast(0, 1, first: 1);
        bench.Unicast(1, 0, first: 2);
        bench.RunAll();
        Assert.Empty(bench.TakeNumbers(1));
        Assert.Equal([2], bench.TakeNumbers(0));
        bench.Network.Conditions.Cut(0, 1, begins: false);
        bench.Unicast(0, 1, first: 3);
        bench.RunAll();
        Assert.Equal([3], bench.TakeNumbers(1));
    }

    [Fact]
    public void OverlappingConditionsEndWithTheLast()
    {
        var conditions = new NetworkConditions();
        conditions.Mute(1, begins: true);
        conditions.Mute(1, begins: true);
        conditions.Mute(1, begins: false);
        Assert.True(conditions.Blocks(1, 2, multicast: false));
        conditions.Mute(1, begins: false);
        Assert.False(conditions.Any);
    }

    private static IRegionChannel JoinAll(NetworkBench bench)
    {
        IRegionChannel[] channels = [.. bench.Transports.Select(transport => transport.Open(Group, receive: true)!)];
        bench.RunTo(TimeSpan.FromMilliseconds(10));
        return channels[0];
    }
}
