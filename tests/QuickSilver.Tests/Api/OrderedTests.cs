using System.Collections.Concurrent;

namespace QuickSilver.Tests.Api;

/// <summary>Groups of <see cref="GroupMode.Ordered"/> over sockets: one order at all members and across
/// groups.</summary>
[Collection(NodeCollection.Name)]
public sealed class OrderedTests
{
    private static readonly GroupOptions Agreed = new() { Mode = new OrderedMode() };
    private static readonly GroupOptions Safe = new() { Mode = new OrderedMode { Level = OrderedLevel.Safe } };

    [Theory]
    [InlineData(OrderedLevel.Agreed, 0)]
    [InlineData(OrderedLevel.Safe, 0)]
    [InlineData(OrderedLevel.Agreed, 0.03)]
    [InlineData(OrderedLevel.Safe, 0.03)]
    public async Task All_members_have_one_order_of_all_senders_and_groups(OrderedLevel level, double loss)
    {
        const int count = 200;
        await using var rig = new NodeRig();
        var options = new GroupOptions { Mode = new OrderedMode { Level = level } };
        var heard = new List<ConcurrentQueue<string>>();
        var groups = new List<Group[]>();
        for (int index = 0; index < 4; index++)
        {
            QuickSilverNode node = await rig.StartAsync(
                one => Testing.FaultExtensions.UseFaults(one, loss));
            groups.Add([await node.JoinAsync("left", options), await node.JoinAsync("right", options)]);
            heard.Add(Listen(groups[^1]));
        }
        foreach (Group group in groups.SelectMany(static two => two))
            await group.WaitForMembersAsync(4).WaitAsync(NodeRig.Patience);
        Assert.Equal(GroupMode.Ordered, groups[0][0].View.Mode);

        await Task.WhenAll(groups.Select((two, sender) => Task.Run(async () =>
        {
            for (int message = 0; message < count; message++)
                await two[message % 2].SendAsync($"{sender} {message}");
        }))).WaitAsync(NodeRig.Patience);

        foreach (ConcurrentQueue<string> one in heard)
            await NodeRig.UntilAsync(() => one.Count == 4 * count, "all is heard");
        foreach (ConcurrentQueue<string> one in heard) Assert.Equal(heard[0], one);
        for (int sender = 0; sender < 4; sender++)
        {
            Assert.Equal(
                Enumerable.Range(0, count).Select(message => $"{sender} {message}"),
                heard[0].Where(text => text[0] - '0' == sender));
        }
    }

    [Fact]
    public async Task Members_of_one_group_alone_have_the_order_of_those_of_two()
    {
        const int count = 200;
        await using var rig = new NodeRig();
        Group[] left = new Group[3];
        Group[] right = new Group[2];
        for (int index = 0; index < 3; index++)
        {
            QuickSilverNode node = await rig.StartAsync();
            left[index] = await node.JoinAsync("left", Agreed);
            if (index > 0) right[index - 1] = await node.JoinAsync("right", Agreed);
        }
        QuickSilverNode outside = await rig.StartAsync();
        await using GroupPublisher publisher = await outside.OpenPublisherAsync(
            "right", new PublisherOptions { Mode = new OrderedMode() });
        foreach (Group group in left) await group.WaitForMembersAsync(3).WaitAsync(NodeRig.Patience);
        foreach (Group group in right) await group.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        ConcurrentQueue<string>[] heard = [Listen(left[0]), Listen(left[1], right[0]), Listen(left[2], right[1])];

        Task publishing = Task.Run(async () =>
        {
            for (int message = 0; message < count; message++) await publisher.SendAsync($"p {message}");
        });
        for (int message = 0; message < count; message++) await left[0].SendAsync($"l {message}");
        await publishing.WaitAsync(NodeRig.Patience);
        await publisher.FlushAsync().WaitAsync(NodeRig.Patience);

        await NodeRig.UntilAsync(() => heard[0].Count == count, "the member of one group has its messages");
        for (int index = 1; index < 3; index++)
        {
            ConcurrentQueue<string> one = heard[index];
            await NodeRig.UntilAsync(() => one.Count == 2 * count, "members of two groups have the messages of both");
        }
        Assert.Equal(heard[1], heard[2]);
        Assert.Equal(heard[0], heard[1].Where(static text => text[0] == 'l'));
    }

    [Fact]
    public async Task A_message_of_many_packets_comes_whole_and_in_order()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync("long", Agreed, Agreed);
        string text = new('x', 200_000);
        await left.SendAsync("before");
        await left.SendAsync(text);
        await left.SendAsync("after");
        Assert.Equal(["before", text, "after"], await NodeRig.ReadAsync(right, 3));
        Assert.Equal(["before", text, "after"], await NodeRig.ReadAsync(left, 3));
    }

    [Fact]
    public async Task A_late_member_has_what_is_sent_after_its_join_in_the_order_of_the_others()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync("late", Agreed, Agreed);
        ConcurrentQueue<string>[] heard = [Listen(left), Listen(right)];
        using var over = new CancellationTokenSource();
        Task[] sending =
        [
            .. new[] { left, right }.Select((group, sender) => Task.Run(async () =>
            {
                for (int message = 0; !over.IsCancellationRequested; message++)
                {
                    await group.SendAsync($"{sender} {message}");
                    if (message % 10 == 0) await Task.Delay(1);
                }
                await group.SendAsync($"end {sender}");
            })),
        ];
        QuickSilverNode node = await rig.StartAsync();
        Group late = await node.JoinAsync("late", Agreed);
        ConcurrentQueue<string> after = Listen(late);
        foreach (Group group in (Group[])[left, right, late])
            await group.WaitForMembersAsync(3).WaitAsync(NodeRig.Patience);
        // All that is sent from here on, the new member has.
        await late.SendAsync("here");
        await NodeRig.UntilAsync(() => after.Contains("here"), "the new member hears itself");
        await over.CancelAsync();
        await Task.WhenAll(sending).WaitAsync(NodeRig.Patience);
        foreach (ConcurrentQueue<string> one in (ConcurrentQueue<string>[])[.. heard, after])
            await NodeRig.UntilAsync(() => one.Contains("end 0") && one.Contains("end 1"), "the ends are heard");
        Assert.Equal(heard[0], heard[1]);
        string[] tail = [.. heard[0].SkipWhile(text => text != after.First())];
        Assert.Contains("here", tail);
        Assert.Equal(tail, after);
    }

    [Fact]
    public async Task What_is_not_sent_yet_leaves_before_the_group_is_left()
    {
        const int count = 2_000;
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync("close", Agreed, Agreed);
        ConcurrentQueue<string> heard = Listen(right);
        for (int message = 0; message < count; message++) await left.SendAsync($"{message}");
        await left.LeaveAsync().WaitAsync(NodeRig.Patience);
        await NodeRig.UntilAsync(() => heard.Count == count, "all that was sent is heard");
        Assert.Equal(Enumerable.Range(0, count).Select(static message => $"{message}"), heard);
        await right.WaitForMembersAsync(1).WaitAsync(NodeRig.Patience);
        // The ring is made again for a group that is joined later.
        await using Group again = await left.Node.JoinAsync("close", Agreed);
        await again.SendAsync("again");
        await NodeRig.UntilAsync(() => heard.Contains("again"), "the group works on");
    }

    [Fact]
    public async Task A_message_may_have_another_level_than_its_group()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync("levels", Agreed, Safe);
        await left.SendAsync("agreed"u8.ToArray());
        await left.SendAsync("safe"u8.ToArray(), new SendOptions { Level = OrderedLevel.Safe });
        Assert.Equal(SendStatus.Accepted, left.TrySend("agreed"u8, new SendOptions { Level = OrderedLevel.Agreed }));
        await left.SendAsync("default"u8.ToArray(), default(SendOptions));
        string[] expected = ["agreed", "safe", "agreed", "default"];
        Assert.Equal(expected, await NodeRig.ReadAsync(right, 4));
        Assert.Equal(expected, await NodeRig.ReadAsync(left, 4));
    }

    [Fact]
    public async Task A_confirmation_says_how_many_members_hold_the_message()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync("sure", Agreed, Agreed);
        DeliveryReport report = await left.SendConfirmedAsync("x"u8.ToArray()).WaitAsync(NodeRig.Patience);
        Assert.Equal((2, 0), (report.Confirmed, report.Removed));
        Assert.Equal(["x"], await NodeRig.ReadAsync(right, 1));
    }

    [Fact]
    public async Task What_the_mode_does_not_promise_is_refused_by_name()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        await using Group group = await node.JoinAsync("state", Agreed);
        Assert.Throws<QuickSilverException>(() => group.OpenWriter());
        QuickSilverException refused = await Assert.ThrowsAsync<QuickSilverException>(
            async () => await group.SendAsync(new byte[1], new SendOptions { Key = 1 }));
        Assert.Equal(ErrorCode.RefusedByMode, refused.Code);
        Assert.Contains("SendOptions needs a group of mode Timed", refused.Message, StringComparison.Ordinal);
        await using Group reliable = await node.JoinAsync("other");
        refused = await Assert.ThrowsAsync<QuickSilverException>(async () => await reliable.SendAsync(
            new byte[1], new SendOptions { Level = OrderedLevel.Safe }));
        Assert.Contains("needs a group of mode Ordered", refused.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<ArgumentException>(async () => await group.SendAsync(
            new byte[1], new SendOptions { Level = OrderedLevel.Safe, Key = 1 }));
        await Assert.ThrowsAsync<ArgumentException>(async () => await group.SendAsync(
            new byte[1], new SendOptions { Level = (OrderedLevel)2 }));
        ArgumentException bad = await Assert.ThrowsAsync<ArgumentException>(() => node.JoinAsync(
            "bad", new GroupOptions { Mode = new OrderedMode { Level = (OrderedLevel)9 } }));
        Assert.Contains("Mode.Level", bad.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_join_with_another_mode_is_told_both_modes()
    {
        await using var rig = new NodeRig();
        QuickSilverNode one = await rig.StartAsync();
        QuickSilverNode two = await rig.StartAsync();
        await using Group group = await one.JoinAsync("state", Agreed);
        await using Group other = await one.JoinAsync("reliable");
        QuickSilverException refused = await Assert.ThrowsAsync<QuickSilverException>(() => two.JoinAsync("state"));
        Assert.Equal(ErrorCode.GroupModeMismatch, refused.Code);
        Assert.Contains(
            "is in mode Ordered, not Reliable: set GroupOptions.Mode = new OrderedMode()", refused.Message,
            StringComparison.Ordinal);
        refused = await Assert.ThrowsAsync<QuickSilverException>(() => two.JoinAsync("reliable", Agreed));
        Assert.Equal(ErrorCode.GroupModeMismatch, refused.Code);
    }

    [Fact]
    public async Task The_group_of_all_nodes_in_ordered_groups_is_no_application_s()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        ArgumentException refused = await Assert.ThrowsAsync<ArgumentException>(
            () => node.JoinAsync("quicksilver.ordered-ring"));
        Assert.Contains("which a node joins by itself", refused.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<ArgumentException>(() => node.OpenPublisherAsync("quicksilver.ordered-ring"));
        await using Group group = await node.JoinAsync("state", Agreed);
        Assert.Equal(1, (await node.GetStatisticsAsync()).Groups);
    }

    [Fact]
    public void A_node_that_may_not_be_in_the_ring_is_told_which_group_it_needs()
    {
        QuickSilverException refused = QuickSilver.Runtime.Refusals.OfJoin(
            QuickSilver.Protocol.Membership.MembershipRefusal.NotAllowed, "quicksilver.ordered-ring",
            GroupMode.Ordered);
        Assert.Equal(ErrorCode.NotAuthorized, refused.Code);
        Assert.Contains("may not be in ordered groups", refused.Message, StringComparison.Ordinal);
    }

    private static ConcurrentQueue<string> Listen(params Group[] groups)
    {
        var heard = new ConcurrentQueue<string>();
        foreach (Group group in groups)
        {
            group.Subscribe((in MessageRef message) =>
                heard.Enqueue(System.Text.Encoding.UTF8.GetString(message.Payload)));
        }
        return heard;
    }
}
