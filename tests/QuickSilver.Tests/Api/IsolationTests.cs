namespace QuickSilver.Tests.Api;

/// <summary>A reader that stops and a handler that throws are their own groups' trouble, and nobody else's.</summary>
[Collection(NodeCollection.Name)]
public sealed class IsolationTests
{
    private const int Count = 20_000;

    [Fact]
    public async Task A_stopped_reader_and_a_throwing_handler_disturb_no_other_group_or_node()
    {
        await using var rig = new NodeRig();
        QuickSilverNode publisher = await rig.StartAsync();
        QuickSilverNode troubled = await rig.StartAsync();
        QuickSilverNode bystander = await rig.StartAsync();
        string[] names = ["stopped", "throwing", "healthy"];
        IReadOnlyList<Group> sending = await publisher.JoinManyAsync(names, new GroupOptions { HoldUntilRead = false });
        Group stopped = await troubled.JoinAsync("stopped", new GroupOptions { InboxCapacity = 1_000 });
        await troubled.JoinAsync(
            "throwing", new GroupOptions { OnMessage = static (in MessageView _) => throw new InvalidOperationException("always") });
        Group healthy = await troubled.JoinAsync("healthy");
        IReadOnlyList<Group> watching = await bystander.JoinManyAsync(names);
        foreach (Group group in sending) await group.WaitForMembersAsync(3);

        IAsyncEnumerator<Message> stalled = stopped.ReadAllAsync().GetAsyncEnumerator();
        await sending[0].SendAsync("0");
        Assert.True(await stalled.MoveNextAsync());
        Task<List<string>>[] readers = [NodeRig.ReadAsync(healthy, Count), .. watching.Select(static group => NodeRig.ReadAsync(group, Count))];
        for (int index = 0; index < Count; index++)
        {
            for (int group = index == 0 ? 1 : 0; group < names.Length; group++) await sending[group].SendAsync($"{index}");
        }
        await publisher.FlushAsync().AsTask().WaitAsync(NodeRig.Patience);

        string[] expected = [.. Enumerable.Range(0, Count).Select(static index => $"{index}")];
        foreach (Task<List<string>> reader in readers) Assert.Equal(expected, await reader);
        await Assert.ThrowsAsync<SlowConsumerException>(async () => await stopped.Completion.WaitAsync(NodeRig.Patience));
        await NodeRig.UntilAsync(() => troubled.GetStatistics().HandlerErrors == Count, "each exception is counted");
        Assert.Equal(0, publisher.GetStatistics().BackpressureEpisodes);
        foreach (QuickSilverNode node in new[] { publisher, troubled, bystander }) Assert.Equal(NodeState.Running, node.State);
        await stalled.DisposeAsync();
    }

    [Theory]
    [InlineData(OverflowPolicy.DropOldest)]
    [InlineData(OverflowPolicy.DropNewest)]
    public async Task A_stopped_reader_of_a_dropping_inbox_costs_messages_only_and_is_told(OverflowPolicy policy)
    {
        await using var rig = new NodeRig();
        var options = new GroupOptions { InboxCapacity = 100, Overflow = policy };
        (Group left, Group right) = await rig.StartPairAsync(left: new GroupOptions { HoldUntilRead = false }, right: options);
        await left.SendAsync("0");
        Assert.Equal(["0"], await NodeRig.ReadAsync(right, 1));
        for (int index = 1; index <= 1_000; index++) await left.SendAsync($"{index}");
        await left.FlushAsync();
        await NodeRig.UntilAsync(() => right.Node.GetStatistics().MessagesDropped == 900, "900 are dropped");

        ulong next = 2;
        ulong lost = 0;
        bool isEnding = false;
        await foreach (GroupEvent happened in right.ReadEventsAsync())
        {
            if (happened is LossEvent loss)
            {
                Assert.Equal(next, loss.First);
                Assert.Equal(LossReason.Overflow, loss.Reason);
                lost += loss.Count;
                next += loss.Count;
            }
            if (happened is not MessageEvent { Message: var message }) continue;
            Assert.Equal(next++, message.Sequence);
            if (message.GetString() == "end") break;
            if (!isEnding) await left.SendAsync("end");
            isEnding = true;
        }
        Assert.Equal(900UL, lost);
        Assert.False(right.Completion.IsCompleted);
    }
}
