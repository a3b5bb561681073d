namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>What the name of a group costs the membership server, however many nodes are in it.</summary>
[Collection(MemoryCollection.Name)]
public class NameMemoryTests
{
    private const int Names = 10_000;

    [Fact]
    public void ANameWithMembersCostsTheServerLessThan200Bytes()
    {
        var world = new MembershipWorld { IsChecked = static _ => false };
        WorldNode[] nodes = world.AddMany(3);
        string[] names = [.. Enumerable.Range(0, Names).Select(static index => $"orders/eu-west/{index:00000}")];
        nodes[0].Join("compiled");
        long none = Held(world);
        nodes[1].Join(names);
        long one = Held(world);
        nodes[2].Join(names);
        long both = Held(world);
        Assert.Equal(Names + 1, world.Server.Statistics.Groups);

        // Two nodes that join the same cost the same, but the names are there when the second one comes.
        long bytes = (one - none - (both - one)) / Names;

        Assert.InRange(bytes, 100, 200);
    }

    // All that is to happen has happened, and what the world has recorded is dropped.
    private static long Held(MembershipWorld world)
    {
        world.Run(TimeSpan.FromSeconds(10));
        foreach (WorldNode node in world.Nodes) node.Steps.Clear();
        return GC.GetTotalMemory(forceFullCollection: true);
    }
}
