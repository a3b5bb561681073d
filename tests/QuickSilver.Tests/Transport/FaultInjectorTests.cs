using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;
using QuickSilver.Transport;

namespace QuickSilver.Tests.Transport;

public sealed class FaultInjectorTests
{
    [Fact]
    public void Single_datagrams_of_a_read_are_dropped_and_the_rest_stays_whole_and_in_order()
    {
        (List<long> kept, FaultInjector injector, RejectCounters counters) = Run(0.3, seed: 7);
        Assert.InRange(kept.Count, 400, 800);
        Assert.DoesNotContain(-1, kept);
        Assert.Equal(kept.Order(), kept);
        Assert.Equal(1000 - kept.Count, (int)injector.Dropped);
        Assert.Equal(injector.Dropped, counters[RejectReason.Injected]);
    }

    [Fact]
    public void The_same_seed_drops_the_same_datagrams_and_another_one_others()
    {
        Assert.Equal(Run(0.1, seed: 1).Kept, Run(0.1, seed: 1).Kept);
        Assert.NotEqual(Run(0.1, seed: 1).Kept, Run(0.1, seed: 2).Kept);
    }

    [Fact]
    public void A_rate_of_zero_drops_nothing_and_of_one_everything()
    {
        Assert.Equal(1000, Run(0, seed: 1).Kept.Count);
        Assert.Empty(Run(1, seed: 1).Kept);
    }

    [Fact]
    public void A_deaf_node_hears_nothing_and_then_everything()
    {
        using var rig = new TransportRig();
        IHostTransport inner = rig.Start("in-process");
        var counters = new RejectCounters();
        // Deaf from the first tick on, for all but the last of a long period: whenever it is read, it is deaf;
        // and never before the period has passed.
        using var deaf = new FaultInjector(
            inner, 0, 1, TimeSpan.FromTicks(2), TimeSpan.FromTicks(2))
        { CountInto = counters };
        inner.Send(TransportRig.Train(TrainRoute.Unicast, 10, 200, 1, to: inner.Facts.Data));
        Assert.Empty(
            TransportRig.Sequences(TransportRig.Receive(deaf, static all => all.Exists(static one => one.IsDrained))));
        Assert.Equal(10UL, counters[RejectReason.Injected]);
        using var notYet = new FaultInjector(inner, 0, 1, TimeSpan.FromHours(1), TimeSpan.FromMinutes(1));
        inner.Send(TransportRig.Train(TrainRoute.Unicast, 10, 200, 11, to: inner.Facts.Data));
        Assert.Equal(
            10, TransportRig.Sequences(
                TransportRig.Receive(notYet, static all => all.Exists(static one => one.IsDrained))).Count);
    }

    [Fact]
    public void What_no_header_explains_is_left_as_it_is()
    {
        using var rig = new TransportRig();
        IHostTransport inner = rig.Start("in-process");
        using var injector = new FaultInjector(inner, 0, 1);
        byte[] junk = [.. TransportRig.Train(TrainRoute.Unicast, 1, 100).Span, 1, 2, 3];
        inner.Send(new Train(junk, junk.Length, TrainRoute.Unicast, inner.Facts.Data, null));
        Completion read = TransportRig.Receive(injector, static all => all.Count > 0)[0];
        Assert.Equal(junk, read.Span.ToArray());
    }

    private static (List<long> Kept, FaultInjector Injector, RejectCounters Counters) Run(double rate, ulong seed)
    {
        using var rig = new TransportRig();
        IHostTransport inner = rig.Start("in-process", TransportRig.Settings with { ReceiveBufferBytes = 4 << 20 });
        var counters = new RejectCounters();
        var injector = new FaultInjector(inner, rate, seed) { CountInto = counters };
        for (int index = 0; index < 100; index++)
        {
            inner.Send(TransportRig.Train(TrainRoute.Unicast, 10, 200, (ulong)(index * 10) + 1, to: inner.Facts.Data));
        }
        List<Completion> all = TransportRig.Receive(injector, static all => all.Exists(static one => one.IsDrained));
        return (TransportRig.Sequences(all), injector, counters);
    }
}
