using QuickSilver.Testing.Disturbances;

namespace QuickSilver.Simulation.Tests.Disturbances;

public class HerdTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void TwoHundredNodesThatJoinAHundredGroupsEachAreInWithinThreeSecondsAndTenSteps(ulong seed)
    {
        (TimeSpan took, ulong steps) = new SimulatedHerd(Nodes: 200, Groups: 100, Kinds: 20) { Seed = seed }.Run();
        Assert.InRange(took, TimeSpan.Zero, TimeSpan.FromSeconds(3));
        Assert.InRange(steps, 1UL, 10UL);
    }
}
