using System.Collections.Concurrent;
using System.Text;
using QuickSilver.Testing;

namespace QuickSilver.Tests.Api;

/// <summary>One message to several ordered groups, over sockets.</summary>
[Collection(NodeCollection.Name)]
public sealed class OrderedTogetherTests
{
    private static readonly GroupOptions Agreed = new() { Mode = new OrderedMode() };

    /// <summary>Two senders send to pairs of groups that overlap: a and b, b and c. Each member is in two or
    /// three.</summary>
    [Theory]
    [InlineData(null, 0)]
    [InlineData(OrderedLevel.Safe, 0.03)]
    public async Task Members_of_overlapping_groups_agree_on_the_place_of_each_message(OrderedLevel? level, double loss)
    {
        const int count = 150;
        await using var rig = new NodeRig();
        string[][] names = [["a", "b", "c"], ["a", "b"], ["b", "c"]];
        var nodes = new List<QuickSilverNode>();
        var groups = new List<Group[]>();
        foreach (string[] some in names)
        {
            nodes.Add(await rig.StartAsync(one => FaultExtensions.UseFaults(one, loss)));
            groups.Add([.. await nodes[^1].JoinManyAsync(some, Agreed)]);
        }
        await groups[0][0].WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        foreach (Group[] some in groups)
            await some.First(static one => one.Name == "b").WaitForMembersAsync(3).WaitAsync(NodeRig.Patience);
        await groups[0][2].WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        ConcurrentQueue<string>[] heard = [.. groups.Select(Listen)];
        var options = new SendOptions { Level = level };

        async Task SendAsync(int sender, params string[] to)
        {
            Group[] pair = [.. groups[sender].Where(one => to.Contains(one.Name))];
            for (int message = 0; message < count; message++)
            {
                // Some are longer than a packet, and some go to one group.
                string text = $"{sender} {message}{new string('.', message % 10 == 0 ? 5_000 : 0)}";
                await nodes[sender].SendToGroupsAsync(pair, Encoding.UTF8.GetBytes(text), options);
                if (message % 3 == 0) await pair[0].SendAsync($"{sender} {message} alone");
            }
        }

        await Task.WhenAll(
            Task.Run(() => SendAsync(1, "a", "b")), Task.Run(() => SendAsync(2, "b", "c")))
            .WaitAsync(NodeRig.Patience);
        // Of each sender 150 to two groups, and 50 to the first of them.
        int[] expected = [(4 * count) + 100, (3 * count) + 100, (3 * count) + 50];
        for (int index = 0; index < 3; index++)
        {
            int most = expected[index];
            ConcurrentQueue<string> one = heard[index];
            await NodeRig.UntilAsync(() => one.Count >= most, $"{most} copies are heard");
            Assert.Equal(most, one.Count);
        }
        // The node that is in all groups has the order of all: the others have what is left of it in their groups.
        string[] all = [.. heard[0]];
        for (int index = 1; index < 3; index++)
        {
            Assert.Equal(all.Where(text => names[index].Contains(text[..1])), heard[index]);
        }
        for (int index = 0; index < all.Length; index++)
        {
            if (all[index].EndsWith("alone", StringComparison.Ordinal)) continue;
            Assert.Equal(all[index][2..], all[index + 1][2..]);
            Assert.NotEqual(all[index][0], all[++index][0]);
        }
    }

    [Fact]
    public async Task What_a_dying_sender_leaves_is_in_all_groups_of_a_member_or_in_none()
    {
        await using TestCluster cluster = await TestCluster.StartAsync(
            ["a", "b", "c"], static options => options.Membership.FailureTimeout = TimeSpan.FromSeconds(2));
        string[] names = ["left", "right"];
        IReadOnlyList<Group>[] groups =
        [
            await cluster["a"].JoinManyAsync(names, Agreed), await cluster["b"].JoinManyAsync(names, Agreed),
            await cluster["c"].JoinManyAsync(names, Agreed),
        ];
        foreach (IReadOnlyList<Group> two in groups) await two[1].WaitForMembersAsync(3).WaitAsync(NodeRig.Patience);
        ConcurrentQueue<string>[] heard = [Listen([.. groups[0]]), Listen([.. groups[1]])];
        QuickSilverNode sender = cluster["c"];
        Task sending = Task.Run(async () =>
        {
            try
            {
                for (int message = 0; ; message++)
                    await sender.SendToGroupsAsync(groups[2], Encoding.UTF8.GetBytes($"{message}"));
            }
            catch (Exception ended) when (ended is QuickSilverException or ObjectDisposedException)
            {
                // The node has died.
            }
        });
        await NodeRig.UntilAsync(() => heard.All(static one => one.Count > 1_000), "messages flow");
        await cluster.CrashAsync("c");
        foreach (IReadOnlyList<Group> two in groups[..2])
        {
            foreach (Group one in two)
                await NodeRig.UntilAsync(() => one.View.MemberCount == 2, "the dead node is out of the view");
        }
        await sending.WaitAsync(NodeRig.Patience);
        await groups[0][0].SendAsync("end");
        foreach (ConcurrentQueue<string> one in heard)
            await NodeRig.UntilAsync(() => one.Last() == "l end", "the end is heard");
        Assert.Equal(heard[0], heard[1]);
        string[] all = [.. heard[0]];
        Assert.Equal(1, all.Length % 2);
        for (int index = 0; index < all.Length - 1; index += 2)
            Assert.Equal(($"l {index / 2}", $"r {index / 2}"), (all[index], all[index + 1]));
    }

    [Fact]
    public async Task A_sender_s_messages_to_one_and_to_several_groups_keep_the_order_of_its_calls()
    {
        const int count = 3_000;
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        QuickSilverNode other = await rig.StartAsync();
        string[] names = ["l", "r"];
        IReadOnlyList<Group> groups = await node.JoinManyAsync(names, Agreed);
        IReadOnlyList<Group> others = await other.JoinManyAsync(["r"], Agreed);
        await using GroupPublisher publisher = await node.OpenPublisherAsync(
            "p", new PublisherOptions { Mode = new OrderedMode() });
        await groups[1].WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        ConcurrentQueue<string> heard = Listen([.. groups]);
        ConcurrentQueue<string> heardThere = Listen([.. others]);
        var sends = new List<Task>();
        var expected = new List<string>();
        for (int message = 0; message < count; message++)
        {
            byte[] text = Encoding.UTF8.GetBytes($"{message}");
            if (message % 3 < 2)
            {
                sends.Add(groups[message % 3].SendAsync(text).AsTask());
                expected.Add($"{names[message % 3]} {message}");
                continue;
            }
            sends.Add(node.SendToGroupsAsync([groups[1], publisher, groups[0]], text).AsTask());
            expected.AddRange(names.Select(name => $"{name} {message}"));
        }
        await Task.WhenAll(sends).WaitAsync(NodeRig.Patience);
        await NodeRig.UntilAsync(() => heard.Count >= expected.Count, "all is heard");
        Assert.Equal(expected, heard);
        await NodeRig.UntilAsync(() => heardThere.Count >= 2 * count / 3, "the other node hears its group");
        Assert.Equal(expected.Where(static text => text[0] == 'r'), heardThere);
        await groups[0].FlushAsync().WaitAsync(NodeRig.Patience);
        // Messages are counted by group: each third went to three.
        Assert.Equal(count + (2 * count / 3), (await node.GetStatisticsAsync()).Ordered.MessagesSent);
    }

    [Fact]
    public async Task A_leave_of_one_of_the_groups_waits_for_what_was_sent_to_all()
    {
        const int count = 2_000;
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        QuickSilverNode other = await rig.StartAsync();
        IReadOnlyList<Group> groups = await node.JoinManyAsync(["l", "r"], Agreed);
        IReadOnlyList<Group> others = await other.JoinManyAsync(["l", "r"], Agreed);
        await groups[1].WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        ConcurrentQueue<string> heard = Listen([.. others]);
        for (int message = 0; message < count; message++) await node.SendToGroupsAsync(groups, new byte[10]);
        await groups[1].LeaveAsync().WaitAsync(NodeRig.Patience);
        Assert.Equal(2 * count, heard.Count);
        await Assert.ThrowsAsync<ObjectDisposedException>(
            async () => await node.SendToGroupsAsync(groups, new byte[10]));
        await groups[0].SendAsync("on");
        await NodeRig.UntilAsync(() => heard.Contains("l on"), "the other group works on");
    }

    [Fact]
    public async Task A_wait_for_room_that_is_cancelled_sends_to_no_group()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync(
            static options => options.Pending.MaxUnsentMessagesPerRegion = 4);
        IReadOnlyList<Group> groups = await node.JoinManyAsync(["l", "r"], Agreed);
        using var held = new ManualResetEventSlim();
        using var isHeld = new ManualResetEventSlim();
        ConcurrentQueue<string> heard = Listen([.. groups]);
        groups[0].Subscribe((in MessageRef _) =>
        {
            isHeld.Set();
#pragma warning disable QS0001 // The core is held on purpose: nothing is taken from the stage.
            held.Wait(NodeRig.Patience);
#pragma warning restore QS0001
        });
        await groups[0].SendAsync("first");
        Assert.True(isHeld.Wait(NodeRig.Patience));
        using var cancelled = new CancellationTokenSource();
        var sends = new List<Task>();
        ValueTask waits;
        while (true)
        {
            waits = node.SendToGroupsAsync(groups, "several"u8.ToArray(), default, cancelled.Token);
            if (!waits.IsCompleted) break;
            sends.Add(waits.AsTask());
        }
        await cancelled.CancelAsync();
        await Assert.ThrowsAsync<OperationCanceledException>(async () => await waits);
        held.Set();
        await Task.WhenAll(sends).WaitAsync(NodeRig.Patience);
        await groups[1].SendAsync("last");
        await NodeRig.UntilAsync(() => heard.Contains("r last"), "the last is heard");
        Assert.Equal(sends.Count, heard.Count(static text => text == "l several"));
        Assert.Equal(sends.Count, heard.Count(static text => text == "r several"));
    }

    [Fact]
    public async Task Mistakes_are_named_before_anything_is_sent()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        QuickSilverNode elsewhere = await rig.StartAsync();
        IReadOnlyList<Group> groups = await node.JoinManyAsync(["l", "r"], Agreed);
        Group foreign = await elsewhere.JoinAsync("l", Agreed);
        Group reliable = await node.JoinAsync("reliable");
        await using GroupPublisher publisher = await node.OpenPublisherAsync(
            "l", new PublisherOptions { Mode = new OrderedMode() });
        ConcurrentQueue<string> heard = Listen([.. groups, foreign]);
        await AssertBadAsync([], "no group");
        await AssertBadAsync([groups[0], foreign], "must be of the node that sends");
        await AssertBadAsync([groups[0], groups[1], publisher], "named twice");
        await AssertBadAsync([groups[0], null!], "null");
        await AssertBadAsync([.. Enumerable.Repeat(groups[0], 17)], "at most");
        await Assert.ThrowsAsync<ArgumentNullException>(async () => await node.SendToGroupsAsync(null!, new byte[1]));
        await Assert.ThrowsAsync<PayloadTooLargeException>(async () => await node.SendToGroupsAsync(
            groups, new byte[20 << 20]));
        QuickSilverException refused = await Assert.ThrowsAsync<QuickSilverException>(
            async () => await node.SendToGroupsAsync([groups[0], reliable], new byte[1]));
        Assert.Equal(ErrorCode.RefusedByMode, refused.Code);
        Assert.Contains("SendToGroupsAsync needs a group of mode Ordered", refused.Message, StringComparison.Ordinal);
        refused = await Assert.ThrowsAsync<QuickSilverException>(async () => await node.SendToGroupsAsync(
            groups, new byte[1], new SendOptions { Key = 3 }));
        Assert.Equal(ErrorCode.RefusedByMode, refused.Code);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await node.SendToGroupsAsync(
            groups, new byte[1], default, new CancellationToken(canceled: true)));
        await node.SendToGroupsAsync([groups[1]], "one"u8.ToArray());
        await NodeRig.UntilAsync(() => heard.Contains("r one"), "a single group is served");
        await groups[0].LeaveAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(
            async () => await node.SendToGroupsAsync(groups, new byte[1]));
        await groups[1].SendAsync("end");
        await NodeRig.UntilAsync(() => heard.Contains("r end"), "the end is heard");
        Assert.Equal(["r one", "r end"], heard);

        async Task AssertBadAsync(IReadOnlyList<MessageSender> list, string says)
        {
            ArgumentException bad = await Assert.ThrowsAsync<ArgumentException>(
                async () => await node.SendToGroupsAsync(list, new byte[1]));
            Assert.Contains(says, bad.Message, StringComparison.Ordinal);
            Assert.Equal("groups", bad.ParamName);
        }
    }

    // The group's first letter, and the message.
    private static ConcurrentQueue<string> Listen(Group[] groups)
    {
        var heard = new ConcurrentQueue<string>();
        foreach (Group group in groups)
        {
            char letter = group.Name[0];
            group.Subscribe((in MessageRef message) =>
                heard.Enqueue($"{letter} {Encoding.UTF8.GetString(message.Payload)}"));
        }
        return heard;
    }
}
