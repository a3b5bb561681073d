namespace QuickSilver.Tests.Api;

/// <summary>Groups with an address of their own, on real sockets over loopback.</summary>
[Collection(NodeCollection.Name)]
public sealed class HybridGroupTests
{
    private const int Messages = 300;

    private static readonly GroupOptions Hybrid = new() { Mode = new ReliableMode { Hybrid = true } };

    [Theory]
    [InlineData(0, false)]
    [InlineData(0.03, false)]
    [InlineData(0, true)]
    [InlineData(0.03, true)]
    public async Task Members_of_three_regions_hear_one_copy(double loss, bool isSecured)
    {
        await using var rig = new NodeRig(isSecured: isSecured);
        (QuickSilverNode[] nodes, Group[] groups) = await JoinAsync(
            rig,
            options =>
            {
                (options.Transport.SharedMemory, options.Transport.MaxDatagramBytes) = (false, 1372);
                Testing.FaultExtensions.UseFaults(options, loss, 7);
            });
        Assert.Equal(3, groups[0].View.Regions.Count);
        Assert.NotEmpty(groups[0].View.HybridAddress);
        Assert.All(groups, group => Assert.Equal(groups[0].View.HybridAddress, group.View.HybridAddress));

        await HearAsync(groups);

        NodeStatistics sent = await nodes[0].GetStatisticsAsync();
        Assert.True(sent.HybridPacketsSent > 0);
        Assert.True(sent.MessageCopies < 2 * Messages, $"{sent.MessageCopies} copies of {Messages} messages");
        foreach (QuickSilverNode node in nodes[1..])
            Assert.True((await node.GetStatisticsAsync()).HybridPacketsReceived > 0);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Where_multicast_does_not_carry_it_each_region_gets_packets_of_its_own(bool sharesMemory)
    {
        await using var rig = new NodeRig(isSecured: false);
        bool isLinux = OperatingSystem.IsLinux();
        (QuickSilverNode[] nodes, Group[] groups) = await JoinAsync(
            rig,
            options =>
            {
                options.Transport.SharedMemory = sharesMemory;
                if (!sharesMemory || !isLinux) options.Transport.Kind = TransportKind.Unicast;
            });

        await HearAsync(groups);

        NodeStatistics sent = await nodes[0].GetStatisticsAsync();
        Assert.Equal((0L, (long)Messages), (sent.HybridPacketsSent, sent.HybridFallbacks));
    }

    [Fact]
    public async Task The_first_member_decides()
    {
        await using var rig = new NodeRig(isSecured: false);
        QuickSilverNode node = await rig.StartAsync();
        QuickSilverNode other = await rig.StartAsync();
        await node.JoinAsync("group", Hybrid);

        foreach (QuickSilverNode late in new[] { node, other })
        {
            QuickSilverException refused =
                await Assert.ThrowsAsync<QuickSilverException>(() => late.JoinAsync("group"));
            Assert.Equal(ErrorCode.GroupModeMismatch, refused.Code);
        }
        Group second = await other.JoinAsync("group", Hybrid);
        Assert.Equal(2, second.View.MemberCount);
    }

    [Fact]
    public async Task A_publisher_sends_one_copy_to_regions_of_several_members_and_must_know_that_the_group_is_hybrid()
    {
        await using var rig = new NodeRig(isSecured: false);
        static void NoSharedMemory(QuickSilverOptions options) => options.Transport.SharedMemory = false;
        (_, Group[] groups) = await JoinAsync(rig, NoSharedMemory);
        QuickSilverNode node = await rig.StartAsync(options =>
        {
            NoSharedMemory(options);
            options.Transport.MaxHybridGroups = 1;
        });
        QuickSilverException refused =
            await Assert.ThrowsAsync<QuickSilverException>(() => node.OpenPublisherAsync("group"));
        Assert.Equal(ErrorCode.GroupModeMismatch, refused.Code);
        Assert.Contains(
            "has an address of its own: set PublisherOptions.Mode = new ReliableMode { Hybrid = true }",
            refused.Message, StringComparison.Ordinal);
        await node.JoinAsync("other hybrid", Hybrid);
        GroupPublisher publisher =
            await node.OpenPublisherAsync("group", new PublisherOptions { Mode = Hybrid.Mode });
        Assert.Equal(groups[0].View.HybridAddress, publisher.View.HybridAddress);

        await HearAsync(groups, publisher);

        NodeStatistics sent = await node.GetStatisticsAsync();
        Assert.True(sent.HybridPacketsSent > 0);
        Assert.Equal(0, sent.HybridPacketsReceived);
        // The first member is alone in its region, and takes part.
        Assert.Equal((Messages, 0L), (sent.MessageCopies, sent.HybridFallbacks));
    }

    [Fact]
    public async Task A_node_is_in_so_many_hybrid_groups_and_no_more()
    {
        await using var rig = new NodeRig(isSecured: false);
        QuickSilverNode node = await rig.StartAsync(static options => options.Transport.MaxHybridGroups = 2);
        await node.JoinManyAsync(["a", "b"], Hybrid);

        QuickSilverException refused =
            await Assert.ThrowsAsync<QuickSilverException>(() => node.JoinAsync("c", Hybrid));
        Assert.Equal(ErrorCode.TooManyHybridGroups, refused.Code);
        await node.JoinAsync("a", Hybrid);
        Group plain = await node.JoinAsync("c");
        Assert.Empty(plain.View.HybridAddress);
    }

    // Five nodes in three regions: the second and third share another group, and so do the last two.
    private static async Task<(QuickSilverNode[] Nodes, Group[] Groups)> JoinAsync(
        NodeRig rig, Action<QuickSilverOptions> change)
    {
        string?[] besides = [null, "first", "first", "second", "second"];
        var nodes = new List<QuickSilverNode>();
        var groups = new List<Group>();
        foreach (string? beside in besides)
        {
            QuickSilverNode node = await rig.StartAsync(change);
            nodes.Add(node);
            groups.Add(await node.JoinAsync("group", Hybrid));
            if (beside is not null) await node.JoinAsync(beside);
        }
        foreach (Group group in groups) await group.WaitForMembersAsync(besides.Length).WaitAsync(NodeRig.Patience);
        await NodeRig.UntilAsync(() => groups.TrueForAll(group => group.View.Regions.Count == 3), "three regions");
        return ([.. nodes], [.. groups]);
    }

    private static async Task HearAsync(Group[] groups, MessageSender? sender = null)
    {
        sender ??= groups[0];
        Task<List<string>>[] readers = [.. groups.Select(static group => NodeRig.ReadAsync(group, Messages))];
        for (int index = 0; index < Messages; index++)
            await sender.SendAsync(System.Text.Encoding.UTF8.GetBytes(TextOf(index)));
        await sender.FlushAsync().WaitAsync(NodeRig.Patience);
        foreach (List<string> read in await Task.WhenAll(readers).WaitAsync(NodeRig.Patience))
            Assert.Equal(Enumerable.Range(0, Messages).Select(TextOf), read);
    }

    // So long that each member misses some packets, and gets others.
    private static string TextOf(int index) => $"m{index}".PadRight(600);
}
