namespace QuickSilver.Tests.Api;

[Collection(NodeCollection.Name)]
public sealed class GroupLifeTests
{
    [Fact]
    public async Task What_anybody_sends_after_a_join_has_returned_is_seen()
    {
        await using var rig = new NodeRig();
        QuickSilverNode sender = await rig.StartAsync();
        QuickSilverNode joiner = await rig.StartAsync();
        Group speaking = await sender.JoinAsync("group", new GroupOptions { BufferBeforeFirstRead = false });
        for (int round = 0; round < 20; round++)
        {
            await using Group listening = await joiner.JoinAsync("group");
            await speaking.SendAsync($"round {round}");
            Assert.Equal($"round {round}", (await NodeRig.ReadAsync(listening, 1))[0]);
        }
    }

    [Fact]
    public async Task Views_come_in_band_and_tell_who_came_and_went()
    {
        await using var rig = new NodeRig();
        QuickSilverNode a = await rig.StartAsync();
        QuickSilverNode b = await rig.StartAsync();
        Group staying = await a.JoinAsync("group");
        Assert.Equal([a.Name], staying.View.Members.Select(static member => member.Name));
        IAsyncEnumerator<GroupEvent> events = staying.ReadEventsAsync().GetAsyncEnumerator();
        ViewChanged first = await NextAsync<ViewChanged>(events);
        Assert.Null(first.Before);
        Assert.Equal(1, first.After.MemberCount);

        Group passing = await b.JoinAsync("group");
        ViewChanged joined = await NextAsync<ViewChanged>(events);
        Assert.Same(first.After, joined.Before);
        Assert.Equal([b.Name], joined.GetJoined().Select(static member => member.Name));
        await passing.SendAsync("hello");
        Assert.Equal("hello", (await NextAsync<MessageReceived>(events)).Message.GetString());
        await passing.LeaveAsync();
        ViewChanged left = await NextAsync<ViewChanged>(events);
        Assert.Equal([b.Name], left.GetLeft().Select(static member => member.Name));
        Assert.True(left.After.Number > joined.After.Number);
        Assert.Equal(b.Id, passing.View.Find(b.Id)!.Id);
        await events.DisposeAsync();
    }

    [Fact]
    public async Task A_second_handle_shares_membership_and_numbers_and_the_node_leaves_with_the_last()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync();
        Group second = await left.Node.JoinAsync("group");
        await left.SendAsync("1");
        await second.SendAsync("2");
        foreach (Group group in new[] { left, second, right })
            Assert.Equal(["1", "2"], await NodeRig.ReadAsync(group, 2));

        await left.LeaveAsync();
        await right.SendAsync("3");
        Assert.Equal(["3"], await NodeRig.ReadAsync(second, 1));
        Assert.Equal(2, right.View.MemberCount);
        await second.LeaveAsync();
        await NodeRig.UntilAsync(() => right.View.MemberCount == 1, "the node has left");
    }

    [Fact]
    public async Task Leaving_drains_readers_then_ends_them_normally_and_later_calls_are_refused()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync();
        await left.SendAsync("last words");
        Task<List<string>> reading = NodeRig.ReadToEndAsync(right);
        await left.FlushAsync();
        await right.LeaveAsync();
        Assert.Equal(["last words"], await reading);
        await right.Completion;

        Assert.Throws<ObjectDisposedException>(() => right.ReadAllAsync());
        Assert.Throws<ObjectDisposedException>(() => right.Subscribe(static (in MessageRef _) => { }));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await right.SendAsync("late"));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await right.SendConfirmedAsync("late"));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await right.FlushAsync());
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await right.WaitForMembersAsync(1));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await right.LeaveAsync());
        Assert.Equal(SendStatus.Closed, right.TrySend("late"));
        Assert.False(await right.WaitToSendAsync());
        await right.DisposeAsync();
        await right.DisposeAsync();
    }

    [Fact]
    public async Task Many_groups_are_joined_and_left_in_one_round_all_or_none()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        string[] names = [.. Enumerable.Range(0, 500).Select(static index => $"g{index}")];
        await using Group before = await node.JoinAsync("g7");
        IReadOnlyList<Group> groups = await node.JoinManyAsync(names);
        Assert.Equal(names, groups.Select(static group => group.Name));
        Assert.Equal(500, (await node.GetTopGroupsAsync(1_000)).Count);
        await NodeRig.UntilAsync(() => node.GetStatistics().ViewChanges is > 0 and < 10, "few steps");

        await node.LeaveManyAsync(groups);
        Assert.Equal("g7", Assert.Single(await node.GetTopGroupsAsync(10)).Name);
        Assert.Empty(await node.JoinManyAsync([]));
    }

    [Fact]
    public async Task Names_and_options_are_checked_at_the_join()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        foreach (string name in new[] { "", "$reserved", new string('x', 256), "\udc00" })
            await Assert.ThrowsAsync<ArgumentException>(async () => await node.JoinAsync(name));
        await Assert.ThrowsAsync<ArgumentNullException>(async () => await node.JoinAsync(null!));
        await Assert.ThrowsAsync<ArgumentException>(async () => await node.JoinManyAsync(["twice", "once", "twice"]));
        await Assert.ThrowsAsync<ArgumentException>(
            async () => await node.JoinAsync("group", new GroupOptions { InboxMaxMessages = 0 }));

        Group longest = await node.JoinAsync(new string('x', 255));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(async () => await longest.WaitForMembersAsync(0));
        QuickSilverNode other = await rig.StartAsync();
        await Assert.ThrowsAsync<ArgumentException>(async () => await other.LeaveManyAsync([longest]));
    }

    [Fact]
    public async Task A_cancelled_join_is_undone()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        using var cancelled = new CancellationTokenSource();
        await cancelled.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            async () => await node.JoinAsync("group", null, cancelled.Token));
        for (int round = 0; round < 10; round++)
        {
            using var source = new CancellationTokenSource();
            Task<Group> join = node.JoinAsync("group", null, source.Token);
            await source.CancelAsync();
            try
            {
                await (await join).LeaveAsync();
            }
            catch (OperationCanceledException)
            {
                continue;
            }
        }
        await using Group group = await node.JoinAsync("group");
        await NodeRig.UntilAsync(async () => (await node.GetTopGroupsAsync(10)).Count == 1, "one group is left");
        Assert.Equal(1, group.View.MemberCount);
    }

    [Fact]
    public async Task A_join_that_never_begins_leaves_no_handle_behind()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        await using Group group = await node.JoinAsync("group");
        using (Trouble.Frozen frozen = await Trouble.FreezeAsync(node))
        {
            using var cancelled = new CancellationTokenSource();
            Task[] joins = [
                .. Enumerable.Range(0, 10).Select(index => node.JoinAsync($"g{index}", null, cancelled.Token))];
            await cancelled.CancelAsync();
            frozen.Dispose();
            foreach (Task join in joins)
                await Assert.ThrowsAsync<OperationCanceledException>(() => join.WaitAsync(NodeRig.Patience));
        }
        await NodeRig.UntilAsync(
            () => node.Core.Services.Handles() is [var only] && only == group.Handle,
            "only the handle that was joined is kept");
    }

    [Fact]
    public async Task Handles_joined_and_left_at_once_by_many_callers_end_up_as_they_should()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        Task[] callers = [.. Enumerable.Range(0, 8).Select(caller => Task.Run(async () =>
        {
            for (int round = 0; round < 10; round++)
            {
                await using Group mine = await node.JoinAsync($"g{(caller + round) % 3}");
                await mine.SendAsync("hello");
            }
        }))];
        await Task.WhenAll(callers).WaitAsync(NodeRig.Patience);
        Assert.Empty(await node.GetTopGroupsAsync(10));
    }

    [Fact]
    public async Task Waiting_for_members_ends_with_them_with_the_token_and_with_the_handle()
    {
        await using var rig = new NodeRig();
        QuickSilverNode a = await rig.StartAsync();
        QuickSilverNode b = await rig.StartAsync();
        Group group = await a.JoinAsync("group");
        Assert.Equal(1, (await group.WaitForMembersAsync(1)).MemberCount);
        Task<GroupView> two = group.WaitForMembersAsync(2);
        Task<GroupView> three = group.WaitForMembersAsync(3);
        using var source = new CancellationTokenSource();
        Task<GroupView> four = group.WaitForMembersAsync(4, source.Token);
        await b.JoinAsync("group");
        Assert.Equal(2, (await two.WaitAsync(NodeRig.Patience)).MemberCount);
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await four);
        Assert.False(three.IsCompleted);
        await group.LeaveAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await three.WaitAsync(NodeRig.Patience));
    }

    private static async Task<T> NextAsync<T>(IAsyncEnumerator<GroupEvent> events)
        where T : GroupEvent
    {
        Assert.True(await events.MoveNextAsync().AsTask().WaitAsync(NodeRig.Patience));
        return Assert.IsType<T>(events.Current);
    }
}
