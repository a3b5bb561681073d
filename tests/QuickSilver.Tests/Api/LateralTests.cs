using QuickSilver.Testing;

namespace QuickSilver.Tests.Api;

/// <summary>Groups of <see cref="GroupMode.Lateral"/> over sockets.</summary>
[Collection(NodeCollection.Name)]
public sealed class LateralTests
{
    // As long as tests wait, nothing is too late.
    private static readonly GroupOptions Lateral = new()
    {
        Mode = new LateralMode { Deadline = NodeRig.Patience },
    };

    [Fact]
    public async Task Members_and_sender_get_every_message_though_packets_are_lost()
    {
        await using var rig = new NodeRig();
        Group[] groups = new Group[3];
        for (int index = 0; index < groups.Length; index++)
        {
            QuickSilverNode node = await rig.StartAsync(
                static options => options.UseFaults(0.02));
            groups[index] = await node.JoinAsync("fast", Lateral);
        }
        foreach (Group group in groups) await group.WaitForMembersAsync(3).WaitAsync(NodeRig.Patience);
        Assert.Equal(GroupMode.Lateral, groups[0].View.Mode);
        for (int message = 0; message < 300; message++)
        {
            await groups[0].SendAsync($"m{message}");
            if (message % 10 == 0) await Task.Delay(1);
        }
        await groups[0].FlushAsync().WaitAsync(NodeRig.Patience);
        foreach (Group group in groups)
        {
            List<string> heard = await NodeRig.ReadAsync(group, 300);
            Assert.Equal(Enumerable.Range(0, 300).Select(static m => $"m{m}").Order(), heard.Order());
        }
    }

    [Fact]
    public async Task A_long_message_comes_whole_and_a_publisher_reaches_members()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync("fast", Lateral, Lateral);
        string text = new('x', 50_000);
        await left.SendAsync(text);
        Assert.Equal([text], await NodeRig.ReadAsync(right, 1));
        QuickSilverNode node = await rig.StartAsync();
        await using GroupPublisher publisher = await node.OpenPublisherAsync(
            "fast", new PublisherOptions { Mode = new LateralMode() });
        await publisher.SendAsync("from outside");
        Assert.Equal(["from outside"], await NodeRig.ReadAsync(right, 1));
    }

    [Fact]
    public async Task What_the_mode_does_not_promise_is_refused_by_name()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        await using Group group = await node.JoinAsync("fast", Lateral);
        QuickSilverException refused = await Assert.ThrowsAsync<QuickSilverException>(
            () => group.SendConfirmedAsync(new byte[1]));
        Assert.Equal(ErrorCode.RefusedByMode, refused.Code);
        Assert.Contains("SendConfirmedAsync needs a group of mode Reliable", refused.Message, StringComparison.Ordinal);
        Assert.Throws<QuickSilverException>(() => group.OpenWriter());
        await Assert.ThrowsAsync<QuickSilverException>(
            async () => await group.SendAsync(new byte[1], new SendOptions { Key = 1 }));
    }

    [Fact]
    public async Task A_join_with_another_mode_is_told_both_modes()
    {
        await using var rig = new NodeRig();
        QuickSilverNode one = await rig.StartAsync();
        QuickSilverNode two = await rig.StartAsync();
        await using Group group = await one.JoinAsync("fast", Lateral);
        QuickSilverException refused = await Assert.ThrowsAsync<QuickSilverException>(() => two.JoinAsync("fast"));
        Assert.Equal(ErrorCode.GroupModeMismatch, refused.Code);
        Assert.Contains(
            "is in mode Lateral, not Reliable: set GroupOptions.Mode = new LateralMode()", refused.Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task Settings_of_the_mode_are_checked()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        ArgumentException bad = await Assert.ThrowsAsync<ArgumentException>(() => node.JoinAsync(
            "fast",
            new GroupOptions
            {
                Mode = new LateralMode { PacketsPerRepair = 0, RepairsPerPacket = -1, Stagger = 9 },
            }));
        Assert.Contains("Mode.PacketsPerRepair", bad.Message, StringComparison.Ordinal);
        Assert.Contains("Mode.RepairsPerPacket", bad.Message, StringComparison.Ordinal);
        Assert.Contains("Mode.Stagger", bad.Message, StringComparison.Ordinal);
    }
}
