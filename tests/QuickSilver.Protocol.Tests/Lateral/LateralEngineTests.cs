using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Lateral;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Lateral;

/// <summary>What the engines of a lateral group cost and hold.</summary>
public sealed class LateralEngineTests
{
    [Theory]
    [InlineData(LateralCode.Field, false)]
    [InlineData(LateralCode.Field, true)]
    [InlineData(LateralCode.Xor, false)]
    public void ASteadyStreamWithRepairsAllocatesNothing(Enum code, bool inOrder)
    {
        var settings = new LateralSettings { Code = (LateralCode)code, InOrder = inOrder, RepairsPerPacket = 3 };
        var world = new LateralWorld(4, settings);
        world.LoseEach = 23;
        // Until the cache is full, it grows.
        Stream(world, 6_000);
        ulong recovered = Recovered(world);

        Assert.Equal(0, AllocatedBytes.Of(() => Stream(world, 2_000)));
        Assert.True(Recovered(world) > recovered + 50, "nothing was recovered meanwhile");
        Assert.All(world.Members, static member => Assert.Equal(0, member.Lost));
    }

    [Fact]
    public void AMessageThatIsRareIsRecoveredByARepairThatIsNotFull()
    {
        var world = new LateralWorld(8);
        for (int message = 0; message < 40; message++)
        {
            world.LoseEach = message % 8 == 0 ? 5 : 0;
            world.Say(1);
            world.Carry();
            world.LoseEach = 0;
            world.Pass(TimeSpan.FromMilliseconds(90));
        }

        Assert.All(world.Members, static member => Assert.Equal(40, member.Got));
        Assert.True(Recovered(world) >= 5, $"{Recovered(world)} recovered");
        Assert.All(world.Members, static member => Assert.Equal(0UL, member.Counters.PacketsAsked));
    }

    [Fact]
    public void AllThatIsHeldComesHome()
    {
        var world = new LateralWorld(4) { LoseEach = 7 };
        Stream(world, 200);
        foreach (LateralWorld.Member member in world.Members) member.Engine.Close();
        world.World.Disseminator.Close();

        Assert.Equal(0, world.World.Pool.OutstandingChunks);
        Assert.Equal(0, world.World.Alarms.Count);
    }

    // Ricochet's packets have 1,024 bytes of the application.
    [Theory]
    [InlineData(100)]
    [InlineData(997)]
    [InlineData(1_000)]
    [InlineData(1_024)]
    public void AMessageOfThePapersSizeIsOnePacket(int bytes)
    {
        var world = new LateralWorld(8, bytes: bytes);
        Stream(world, 300);

        Assert.Equal(300UL, world.Members[0].Counters.PacketsSent);
        Assert.All(world.Members, static member => Assert.Equal(300, member.Got));
        Assert.InRange(world.Longest, bytes, 1_372);
    }

    [Fact]
    public void ARepairThatHasNoRoomForAllPacketsIsTwo()
    {
        // Each of 24 members fills bins of 64 packets; a datagram of 700 bytes has room for the ids of some twenty.
        var world = new LateralWorld(24, new LateralSettings { RepairsPerPacket = 3 }, bytes: 530, slot: 700);
        world.LoseEach = 41;
        Stream(world, 600);
        world.Pass(TimeSpan.FromSeconds(1));

        Assert.InRange(world.Longest, 600, 700);
        Assert.True(Recovered(world) > 50, $"{Recovered(world)} recovered");
        Assert.All(world.Members, static member => Assert.Equal(600, member.Got));
    }

    // Four members: a receiver's bin takes 8 x 2 / 2.2 packets, and twice that time is left to repairs, 20 to 100 ms.
    [Theory]
    [InlineData(0.2, 20, 32)]
    [InlineData(2, 25, 45)]
    [InlineData(30, 100, 112)]
    public void AMissingMessageIsAskedForWhenRepairsHaveHadTheirTime(double pause, int least, int most)
    {
        var world = new LateralWorld(4);
        for (int index = 0; index < 300; index++)
        {
            world.Say(1);
            world.Carry();
            world.Pass(TimeSpan.FromMilliseconds(pause));
        }
        world.Loses = static (to, kind) => to == 1;
        world.Say(1);
        world.Carry();
        world.Loses = static (to, kind) => to == 1 && kind == DatagramKind.LateralRepair;
        world.Say(1);
        world.Carry();
        int waited = 0;
        while (world.Members[1].Counters.PacketsAsked == 0 && waited < 200)
        {
            world.Pass(TimeSpan.FromMilliseconds(1));
            waited++;
        }

        Assert.InRange(waited, least, most);
    }

    [Fact]
    public void WithoutMemoryPacketsAreDroppedAndAskedForLater()
    {
        var world = new LateralWorld(4, bytes: 1_000);
        Stream(world, 20);
        world.Loses = static (to, kind) => to == 1;
        var sent = new List<byte[]>();
        for (int index = 0; index < 200; index++)
        {
            world.Say(1);
            while (world.Members[0].TryNext(out Train train)) sent.Add(train.Span.ToArray());
            world.Pass(TimeSpan.FromMilliseconds(1));
        }
        world.World.Memory.IsUsedUp = true;
        int refused = 0;
        foreach (byte[] datagram in sent)
        {
            RejectReason reason = world.Members[1].Offer(datagram, world.Nodes[0]);
            if (reason != RejectReason.None) Assert.Equal(RejectReason.NoRoom, reason);
            if (reason != RejectReason.None) refused++;
        }
        world.World.Memory.IsUsedUp = false;
        world.Loses = null;
        Stream(world, 20);
        world.Pass(TimeSpan.FromSeconds(2));

        Assert.InRange(refused, 1, 200);
        Assert.Equal(240, world.Members[1].Got);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void AGapOfMoreThanIsKeptIsReportedAndTheSenderIsHeardAgain(bool inOrder)
    {
        const int Gap = Reception.MostOpen + 5_000;
        var world = new LateralWorld(2, new LateralSettings { InOrder = inOrder, Deadline = TimeSpan.FromSeconds(1) });
        Stream(world, 10);
        world.Loses = static (to, kind) => to == 1;
        for (int index = 0; index < Gap; index++)
        {
            world.Say(1);
            world.Carry();
        }
        world.Loses = null;
        Stream(world, 10);
        world.Pass(TimeSpan.FromSeconds(3));
        Stream(world, 10);

        Assert.Equal(Gap + 30, world.Members[1].Got + world.Members[1].Lost);
        Assert.InRange(world.Members[1].Got, 30, 30 + 2_000);
    }

    private static void Stream(LateralWorld world, int messages)
    {
        for (int index = 0; index < messages; index++)
        {
            world.Say(1);
            world.Carry();
            world.Pass(TimeSpan.FromMilliseconds(2));
        }
    }

    private static ulong Recovered(LateralWorld world)
    {
        ulong sum = 0;
        foreach (LateralWorld.Member member in world.Members) sum += member.Counters.PacketsRecovered;
        return sum;
    }
}
