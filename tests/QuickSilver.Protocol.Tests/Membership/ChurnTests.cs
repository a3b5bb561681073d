using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Membership;

public sealed class ChurnTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Theory]
    [InlineData(int.MaxValue, int.MaxValue)]
    [InlineData(1, int.MaxValue)]
    [InlineData(3, int.MaxValue)]
    [InlineData(int.MaxValue, 1)]
    [InlineData(4, 2)]
    public void RandomJoinsLeavesBreaksAndCrashesKeepTheInvariants(int regions, int multicastRegions)
    {
        for (ulong seed = 1; seed <= 40; seed++)
        {
            MembershipWorld world = Churn(seed, 60, regions, multicastRegions);
            try
            {
                world.CheckQuiet();
                Assert.True(world.Server.Statistics.Regions <= regions, $"{world.Server.Statistics.Regions} regions");
                Assert.False(world.Server.IsBusy);
                Assert.Equal(world.Server.Statistics.Regions, world.Server.Statistics.UnretiredViews);
                Assert.Equal(0, world.Server.Statistics.WaitingChanges);
                WorldNode[] live = [.. world.Nodes.Where(node => node.IsLive)];
                ViewNumber[] current = [.. live.Select(node => node.Agent.Cluster.Own?.Number ?? default).Distinct()];
                foreach (WorldNode node in live)
                {
                    // A node knows the views of its groups, and those that it lost sight of and that are in force
                    // elsewhere; all others have retired.
                    IEnumerable<RegionView> needed = node.Groups.Values.SelectMany(
                        group => node.Agent.Cluster.ViewsOf(group.Id));
                    Assert.Subset(node.KnownViews.ToHashSet(), needed.Select(view => view.Number).ToHashSet());
                    Assert.Subset(current.ToHashSet(), node.KnownViews.ToHashSet());
                }
            }
            catch (Exception failure)
            {
                throw new InvalidOperationException($"seed {seed}", failure);
            }
        }
    }

    [Fact]
    public void SameSeedMakesTheSameFrames()
    {
        var first = new List<byte[]>();
        var second = new List<byte[]>();
        Churn(7, 60, 3, trace: first);
        Churn(7, 60, 3, trace: second);
        Assert.Equal(first.Count, second.Count);
        Assert.All(first.Zip(second), pair => Assert.True(pair.First.AsSpan().SequenceEqual(pair.Second)));
    }

    private static MembershipWorld Churn(
        ulong seed,
        int rounds,
        int regions = int.MaxValue,
        int multicastRegions = int.MaxValue,
        List<byte[]>? trace = null)
    {
        var settings = new MembershipServerSettings
        {
            MulticastFirst = 0xEF010000,
            MulticastCount = (int)(seed % 4) * 3,
            PortCount = 4,
            MaxRegions = regions,
            MaxMulticastRegions = multicastRegions,
        };
        var world = new MembershipWorld(seed, settings) { MaxDelay = TimeSpan.FromMilliseconds(1 + (seed % 10)) };
        if (trace is not null)
        {
            world.OnFrameToNode = (_, frame) =>
            {
                trace.Add(frame);
                return frame;
            };
        }
        ushort port = 1000;
        for (int index = 0; index < 6; index++)
            world.Add($"n{index}", multicast: index != 5 || seed % 2 == 0, port: port++);
        for (int round = 0; round < rounds; round++)
        {
            world.Run(world.Random.NextBelow(TimeSpan.FromMilliseconds(15)));
            WorldNode node = world.Nodes[(int)world.Random.NextBelow((ulong)world.Nodes.Count)];
            if (!node.IsLive) continue;
            switch (world.Random.NextBelow(16))
            {
                case 0 when node.Connection is not null:
                    world.Break(node);
                    world.After(world.Random.NextBelow(TimeSpan.FromMilliseconds(60)), () =>
                    {
                        if (node.IsLive && node.Connection is null) world.Connect(node);
                    });
                    break;
                case 1 when world.Nodes.Count < 14:
                    if (world.Random.NextBelow(2) == 0) node.Goodbye();
                    else node.Crash();
                    world.Add($"n{world.Nodes.Count}", port: port++);
                    break;
                case < 8:
                    string[] left = [
                        .. node.Groups.Keys.Where(
                            name => node.Wanted.Contains(name) && world.Random.NextBelow(3) == 0)];
                    if (left.Length > 0) node.Leave(left);
                    break;
                default:
                    node.Join(Enumerable.Range(0, 8)
                        .Where(_ => world.Random.NextBelow(3) == 0)
                        .Select(group => $"g{group}")
                        .Where(name => !node.Wanted.Contains(name)));
                    break;
            }
        }
        world.Run(10 * Second);
        return world;
    }
}
