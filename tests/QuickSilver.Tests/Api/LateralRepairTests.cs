using System.Diagnostics;
using QuickSilver.Testing;

namespace QuickSilver.Tests.Api;

/// <summary>Lateral repair in groups of <see cref="GroupMode.Reliable"/>, over sockets.</summary>
[Collection(NodeCollection.Name)]
public sealed class LateralRepairTests
{
    private const int Batch = 200;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task What_is_lost_is_mended_laterally_and_comes_once_and_in_order(bool isSecured)
    {
        await using var rig = new NodeRig(isSecured);
        var nodes = new QuickSilverNode[4];
        var groups = new Group[nodes.Length];
        for (int index = 0; index < nodes.Length; index++)
        {
            ulong seed = (ulong)index + 1;
            nodes[index] = await rig.StartAsync(options =>
            {
                options.Recovery.EagerPull = false;
                options.UseFaults(0.05, seed);
            });
            groups[index] = await nodes[index].JoinAsync(
                "steady", new GroupOptions { LateralRepair = new LateralRepairOptions { PacketsPerRepair = 2 } });
        }
        foreach (Group group in groups) await group.WaitForMembersAsync(nodes.Length).WaitAsync(NodeRig.Patience);
        int sent = 0;
        long start = Stopwatch.GetTimestamp();
        while (nodes.Sum(static node => node.GetStatistics().LateralRepair.PacketsRebuilt) == 0)
        {
            Assert.True(Stopwatch.GetElapsedTime(start) < NodeRig.Patience, "nothing was mended laterally");
            for (int end = sent + Batch; sent < end; sent++)
            {
                await groups[0].SendAsync($"m{sent}");
                if (sent % 4 == 0) await Task.Delay(1);
            }
            await groups[0].FlushAsync().WaitAsync(NodeRig.Patience);
        }
        foreach (Group group in groups)
        {
            List<string> heard = await NodeRig.ReadAsync(group, sent);
            Assert.Equal(Enumerable.Range(0, sent).Select(static message => $"m{message}"), heard);
        }
        foreach (NodeStatistics statistics in nodes.Select(static node => node.GetStatistics()))
        {
            Assert.Equal(0, statistics.MessagesLost);
            Assert.Equal(0, statistics.LateralRepair.PacketsDisproved);
        }
        await NodeRig.UntilAsync(
            () => nodes.Any(static node => node.GetStatistics().LateralRepair.RepairsSent > 0), "who repaired says so");
    }

    [Fact]
    public async Task A_member_without_the_option_sends_no_repairs()
    {
        await using var rig = new NodeRig();
        QuickSilverNode one = await rig.StartAsync();
        QuickSilverNode other = await rig.StartAsync();
        Group left = await one.JoinAsync(
            "steady", new GroupOptions { LateralRepair = new LateralRepairOptions { PacketsPerRepair = 1 } });
        Group right = await other.JoinAsync("steady");
        foreach (Group group in (Group[])[left, right]) await group.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        await left.SendAsync("hello");
        await right.SendAsync("you");
        Assert.Equal(2, (await NodeRig.ReadAsync(right, 2)).Count);
        await NodeRig.UntilAsync(
            () => other.GetStatistics().LateralRepair.RepairsReceived > 0, "a repair of the other member");
        Assert.Equal(0, other.GetStatistics().LateralRepair.RepairsSent);
    }

    [Theory]
    [InlineData(GroupMode.Lateral)]
    [InlineData(GroupMode.Timed)]
    public async Task The_option_belongs_to_reliable_groups(GroupMode mode)
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        ArgumentException refused = await Assert.ThrowsAsync<ArgumentException>(() => node.JoinAsync(
            "fast", new GroupOptions { Mode = mode, LateralRepair = new LateralRepairOptions() }));
        Assert.Contains("LateralRepair: is used by GroupMode.Reliable only", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Settings_are_checked()
    {
        var options = new GroupOptions
        {
            LateralRepair = new LateralRepairOptions { PacketsPerRepair = 0, RepairsPerPacket = 0 },
        };
        Assert.Collection(
            options.Validate(),
            static fault => Assert.StartsWith("LateralRepair.PacketsPerRepair", fault, StringComparison.Ordinal),
            static fault => Assert.StartsWith("LateralRepair.RepairsPerPacket", fault, StringComparison.Ordinal));
    }
}
