using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Recovery;

/// <summary>How far apart a ring's rounds are: as those who need them allow.</summary>
public sealed class RoundPaceTests
{
    private static readonly TimeSpan Millisecond = TimeSpan.FromMilliseconds(1);
    private static readonly RecoverySettings Usual = new();

    [Theory]
    [InlineData(DatagramFlags.None, 30)]
    [InlineData(DatagramFlags.FeedbackAwaited, 5)]
    [InlineData(DatagramFlags.FeedbackWanted, 1)]
    public void WhileDataFlowsTheSenderSaysHowFarApart(Enum flags, int milliseconds)
    {
        var world = new RingWorld(4);
        int rounds = RoundsIn(world, 900, (DatagramFlags)flags);
        Assert.InRange(rounds, (900 / milliseconds) - 2, (900 / milliseconds) + 2);
    }

    [Fact]
    public void ALongerUsualDistanceIsTheQuietOneToo()
    {
        var world = new RingWorld(4, settings: Usual with { MinTokenInterval = TimeSpan.FromMilliseconds(100) });
        Assert.InRange(RoundsIn(world, 900, DatagramFlags.None), 8, 10);
    }

    [Fact]
    public void WhatBreaksASilenceHasARoundAtOnce()
    {
        var world = new RingWorld(4);
        world.SendPackets(1);
        Assert.Equal(1UL, world.Stable);
        world.RunFor(TimeSpan.FromSeconds(1));
        world.SendPackets(1);
        Assert.Equal(2UL, world.Stable);
    }

    [Fact]
    public void ABeaconEndsTheWait()
    {
        var world = new RingWorld(4);
        RoundsIn(world, 100, DatagramFlags.None);
        world.SendPackets(5);
        Assert.True(world.Stable < 105);
        world.RunFor(Usual.MinTokenInterval);
        world.SendBeacon();
        world.RunFor(Usual.MinTokenInterval);
        Assert.Equal(105UL, world.Stable);
    }

    [Fact]
    public void SomebodyWhoWaitsEndsTheWaitOfAll()
    {
        var world = new RingWorld(4);
        RoundsIn(world, 100, DatagramFlags.None);
        world.SendPackets(1);
        world.SendPackets(1, DatagramFlags.FeedbackAwaited);
        world.RunFor(Usual.MinTokenInterval);
        Assert.Equal(102UL, world.Stable);
    }

    [Fact]
    public void WhileAMemberLacksWhatWasSentLongAgoRoundsAreNotFarApart()
    {
        var world = new RingWorld(4) { Loses = static (header, to) => to == 2 && header.Sequence == 50 };
        int behind = RoundsIn(world, 900, DatagramFlags.None);
        Assert.Equal(49UL, world.Stable);
        Assert.InRange(behind, 160, 185);

        world.Loses = static (_, _) => false;
        world.RunFor(TimeSpan.FromSeconds(1));
        Assert.Equal(900UL, world.Stable);
        Assert.InRange(RoundsIn(world, 900, DatagramFlags.None), 28, 32);
    }

    [Fact]
    public void WhileAMemberIsLeftOutRoundsAreNotFarApart()
    {
        var world = new RingWorld(
            4, settings: Usual with { HopTimeout = Millisecond, HopSends = 1 })
        { Loses = static (_, to) => to == 2 };
        Assert.InRange(RoundsIn(world, 900, DatagramFlags.None), 100, 182);
    }

    // A packet each millisecond. With one partition a round begins with the hop from the leader to the member after it.
    private static int RoundsIn(RingWorld world, int milliseconds, DatagramFlags flags)
    {
        Assert.Equal(1, world.View.Partitions.Count);
        int before = world.Hops.Count;
        for (int elapsed = 0; elapsed < milliseconds; elapsed++)
        {
            world.SendPackets(1, flags);
            world.RunFor(Millisecond);
        }
        return world.Hops.Skip(before).Count(static hop => hop == (0, 1));
    }
}
