using System.Runtime.CompilerServices;

namespace QuickSilver.Tests.Api;

/// <summary>One inbox over many groups, as applications see it.</summary>
[Collection(NodeCollection.Name)]
public sealed class SharedInboxTests
{
    [Fact]
    public async Task One_reader_gets_the_messages_of_all_groups_in_the_order_of_each()
    {
        const int groups = 200, rounds = 20;
        await using var rig = new NodeRig();
        QuickSilverNode sender = await rig.StartAsync(InMemory);
        QuickSilverNode receiver = await rig.StartAsync(InMemory);
        await using Inbox inbox = receiver.CreateInbox();
        string[] names = [.. Enumerable.Range(0, groups).Select(static index => $"g{index}")];
        IReadOnlyList<Group> reading = await receiver.JoinManyAsync(names, new GroupOptions { Inbox = inbox });
        IReadOnlyList<Group> sending = await sender.JoinManyAsync(names, new GroupOptions { SelfDelivery = false });
        for (int round = 0; round < rounds; round++)
        {
            foreach (Group group in sending) await group.SendAsync($"{round}");
        }
        var next = new Dictionary<Group, int>();
        foreach (Message message in await ReadAsync(inbox, groups * rounds))
        {
            int round = next.GetValueOrDefault(message.Group!);
            Assert.Equal($"{round}", message.GetString());
            Assert.Equal(message.Group!.Name, message.GroupName);
            next[message.Group!] = round + 1;
        }
        Assert.Equal(reading.ToHashSet(), next.Keys.ToHashSet());
        Assert.All(next.Values, static told => Assert.Equal(rounds, told));
        await NodeRig.UntilAsync(() => inbox is { UnreadMessages: 0, UnreadBytes: 0 }, "nothing is unread");
        NodeStatistics figures = await receiver.GetStatisticsAsync();
        Assert.Equal(groups * rounds, figures.MessagesRead);
    }

    [Fact]
    public async Task An_event_reader_follows_groups_that_come_and_go_while_it_reads()
    {
        await using var rig = new NodeRig();
        QuickSilverNode left = await rig.StartAsync(InMemory);
        QuickSilverNode right = await rig.StartAsync(InMemory);
        await using Inbox inbox = right.CreateInbox();
        var options = new GroupOptions { Inbox = inbox };
        Group before = await right.JoinAsync("before", options);
        await using IAsyncEnumerator<GroupEvent> events = Events(inbox);
        Assert.Equal(before.View, (await NextAsync<ViewChanged>(events, before)).After);

        Group later = await right.JoinAsync("later", options);
        ViewChanged first = await NextAsync<ViewChanged>(events, later);
        Assert.Null(first.Before);
        Assert.Equal(1, first.After.MemberCount);
        await using Group sending = await left.JoinAsync("later");
        ViewChanged second = await NextAsync<ViewChanged>(events, later);
        Assert.Equal(first.After, second.Before);
        Assert.Equal(2, second.After.MemberCount);

        await sending.SendConfirmedAsync("1");
        await later.LeaveAsync();
        Assert.Equal("1", (await NextAsync<MessageReceived>(events, later)).Message.GetString());
        Assert.Null((await NextAsync<GroupCompleted>(events, later)).Reason);
        await left.JoinAsync("before");
        Assert.Equal(2, (await NextAsync<ViewChanged>(events, before)).After.MemberCount);
    }

    [Fact]
    public async Task A_slow_group_ends_alone_and_its_reason_comes_behind_what_is_stored()
    {
        await using var rig = new NodeRig();
        QuickSilverNode left = await rig.StartAsync(InMemory);
        QuickSilverNode right = await rig.StartAsync(InMemory);
        await using Inbox inbox = right.CreateInbox();
        await using IAsyncEnumerator<GroupEvent> events = Events(inbox);
        Group slow = await right.JoinAsync("slow", new GroupOptions { Inbox = inbox, InboxMaxMessages = 2 });
        Group other = await right.JoinAsync("other", new GroupOptions { Inbox = inbox });
        await NextAsync<ViewChanged>(events, slow);
        await NextAsync<ViewChanged>(events, other);
        await using Group toSlow = await left.JoinAsync("slow");
        await using Group toOther = await left.JoinAsync("other");
        await NextAsync<ViewChanged>(events, slow);
        await NextAsync<ViewChanged>(events, other);
        for (int index = 0; index < 3; index++) await toSlow.SendAsync($"{index}");
        SlowConsumerException reason = await Assert.ThrowsAsync<SlowConsumerException>(
            () => slow.Completion.WaitAsync(NodeRig.Patience));
        Assert.Equal(("slow", 2L), (reason.GroupName, reason.Backlog));
        await toOther.SendAsync("goes on");

        Assert.Equal("0", (await NextAsync<MessageReceived>(events, slow)).Message.GetString());
        Assert.Equal("1", (await NextAsync<MessageReceived>(events, slow)).Message.GetString());
        Assert.Same(reason, (await NextAsync<GroupCompleted>(events, slow)).Reason);
        Assert.Equal("goes on", (await NextAsync<MessageReceived>(events, other)).Message.GetString());
        Assert.False(inbox.Completion.IsCompleted);
    }

    [Fact]
    public async Task A_full_shared_inbox_is_named_in_the_reason()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync(InMemory);
        await using Inbox inbox = node.CreateInbox(new InboxOptions { MaxMessages = 4, MaxBytes = 1_000 });
        Group[] groups = [.. await node.JoinManyAsync(["a", "b"], new GroupOptions { Inbox = inbox })];
        await using (IAsyncEnumerator<Message> reader = inbox.ReadAllAsync().GetAsyncEnumerator())
        {
            ValueTask<bool> next = reader.MoveNextAsync();
            await groups[0].SendAsync("read");
            Assert.True(await next.AsTask().WaitAsync(NodeRig.Patience));
        }
        for (int index = 0; index < 4; index++) await groups[0].SendAsync("unread");
        await groups[1].SendAsync("too much");
        SlowConsumerException reason = await Assert.ThrowsAsync<SlowConsumerException>(
            () => groups[1].Completion.WaitAsync(NodeRig.Patience));
        Assert.Equal(4, reason.Backlog);
        Assert.Contains("shared inbox", reason.Message, StringComparison.Ordinal);
        Assert.False(groups[0].Completion.IsCompleted);
        Assert.Equal(4, (await ReadAsync(inbox, 4)).Count);
    }

    [Fact]
    public async Task A_dispose_leaves_the_groups_and_ends_the_reader_after_what_it_has()
    {
        await using var rig = new NodeRig();
        QuickSilverNode left = await rig.StartAsync(InMemory);
        QuickSilverNode right = await rig.StartAsync(InMemory);
        Inbox inbox = right.CreateInbox();
        IReadOnlyList<Group> groups = await right.JoinManyAsync(["a", "b"], new GroupOptions { Inbox = inbox });
        await using Group own = await right.JoinAsync("own");
        await using Group sending = await left.JoinAsync("a", new GroupOptions { SelfDelivery = false });
        await sending.SendConfirmedAsync("1");
        Task<List<Message>> reading = ReadAsync(inbox, int.MaxValue);
        await NodeRig.UntilAsync(() => inbox.UnreadMessages == 0, "the message is read");

        await inbox.DisposeAsync();
        await inbox.DisposeAsync();
        Assert.Equal("1", Assert.Single(await reading.WaitAsync(NodeRig.Patience)).GetString());
        Assert.True(inbox.Completion.IsCompletedSuccessfully);
        Assert.All(groups, static group => Assert.True(group.Completion.IsCompletedSuccessfully));
        Assert.False(own.Completion.IsCompleted);
        await NodeRig.UntilAsync(() => sending.View.MemberCount == 1, "the group was left");
        Assert.Throws<ObjectDisposedException>(() => inbox.ReadAllAsync());
        Assert.Throws<ObjectDisposedException>(() => inbox.ReadEventsAsync());
        await Assert.ThrowsAsync<ObjectDisposedException>(
            () => right.JoinAsync("late", new GroupOptions { Inbox = inbox }));
        await own.SendAsync("goes on");
        Assert.Equal("goes on", Assert.Single(await NodeRig.ReadAsync(own, 1)));
    }

    [Fact]
    public async Task The_end_of_the_node_ends_reader_and_inbox()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync(InMemory);
        Inbox inbox = node.CreateInbox();
        Inbox unread = node.CreateInbox();
        await node.JoinManyAsync(["a", "b"], new GroupOptions { Inbox = inbox });
        Task<List<Message>> reading = ReadAsync(inbox, int.MaxValue);
        await node.DisposeAsync();
        Assert.Empty(await reading.WaitAsync(NodeRig.Patience));
        await inbox.Completion.WaitAsync(NodeRig.Patience);
        await unread.Completion.WaitAsync(NodeRig.Patience);
        Assert.Throws<ObjectDisposedException>(() => node.CreateInbox());
        await inbox.DisposeAsync();
    }

    [Fact]
    public async Task An_eviction_ends_the_inbox_with_its_reason_after_what_is_stored()
    {
        await using var rig = new NodeRig();
        await rig.StartAsync(Trouble.Quick);
        QuickSilverNode node = await rig.StartAsync(Trouble.Quick);
        Inbox inbox = node.CreateInbox();
        IAsyncEnumerable<GroupEvent> events = inbox.ReadEventsAsync();
        Group group = await node.JoinAsync("a", new GroupOptions { Inbox = inbox });
        await group.SendConfirmedAsync("1");
        Trouble.Expel(node);
        await Assert.ThrowsAsync<NodeEvictedException>(() => inbox.Completion.WaitAsync(NodeRig.Patience));
        var told = new List<Type>();
        using var limit = new CancellationTokenSource(NodeRig.Patience);
        await Assert.ThrowsAsync<NodeEvictedException>(async () =>
        {
            await foreach (GroupEvent happened in events.WithCancellation(limit.Token)) told.Add(happened.GetType());
        });
        Assert.Equal([typeof(ViewChanged), typeof(MessageReceived), typeof(GroupCompleted)], told);
        await Assert.ThrowsAsync<NodeEvictedException>(
            () => node.JoinAsync("a", new GroupOptions { Inbox = inbox }));
    }

    [Fact]
    public async Task Handlers_run_beside_the_inbox_and_the_handle_itself_is_not_read()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync(InMemory);
        await using Inbox inbox = node.CreateInbox();
        int handled = 0;
        var options = new GroupOptions
        {
            Inbox = inbox,
            OnMessage = (in MessageRef _) => Interlocked.Increment(ref handled),
        };
        Group group = await node.JoinAsync("a", options);
        using IDisposable attached = group.Subscribe((in MessageRef _) => Interlocked.Increment(ref handled));
        await group.SendAsync("1");
        Assert.Equal("1", Assert.Single(await ReadAsync(inbox, 1)).GetString());
        Assert.Equal(2, Volatile.Read(ref handled));
        Assert.Throws<InvalidOperationException>(() => group.ReadAllAsync());
        Assert.Throws<InvalidOperationException>(() => group.ReadLeasedAsync());
        Assert.Throws<InvalidOperationException>(() => group.ReadEventsAsync());
    }

    [Fact]
    public async Task One_reader_at_a_time_and_the_next_goes_on_where_it_stopped()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync(InMemory);
        await using Inbox inbox = node.CreateInbox();
        Group group = await node.JoinAsync("a", new GroupOptions { Inbox = inbox });
        for (int index = 0; index < 100; index++) await group.SendAsync($"{index}");
        await foreach (Message message in inbox.ReadAllAsync())
        {
            Assert.Equal("0", message.GetString());
            await using IAsyncEnumerator<Message> second = inbox.ReadAllAsync().GetAsyncEnumerator();
            await Assert.ThrowsAsync<InvalidOperationException>(async () => await second.MoveNextAsync());
            break;
        }
        int next = 1;
        await foreach (MessageLease lease in inbox.ReadLeasedAsync())
        {
            using (lease)
            {
                Assert.Equal((group, "a", $"{next}"), (lease.Group, lease.GroupName, lease.ToMessage().GetString()));
            }
            if (++next == 100) break;
        }
        using var cancelled = new CancellationTokenSource();
        await cancelled.CancelAsync();
        await Assert.ThrowsAsync<OperationCanceledException>(async () =>
        {
            await foreach (Message _ in inbox.ReadAllAsync(cancelled.Token)) Assert.Fail("it was cancelled");
        });
    }

    [Fact]
    public async Task Mistakes_are_refused()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync(InMemory);
        QuickSilverNode other = await rig.StartAsync(InMemory);
        Assert.Throws<ArgumentException>(() => node.CreateInbox(new InboxOptions { MaxMessages = 0 }));
        Assert.Throws<ArgumentException>(() => node.CreateInbox(new InboxOptions { MaxBytes = 0 }));
        await using Inbox inbox = other.CreateInbox();
        ArgumentException foreign = await Assert.ThrowsAsync<ArgumentException>(
            () => node.JoinAsync("a", new GroupOptions { Inbox = inbox }));
        Assert.Contains("Inbox: belongs to another node", foreign.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Two_handles_on_one_group_share_an_inbox_and_each_gets_its_own_copy()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync(InMemory);
        await using Inbox inbox = node.CreateInbox();
        Group first = await node.JoinAsync("a", new GroupOptions { Inbox = inbox });
        Group second = await node.JoinAsync("a", new GroupOptions { Inbox = inbox, SelfDelivery = false });
        Group third = await node.JoinAsync("a", new GroupOptions { Inbox = inbox });
        await first.SendAsync("1");
        HashSet<Group> told = [.. (await ReadAsync(inbox, 2)).Select(static message => message.Group!)];
        Assert.Equal(new HashSet<Group> { first, third }, told);
        Assert.DoesNotContain(second, told);
    }

    [Fact]
    public async Task Groups_that_were_left_and_inboxes_that_were_disposed_of_are_let_go()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync(InMemory);
        await using Inbox inbox = node.CreateInbox();
        WeakReference group = await JoinReadLeaveAsync(node, inbox);
        await AssertGoneAsync(group, "the handle");
        (WeakReference gone, Group kept) = await DisposeAsync(node);
        await AssertGoneAsync(gone, "the inbox");
        GC.KeepAlive(kept);
    }

    [Fact]
    public async Task Idle_groups_of_a_shared_inbox_cost_no_more_than_groups_with_inboxes_to_come()
    {
        const int count = 4_000, slack = 64;
        long own = await CostAsync(count, isShared: false) / count;
        long shared = await CostAsync(count, isShared: true) / count;
        TestContext.Current.TestOutputHelper?.WriteLine($"{own} and {shared} bytes a group");
        Assert.True(shared < own + slack, $"{shared} bytes a group, with inboxes to come {own}");
    }

    private static void InMemory(QuickSilverOptions options) => options.Transport.Kind = TransportKind.InMemory;

    private static async Task<long> CostAsync(int count, bool isShared)
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync(InMemory);
        await using Inbox inbox = node.CreateInbox();
        Task<List<Message>> reading = ReadAsync(inbox, 1);
        var options = new GroupOptions { Inbox = isShared ? inbox : null };
        string[] names = [.. Enumerable.Range(0, count).Select(static index => $"group {index}")];
        long before = GC.GetTotalMemory(forceFullCollection: true);
        IReadOnlyList<Group> groups = await node.JoinManyAsync(names, options);
        long after = GC.GetTotalMemory(forceFullCollection: true);
        GC.KeepAlive(groups);
        Group last = await node.JoinAsync("last", new GroupOptions { Inbox = inbox });
        await last.SendAsync("1");
        Assert.Single(await reading);
        return after - before;
    }

    private static IAsyncEnumerator<GroupEvent> Events(Inbox inbox) =>
        inbox.ReadEventsAsync(new CancellationTokenSource(NodeRig.Patience).Token).GetAsyncEnumerator();

    private static async Task<T> NextAsync<T>(IAsyncEnumerator<GroupEvent> events, Group group)
        where T : GroupEvent
    {
        Assert.True(await events.MoveNextAsync());
        Assert.Same(group, events.Current.Group);
        return Assert.IsType<T>(events.Current);
    }

    private static async Task<List<Message>> ReadAsync(Inbox inbox, int count)
    {
        using var limit = new CancellationTokenSource(NodeRig.Patience);
        var read = new List<Message>();
        await foreach (Message message in inbox.ReadAllAsync(limit.Token))
        {
            read.Add(message);
            if (read.Count == count) break;
        }
        return read;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<WeakReference> JoinReadLeaveAsync(QuickSilverNode node, Inbox inbox)
    {
        Group group = await node.JoinAsync("left", new GroupOptions { Inbox = inbox });
        await using (IAsyncEnumerator<GroupEvent> events = Events(inbox))
        {
            await NextAsync<ViewChanged>(events, group);
            await group.SendAsync("1");
            await NextAsync<MessageReceived>(events, group);
            await group.LeaveAsync();
            await NextAsync<GroupCompleted>(events, group);
        }
        Group next = await node.JoinAsync("next", new GroupOptions { Inbox = inbox });
        await next.SendAsync("2");
        await ReadAsync(inbox, 1);
        return new WeakReference(group);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<(WeakReference Inbox, Group Kept)> DisposeAsync(QuickSilverNode node)
    {
        Inbox inbox = node.CreateInbox();
        Group group = await node.JoinAsync("kept", new GroupOptions { Inbox = inbox });
        await group.SendAsync("1");
        await ReadAsync(inbox, 1);
        await group.LeaveAsync();
        await inbox.DisposeAsync();
        return (new WeakReference(inbox), group);
    }

    private static async Task AssertGoneAsync(WeakReference reference, string what)
    {
        await NodeRig.UntilAsync(
            () =>
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                return !reference.IsAlive;
            },
            $"{what} is let go");
    }
}
