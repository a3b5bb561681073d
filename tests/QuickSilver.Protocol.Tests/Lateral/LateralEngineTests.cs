using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Lateral;

namespace QuickSilver.Protocol.Tests.Lateral;

/// <summary>What the engines of a lateral group cost and hold.</summary>
public sealed class LateralEngineTests
{
    [Theory]
    [InlineData(LateralCode.Field, false)]
    [InlineData(LateralCode.Field, true)]
    [InlineData(LateralCode.Xor, false)]
    public void ASteadyStreamWithRepairsAllocatesNothing(LateralCode code, bool inOrder)
    {
        var world = new LateralWorld(4, new LateralSettings { Code = code, InOrder = inOrder, RepairsPerPacket = 3 });
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
