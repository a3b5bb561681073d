namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>Many nodes, or many groups, at one moment.</summary>
public sealed class HerdTests(ITestOutputHelper output)
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Theory]
    [InlineData(32, 100, 400)]
    [InlineData(1000, 100, 400)]
    public void NodesThatJoinOverlappingSetsTogetherAreInWithinThreeSecondsAndTenSteps(int count, int groups, int all)
    {
        var world = new MembershipWorld
        {
            MaxDelay = Second / 100,
            IsChecked = node => node.Name.EndsWith("77", StringComparison.Ordinal),
            MaxGroupsChecked = 3,
        };
        WorldNode[] nodes = world.AddMany(count);
        world.Run(Second);
        for (int index = 0; index < count; index++)
        {
            WorldNode node = nodes[index];
            string[] names = [
                .. Enumerable.Range(0, groups).Select(group => $"g{((index * all / count) + group) % all}")];
            world.After(world.Random.NextBelow(Second / 20), () => node.Join(names));
        }
        world.Run(3 * Second);
        Assert.All(
            nodes,
            node => Assert.True(
                node.Groups.Count == groups && node.Settled.Count > 0, $"{node.Name}: {node.Groups.Count}"));
        Assert.InRange(world.Server.Statistics.Steps, 1UL, 10UL);
        output.WriteLine(
            $"{count} nodes: {world.Server.Statistics.Steps} steps, {world.Server.Statistics.Regions} regions, "
            + $"{nodes.Sum(node => node.BytesReceived) >> 20} MiB, at most "
            + $"{nodes.Max(node => node.BytesReceived) >> 10} KiB to one");
        world.Run(3 * Second);
        Assert.Equal(world.Server.Statistics.Regions, world.Server.Statistics.UnretiredViews);
    }
}
