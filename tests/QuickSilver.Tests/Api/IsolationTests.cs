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
        IReadOnlyList<Group> sending = await publisher.JoinManyAsync(
            names, new GroupOptions { BufferBeforeFirstRead = false });
        Group stopped = await troubled.JoinAsync("stopped", new GroupOptions { InboxMaxMessages = 1_000 });
        await troubled.JoinAsync(
            "throwing",
            new GroupOptions { OnMessage = static (in MessageRef _) => throw new InvalidOperationException("always") });
        Group healthy = await troubled.JoinAsync("healthy");
        IReadOnlyList<Group> watching = await bystander.JoinManyAsync(names);
        foreach (Group group in sending) await group.WaitForMembersAsync(3);

        IAsyncEnumerator<Message> stalled = stopped.ReadAllAsync().GetAsyncEnumerator();
        await sending[0].SendAsync("0");
        Assert.True(await stalled.MoveNextAsync());
        Task<List<string>>[] readers = [
            NodeRig.ReadAsync(healthy, Count), .. watching.Select(static group => NodeRig.ReadAsync(group, Count))];
        for (int index = 0; index < Count; index++)
        {
            for (int group = index == 0 ? 1 : 0; group < names.Length; group++)
                await sending[group].SendAsync($"{index}");
        }
        await publisher.FlushAsync().WaitAsync(NodeRig.Patience);

        string[] expected = [.. Enumerable.Range(0, Count).Select(static index => $"{index}")];
        foreach (Task<List<string>> reader in readers) Assert.Equal(expected, await reader);
        await Assert.ThrowsAsync<SlowConsumerException>(
            async () => await stopped.Completion.WaitAsync(NodeRig.Patience));
        await NodeRig.UntilAsync(() => troubled.GetStatistics().HandlerErrors == Count, "each exception is counted");
        foreach (QuickSilverNode node in new[] { publisher, troubled, bystander })
            Assert.Equal(NodeState.Running, node.State);
        await stalled.DisposeAsync();
    }

    [Fact]
    public async Task A_handler_that_hangs_stops_its_own_node_and_nobody_else()
    {
        using var hang = new ManualResetEventSlim();
        await using var rig = new NodeRig();
        await rig.StartAsync(Trouble.Patient);
        QuickSilverNode publisher = await rig.StartAsync(Quick);
        QuickSilverNode troubled = await rig.StartAsync(Quick);
        QuickSilverNode bystander = await rig.StartAsync(Quick);
        Group hanging = await troubled.JoinAsync(
#pragma warning disable QS0001 // It blocks on purpose.
            "shared", new GroupOptions { OnMessage = (in MessageRef _) => hang.Wait() });
#pragma warning restore QS0001
        Group sending = await publisher.JoinAsync("shared", new GroupOptions { BufferBeforeFirstRead = false });
        Group apart = await publisher.JoinAsync("apart", new GroupOptions { BufferBeforeFirstRead = false });
        Group watching = await bystander.JoinAsync("shared");
        Group watchingApart = await bystander.JoinAsync("apart");
        await sending.WaitForMembersAsync(3).WaitAsync(NodeRig.Patience);
        await apart.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        for (int index = 0; index < Count / 4; index++)
        {
            await sending.SendAsync($"{index}").AsTask().WaitAsync(NodeRig.Patience);
            await apart.SendAsync($"{index}").AsTask().WaitAsync(NodeRig.Patience);
        }
        string[] expected = [.. Enumerable.Range(0, Count / 4).Select(static index => $"{index}")];
        Assert.Equal(expected, await NodeRig.ReadAsync(watching, Count / 4));
        Assert.Equal(expected, await NodeRig.ReadAsync(watchingApart, Count / 4));
        Assert.Equal(
            2, (await apart.SendConfirmedAsync("a group without it is confirmed")
                .WaitAsync(NodeRig.Patience)).Confirmed);
        Assert.Equal(3, sending.View.MemberCount);

        Task late = Assert.ThrowsAsync<ObjectDisposedException>(
            async () => await hanging.SendConfirmedAsync("from the node that hangs"));
        await troubled.DisposeAsync().AsTask().WaitAsync(NodeRig.Patience);
        await late.WaitAsync(NodeRig.Patience);
        hang.Set();
        await sending.FlushAsync().WaitAsync(NodeRig.Patience);

        static void Quick(QuickSilverOptions options)
        {
            Trouble.Patient(options);
            options.Shutdown.DrainTimeout = TimeSpan.FromMilliseconds(300);
            options.Shutdown.Timeout = TimeSpan.FromSeconds(1);
        }
    }

    [Theory]
    [InlineData(OverflowPolicy.DropOldest)]
    [InlineData(OverflowPolicy.DropNewest)]
    public async Task A_stopped_reader_of_a_dropping_inbox_costs_messages_only_and_is_told(OverflowPolicy policy)
    {
        await using var rig = new NodeRig();
        var options = new GroupOptions { InboxMaxMessages = 100, Overflow = policy };
        (Group left, Group right) = await rig.StartPairAsync(
            left: new GroupOptions { BufferBeforeFirstRead = false }, right: options);
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
            if (happened is MessagesLost loss)
            {
                Assert.Equal(next, loss.First);
                Assert.Equal(LossReason.Overflow, loss.Reason);
                lost += loss.Count;
                next += loss.Count;
            }
            if (happened is not MessageReceived { Message: var message }) continue;
            Assert.Equal(next++, message.Sequence);
            if (message.GetString() == "end") break;
            if (!isEnding) await left.SendAsync("end");
            isEnding = true;
        }
        Assert.Equal(900UL, lost);
        Assert.False(right.Completion.IsCompleted);
    }

    [Fact]
    public async Task A_stopped_reader_that_keeps_the_latest_by_key_gets_the_newest_and_learns_what_it_replaced()
    {
        await using var rig = new NodeRig();
        var options = new GroupOptions
        {
            Overflow = OverflowPolicy.DropOldest,
            Key = static (in MessageRef message) => message.Payload[0]
        };
        (Group left, Group right) = await rig.StartPairAsync(
            left: new GroupOptions { BufferBeforeFirstRead = false }, right: options);
        var reports = new System.Collections.Concurrent.ConcurrentQueue<LossReported>();
        right.Node.Events += (_, happened) =>
        {
            if (happened is LossReported report) reports.Enqueue(report);
        };
        for (int index = 0; index < 1_000; index++) await left.SendAsync($"{(char)('a' + (index % 5))}{index}");
        await left.FlushAsync();
        await NodeRig.UntilAsync(() => right.Node.GetStatistics().MessagesDropped == 995, "995 are replaced");
        Assert.Equal(5, right.Node.GetStatistics().InboxMessages);

        var events = new List<GroupEvent>();
        await foreach (GroupEvent happened in right.ReadEventsAsync())
        {
            if (happened is not ViewChanged) events.Add(happened);
            if (events.Count == 6) break;
        }
        MessagesLost loss = Assert.IsType<MessagesLost>(events[0]);
        Assert.Equal((1UL, 995UL, LossReason.Superseded), (loss.First, loss.Count, loss.Reason));
        Assert.Equal(
            ["a995", "b996", "c997", "d998", "e999"],
            events.Skip(1).Select(static happened => ((MessageReceived)happened).Message.GetString()));
        await NodeRig.UntilAsync(() => !reports.IsEmpty, "it is reported");
        Assert.Equal(LossReason.Superseded, Assert.Single(reports).Reason);
    }

    [Theory]
    [InlineData(HandlerErrorPolicy.Continue)]
    [InlineData(HandlerErrorPolicy.LeaveGroup)]
    [InlineData(HandlerErrorPolicy.StopNode)]
    public async Task A_key_selector_that_throws_is_counted_and_its_policy_holds(HandlerErrorPolicy policy)
    {
        await using var rig = new NodeRig();
        var options = new GroupOptions
        {
            Overflow = OverflowPolicy.DropOldest,
            HandlerErrors = policy,
            Key = static (in MessageRef message) => message.Payload[0] == 'x'
                ? throw new InvalidOperationException("no key") : message.Payload[0],
        };
        (Group left, Group right) = await rig.StartPairAsync(
            left: new GroupOptions { BufferBeforeFirstRead = false }, right: options);
        Group bystander = await right.Node.JoinAsync("bystander");
        foreach (string text in new[] { "a1", "x1", "x2", "a2" }) await left.SendAsync(text);
        await NodeRig.UntilAsync(() => right.Node.GetStatistics().HandlerErrors >= 1, "it is counted");
        switch (policy)
        {
            case HandlerErrorPolicy.Continue:
                await left.FlushAsync();
                await NodeRig.UntilAsync(() => right.Node.GetStatistics().HandlerErrors == 2, "both are counted");
                Assert.Equal(["x1", "x2", "a2"], await NodeRig.ReadAsync(right, 3));
                break;
            case HandlerErrorPolicy.LeaveGroup:
                QuickSilverException left1 =
                    await Assert.ThrowsAsync<QuickSilverException>(
                        async () => await right.Completion.WaitAsync(NodeRig.Patience));
                Assert.Equal(ErrorCode.HandlerFailed, left1.Code);
                await bystander.SendConfirmedAsync("still here");
                break;
            default:
                QuickSilverException stopped = await Assert.ThrowsAsync<QuickSilverException>(
                    async () => await right.Node.Completion.WaitAsync(NodeRig.Patience));
                Assert.Equal(ErrorCode.HandlerFailed, stopped.Code);
                break;
        }
    }

    [Fact]
    public async Task The_error_that_stops_a_node_is_in_its_last_figures_though_others_read_them_all_the_time()
    {
        await using var rig = new NodeRig();
        for (int round = 0; round < 10; round++)
        {
            QuickSilverNode node = await rig.StartAsync();
            Group group = await node.JoinAsync("group", new GroupOptions
            {
                HandlerErrors = HandlerErrorPolicy.StopNode,
                OnMessage = static (in MessageRef _) => throw new InvalidOperationException("broken"),
            });
            Task[] readers = [.. Enumerable.Range(0, 2).Select(_ => Task.Run(() =>
            {
                while (!node.Completion.IsCompleted) node.GetStatistics();
            }))];
            await group.SendAsync("anything");
            await Assert.ThrowsAsync<QuickSilverException>(
                async () => await node.Completion.WaitAsync(NodeRig.Patience));
            await Task.WhenAll(readers);
            Assert.Equal(1, node.GetStatistics().HandlerErrors);
        }
    }

    [Fact]
    public async Task Slow_key_selectors_and_feeds_are_reported_as_stalls_with_their_group()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        var stalls = new System.Collections.Concurrent.ConcurrentQueue<CoreStalled>();
        node.Events += (_, happened) =>
        {
            if (happened is CoreStalled stall) stalls.Enqueue(stall);
        };
        Group keyed = await node.JoinAsync("keyed", new GroupOptions
        {
            Overflow = OverflowPolicy.DropOldest,
            Key = static (in MessageRef _) =>
            {
                Thread.Sleep(60);
                return 1;
            },
        });
        await UntilReportedAsync(LoopPhase.KeySelector, "keyed", async () => await keyed.SendConfirmedAsync("x"));
        await keyed.LeaveAsync();

        Group fed = await node.JoinAsync("fed", new GroupOptions { BufferBeforeFirstRead = false });
        FeedRegistration feed = fed.RegisterFeed(new SlowFeed());
        await UntilReportedAsync(LoopPhase.Feed, "fed", () =>
        {
            feed.Signal();
            return Task.CompletedTask;
        });
        await NodeRig.UntilAsync(() => node.GetStatistics().Stalls >= 2, "both are counted");

        async Task UntilReportedAsync(LoopPhase phase, string group, Func<Task> cause)
        {
            for (int round = 0; !stalls.Any(stall => stall.Phase == phase && stall.GroupName == group); round++)
            {
                Assert.True(round < 100, $"no stall was reported for {phase}");
                await cause();
                await Task.Delay(50);
            }
        }
    }

    private sealed class SlowFeed : IMessageFeed
    {
        public bool TryWriteNext(System.Buffers.IBufferWriter<byte> message)
        {
#pragma warning disable QS0001 // It blocks on purpose.
            Thread.Sleep(60);
#pragma warning restore QS0001
            return false;
        }
    }
}
