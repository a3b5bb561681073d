using System.Diagnostics;
using QuickSilver.Tests.Api;

namespace QuickSilver.Tests.Allocation;

/// <summary>What a node holds for a group that it has joined, and in which nothing happens.</summary>
[Collection(AllocationCollection.Name)]
public sealed class GroupMemoryTests
{
    private const int Groups = 10_000;

    /// <summary>At a node that another one serves: its handle, its part of the protocol, its tables.</summary>
    private const int MostBytesAtNode = 850;

    /// <summary>At a node that serves itself: the server's part, the name above all, comes on top.</summary>
    private const int MostBytesAtServingNode = 1_024;

    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(100);

    [Fact]
    public async Task An_idle_group_costs_less_than_a_kilobyte_with_its_name_at_the_server()
    {
        await using var rig = new NodeRig();
        QuickSilverNode server = await rig.StartAsync(InMemory);
        QuickSilverNode node = await rig.StartAsync(InMemory);
        string[] names = [.. Enumerable.Range(0, Groups).Select(static index => $"orders/eu-west/{index:00000}")];
        // What is compiled, and what pools keep, is there before.
        await JoinAndLeaveAsync(server, node);

        long none = GC.GetTotalMemory(forceFullCollection: true);
        IReadOnlyList<Group> first = await server.JoinManyAsync(names);
        long one = await SettledAsync(none, MostBytesAtServingNode, "at the node that serves");
        IReadOnlyList<Group> second = await node.JoinManyAsync(names);
        await SettledAsync(one, MostBytesAtNode, "at the node that is served");

        Assert.Equal(Groups, first.Count);
        Assert.All(second, static group => Assert.Equal(2, group.View.MemberCount));
        GC.KeepAlive(names);
    }

    private static void InMemory(QuickSilverOptions options) => options.Transport.Kind = TransportKind.InMemory;

    private static async Task JoinAndLeaveAsync(params QuickSilverNode[] nodes)
    {
        foreach (QuickSilverNode node in nodes)
        {
            IReadOnlyList<Group> groups = await node.JoinManyAsync(
                Enumerable.Range(0, Groups).Select(static index => $"before/{index:00000000}"));
            await node.LeaveManyAsync(groups);
        }
        // Memory stands still once the frames of the leaves are confirmed, and their groups forgotten.
        long last = long.MaxValue;
        long start = Stopwatch.GetTimestamp();
        while (GC.GetTotalMemory(forceFullCollection: true) is var held && held < last - 10_000)
        {
            Assert.True(Stopwatch.GetElapsedTime(start) < NodeRig.Patience, "memory does not stand still");
            last = held;
            await Task.Delay(10 * Look);
        }
    }

    // Frames that are not confirmed yet are held for a while.
    private static async Task<long> SettledAsync(long before, int most, string where)
    {
        long start = Stopwatch.GetTimestamp();
        while (true)
        {
            long held = GC.GetTotalMemory(forceFullCollection: true);
            long bytes = (held - before) / Groups;
            if (bytes < most) return held;
            Assert.True(Stopwatch.GetElapsedTime(start) < NodeRig.Patience, $"{bytes} bytes a group {where}");
            await Task.Delay(Look);
        }
    }
}
