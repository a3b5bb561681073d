using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Timed;
using QuickSilver.Protocol.Timed.Sending;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Timed;

/// <summary>The parts of timed groups by themselves: waits, memory, keys, round trips.</summary>
public sealed class TimedPartTests
{
    private static readonly TimeSpan Longest = TimeSpan.FromMilliseconds(40);
    private static readonly TimeSpan RoundTrip = TimeSpan.FromMilliseconds(10);

    // The distribution of RFC 5401 for 45 members: half wait longer than 0.86 of the longest time.
    [Fact]
    public void ExponentialWaitsAreMostlyLongAndSeldomShort()
    {
        List<double> waits = Draw(NakTimers.Exponential, tries: 0);

        Assert.All(waits, static wait => Assert.InRange(wait, 0, 1));
        Assert.InRange(waits[waits.Count / 2], 0.82, 0.90);
        Assert.InRange(waits.Count(static wait => wait < 0.2) / (double)waits.Count, 0.005, 0.03);
    }

    [Fact]
    public void UniformWaitsAreEquallyLikely()
    {
        List<double> waits = Draw(NakTimers.Uniform, tries: 0);

        Assert.InRange(waits[waits.Count / 2], 0.47, 0.53);
        Assert.InRange(waits.Count(static wait => wait < 0.2) / (double)waits.Count, 0.17, 0.23);
    }

    [Fact]
    public void DistantMembersWaitByTheirDistance()
    {
        List<double> waits = Draw(NakTimers.Distance, tries: 0);

        // One to two round trips of a quarter of the longest wait each.
        Assert.InRange(waits[0], 0.25, 0.26);
        Assert.InRange(waits[^1], 0.49, 0.50);
    }

    [Fact]
    public void EachRequestInVainDoublesTheWait()
    {
        double once = Draw(NakTimers.Exponential, tries: 0)[500];
        double thrice = Draw(NakTimers.Exponential, tries: 2)[500];

        Assert.InRange(thrice / once, 3.99, 4.01);
    }

    [Fact]
    public void ASenderKeepsTheLastPacketsAndNothingGrows()
    {
        var kept = new KeptPackets(64, 100);
        var now = new Instant(1);
        for (int index = 1; index <= 200; index++)
        {
            ref KeptPacket packet = ref kept.Add([(byte)index], now, out bool pushedOut);
            packet.Taken = now;
            packet.Head.Life = TimeSpan.FromSeconds(index == 150 ? 9 : 1);
            Assert.Equal(index > 64, pushedOut);
        }

        Assert.Equal((137UL, 200UL), (kept.Oldest, kept.Last));
        Assert.Equal([137], kept.BytesOf(137).ToArray());
        kept.Expire(now + TimeSpan.FromSeconds(2), unsent: 201);
        Assert.Equal(150UL, kept.Oldest);
        Assert.True(kept.IsHeld(150, now + TimeSpan.FromSeconds(2)));
        Assert.False(kept.IsHeld(151, now + TimeSpan.FromSeconds(2)));
        kept.Expire(now + TimeSpan.FromSeconds(20), unsent: 180);
        Assert.Equal(180UL, kept.Oldest);
    }

    [Theory]
    [InlineData(400, 3)]
    [InlineData(30, 3)]
    [InlineData(1_000, 0.5)]
    public void WhatIsImportantIsKeptForItsTimeAtTheRateOfTheContract(int rate, double seconds)
    {
        var settings = new TimedSettings
        {
            PacketsPerSecond = rate,
            TimeToLive = TimeSpan.FromSeconds(seconds),
            MaxMessageBytes = 1_000,
        };
        var kept = new KeptPackets(settings.KeptPackets(), 100);
        TimeSpan life = settings.LifeOf(Importance.High, TimeSpan.Zero);
        var now = new Instant(1);
        Instant last = now + life - TimeSpan.FromMilliseconds(1);
        kept.Add([1], now, out _).Taken = now;
        kept[1].Head.Life = life;
        TimeSpan pause = TimeSpan.FromSeconds(1.0 / rate);
        for (now += pause; now < last; now += pause)
        {
            kept.Expire(now, kept.Last + 1);
            ref KeptPacket packet = ref kept.Add([2], now, out bool pushedOut);
            (packet.Taken, packet.Head.Life) = (now, settings.LifeOf(Importance.Normal, TimeSpan.Zero));
            Assert.False(pushedOut);
        }

        Assert.True(kept.IsHeld(1, last));
    }

    [Fact]
    public void AMessageNamesTheLastFourWithItsKey()
    {
        var keys = new KeyTrails();
        TimedReplaced before = default;
        for (ulong number = 1; number <= 6; number++)
        {
            var added = new TimedReplaced.Entry(number * 10, 1, number);
            before = keys.Follow(key: 5, added, isReplaceable: number != 4, oldest: 20);
        }

        // The fourth is of high importance: it is replaced by none. The first is no longer kept.
        Assert.Equal(3, before.Count);
        Assert.Equal([5UL, 3UL, 2UL], [before[0].Number, before[1].Number, before[2].Number]);
        Assert.Equal(0, keys.Follow(key: 6, new TimedReplaced.Entry(70, 1, 7), true, oldest: 20).Count);
        keys.Forget(5, 59);
        Assert.Equal(2, keys.Count);
        keys.Forget(5, 60);
        Assert.Equal(1, keys.Count);
    }

    [Fact]
    public void TheRoundTripFollowsPeaksAndForgetsThemSlowly()
    {
        var estimate = new GroupRoundTrip(TimeSpan.FromMilliseconds(1));
        estimate.Add(TimeSpan.FromMilliseconds(4));
        Assert.Equal(TimeSpan.FromMilliseconds(4), estimate.Value);
        estimate.Add(TimeSpan.FromMilliseconds(8));
        Assert.Equal(TimeSpan.FromMilliseconds(7), estimate.Value);
        estimate.Add(TimeSpan.FromMilliseconds(3));
        Assert.Equal(TimeSpan.FromMilliseconds(6), estimate.Value);
        estimate.Add(TimeSpan.FromMilliseconds(-3));
        Assert.Equal(TimeSpan.FromMilliseconds(6), estimate.Value);
    }

    [Fact]
    public void TheContractDecidesHowMuchIsKept()
    {
        Assert.Equal(4096, new TimedSettings().KeptPackets());
        Assert.Equal(512, new TimedSettings { PacketsPerSecond = 30 }.KeptPackets());
        Assert.Equal(64, new TimedSettings { PacketsPerSecond = 1, MaxMessageBytes = 1_000 }.KeptPackets());
        Assert.Equal(
            TimeSpan.FromMilliseconds(300), new TimedSettings().LifeOf(Importance.Low, TimeSpan.Zero));
        Assert.Equal(TimeSpan.FromSeconds(9), new TimedSettings().LifeOf(Importance.High, TimeSpan.Zero));
        Assert.Equal(
            TimeSpan.FromMilliseconds(20), new TimedSettings().LifeOf(Importance.High, TimeSpan.FromMilliseconds(20)));
    }

    // Shares of the longest wait, in rising order.
    private static List<double> Draw(NakTimers timers, int tries)
    {
        var random = new SeededRandom(9);
        var waits = new List<double>();
        for (int index = 0; index < 20_000; index++)
            waits.Add(NakWait.Draw(timers, Longest, RoundTrip, 45, tries, random) / Longest);
        waits.Sort();
        return waits;
    }
}
