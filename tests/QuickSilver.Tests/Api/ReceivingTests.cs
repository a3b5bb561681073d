using System.Collections.Concurrent;

namespace QuickSilver.Tests.Api;

[Collection(NodeCollection.Name)]
public sealed class ReceivingTests
{
    [Fact]
    public async Task A_slow_reader_ends_its_own_handle_only_after_what_is_stored()
    {
        await using var rig = new NodeRig();
        (Group left, Group slow) = await rig.StartPairAsync(right: new GroupOptions { InboxMaxMessages = 100 });
        Group other = await slow.Node.JoinAsync("group");
        var ended = new TaskCompletionSource<GroupEnded>();
        slow.Node.Events += (_, happened) =>
        {
            if (happened is GroupEnded end) ended.TrySetResult(end);
        };
        Task<List<string>> reading = NodeRig.ReadAsync(other, 1_000);
        await left.SendAsync("0");
        Assert.Equal(["0"], await NodeRig.ReadAsync(slow, 1));
        for (int index = 1; index < 1_000; index++) await left.SendAsync($"{index}");

        SlowConsumerException reason = await Assert.ThrowsAsync<SlowConsumerException>(
            async () => await slow.Completion.WaitAsync(NodeRig.Patience));
        Assert.Equal("group", reason.GroupName);
        Assert.Equal(100, reason.Backlog);
        Assert.Equal(0, reason.LeasedBytes);
        Assert.NotEqual("", reason.Diagnostics);
        Assert.Same(reason, (await ended.Task.WaitAsync(NodeRig.Patience)).Reason);

        var read = new List<string>();
        SlowConsumerException thrown = await Assert.ThrowsAsync<SlowConsumerException>(async () =>
        {
            await foreach (Message message in slow.ReadAllAsync()) read.Add(message.GetString());
        });
        Assert.Same(reason, thrown);
        Assert.Equal(Enumerable.Range(1, 100).Select(static index => $"{index}"), read);
        Assert.Equal(SendStatus.NotMember, slow.TrySend("late"));
        await Assert.ThrowsAsync<SlowConsumerException>(async () => await slow.SendAsync("late"));

        Assert.Equal(1_000, (await reading).Count);
        await NodeRig.UntilAsync(() => slow.Node.GetStatistics().SlowConsumers == 1, "it is counted");
        Assert.Equal(NodeState.Running, slow.Node.State);
        await slow.DisposeAsync();
    }

    [Fact]
    public async Task Leases_that_nobody_ends_are_named_as_what_filled_the_inbox()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(right: new GroupOptions { InboxMaxBytes = 10_000 });
        var kept = new ConcurrentQueue<MessageLease>();
        Task<SlowConsumerException> reading = Assert.ThrowsAsync<SlowConsumerException>(async () =>
        {
            await foreach (MessageLease lease in right.ReadLeasedAsync()) kept.Enqueue(lease);
        });
        byte[] payload = new byte[1_000];
        for (int sent = 1; !right.Completion.IsCompleted; sent++)
        {
            await left.SendAsync(payload);
            await left.FlushAsync();
            // The inbox fills with leases and not with what is unread.
            int expected = sent;
            await NodeRig.UntilAsync(
                () => kept.Count == expected || right.Completion.IsCompleted, "the message is leased or refused");
        }

        SlowConsumerException reason = await reading.WaitAsync(NodeRig.Patience);
        Assert.InRange(reason.LeasedBytes, 5_001, 10_000);
        Assert.Contains(
            $"full of {reason.LeasedBytes} bytes in leases that have not been disposed of", reason.Message,
            StringComparison.Ordinal);
        foreach (MessageLease lease in kept) lease.Dispose();
    }

    [Fact]
    public async Task A_publisher_that_never_reads_is_not_failed_and_the_first_event_reader_is_told()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(left: new GroupOptions { InboxMaxMessages = 10 });
        for (int index = 0; index < 100; index++) await left.SendAsync($"{index}");
        await left.FlushAsync();
        Assert.Equal(100, (await NodeRig.ReadAsync(right, 100)).Count);
        var events = new List<GroupEvent>();
        await foreach (GroupEvent happened in left.ReadEventsAsync())
        {
            if (happened is not ViewChanged) events.Add(happened);
            if (events.Count == 11) break;
        }
        MessagesLost loss = Assert.IsType<MessagesLost>(events[0]);
        Assert.Equal(LossReason.Unread, loss.Reason);
        Assert.Equal(90UL, loss.Count);
        Assert.Equal(left.Node.Id, loss.Sender);
        Assert.Equal("90", Assert.IsType<MessageReceived>(events[1]).Message.GetString());
    }

    [Fact]
    public async Task Own_messages_come_unless_the_handle_does_not_want_them()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(left: new GroupOptions { SelfDelivery = false });
        await left.SendAsync("mine");
        await left.FlushAsync();
        await right.SendAsync("yours");
        Assert.Equal(["yours"], await NodeRig.ReadAsync(left, 1));
        Assert.Equal(["mine", "yours"], await NodeRig.ReadAsync(right, 2));
    }

    [Fact]
    public async Task Leases_show_the_bytes_in_place_and_outlive_the_node()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync();
        for (int index = 0; index < 200; index++) await left.SendAsync($"{index}");
        var leases = new List<MessageLease>();
        await foreach (MessageLease lease in right.ReadLeasedAsync())
        {
            leases.Add(lease);
            if (leases.Count == 200) break;
        }
        await NodeRig.UntilAsync(() => right.Node.GetStatistics().LeasesOutstanding == 200, "leases are counted");
        await right.Node.DisposeAsync();
        for (int index = 0; index < 200; index++)
        {
            Assert.Equal($"{index}", leases[index].GetString());
            Assert.Equal(left.Node.Name, leases[index].SenderName);
            Assert.Same(right, leases[index].Group);
            leases[index].Dispose();
        }
    }

    [Fact]
    public async Task Inline_handlers_see_every_message_in_order_of_registration_before_the_inbox()
    {
        var seen = new List<string>();
        await using var rig = new NodeRig();
        var options = new GroupOptions
        {
            OnMessage = (in MessageRef message) => seen.Add("first " + message.GetString())
        };
        (Group left, Group right) = await rig.StartPairAsync(right: options);
        IDisposable second = right.Subscribe(
            (in MessageRef message) => seen.Add("second " + message.ToMessage().GetString()));
        IAsyncEnumerator<Message> reader = right.ReadAllAsync().GetAsyncEnumerator();
        ValueTask<bool> moving = reader.MoveNextAsync();
        await left.SendAsync("1");
        Assert.True(await moving.AsTask().WaitAsync(NodeRig.Patience));
        Assert.Equal(["first 1", "second 1"], seen);
        second.Dispose();
        second.Dispose();
        await left.SendAsync("2");
        Assert.True(await reader.MoveNextAsync().AsTask().WaitAsync(NodeRig.Patience));
        Assert.Equal(["first 1", "second 1", "first 2"], seen);
        await reader.DisposeAsync();
    }

    [Fact]
    public async Task The_first_consumer_gets_what_was_held_when_it_is_inline()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync();
        for (int index = 0; index < 50; index++) await left.SendAsync($"{index}");
        await left.FlushAsync();
        var seen = new ConcurrentQueue<string>();
        using IDisposable registration = right.Subscribe((in MessageRef message) => seen.Enqueue(message.GetString()));
        await left.SendAsync("50");
        await NodeRig.UntilAsync(() => seen.Count == 51, "all are seen");
        Assert.Equal(Enumerable.Range(0, 51).Select(static index => $"{index}"), seen);
        await NodeRig.UntilAsync(
            async () => (await right.Node.GetTopGroupsAsync(1))[0].InboxMessages == 0, "nothing is stored");
    }

    [Fact]
    public async Task A_disposed_registration_is_not_called_again()
    {
        await using var rig = new NodeRig();
        int calls = 0;
        (Group left, Group right) = await rig.StartPairAsync();
        IDisposable registration = right.Subscribe((in MessageRef _) => Interlocked.Increment(ref calls));
        Task sending = Task.Run(async () =>
        {
            for (int index = 0; index < 20_000; index++) await left.SendAsync("x");
        });
        await NodeRig.UntilAsync(() => Volatile.Read(ref calls) > 100, "it is called");
        registration.Dispose();
        int after = Volatile.Read(ref calls);
        await sending;
        await left.FlushAsync();
        Assert.Equal(after, Volatile.Read(ref calls));
    }

    [Fact]
    public async Task The_dispose_of_a_registration_waits_for_a_running_call_even_when_the_node_has_given_it_up()
    {
        using var hang = new ManualResetEventSlim();
        using var entered = new ManualResetEventSlim();
        bool hasReturned = false;
        bool hadReturned = false;
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync(static options =>
        {
            options.Shutdown.DrainTimeout = TimeSpan.FromMilliseconds(200);
            options.Shutdown.Timeout = TimeSpan.FromMilliseconds(600);
        });
        Group group = await node.JoinAsync("group");
        IDisposable registration = group.Subscribe((in MessageRef _) =>
        {
            entered.Set();
#pragma warning disable QS0001 // It blocks on purpose.
            hang.Wait();
#pragma warning restore QS0001
            Volatile.Write(ref hasReturned, true);
        });
        await group.SendAsync("x");
        Assert.True(entered.Wait(NodeRig.Patience));
        await node.DisposeAsync().AsTask().WaitAsync(NodeRig.Patience);
        var disposing = new Thread(() =>
        {
            registration.Dispose();
            hadReturned = Volatile.Read(ref hasReturned);
        })
        { IsBackground = true };
        disposing.Start();
        await NodeRig.UntilAsync(
            () => !disposing.IsAlive || (disposing.ThreadState & ThreadState.WaitSleepJoin) != 0,
            "the dispose waits, or has come back");
        hang.Set();
        Assert.True(disposing.Join(NodeRig.Patience));
        Assert.True(hadReturned, "the dispose came back while the handler was running");
    }

    [Theory]
    [InlineData(HandlerErrorPolicy.Continue)]
    [InlineData(HandlerErrorPolicy.LeaveGroup)]
    [InlineData(HandlerErrorPolicy.StopNode)]
    public async Task A_handler_that_throws_disturbs_no_other_group_and_its_policy_holds(HandlerErrorPolicy policy)
    {
        await using var rig = new NodeRig();
        int calls = 0;
        var throwing = new GroupOptions
        {
            HandlerErrors = policy,
            OnMessage = (in MessageRef _) =>
            {
                calls++;
                throw new InvalidOperationException("the handler's own");
            },
        };
        (Group left, Group right) = await rig.StartPairAsync(right: throwing);
        Group otherLeft = await left.Node.JoinAsync("other");
        Group otherRight = await right.Node.JoinAsync("other");
        await otherLeft.WaitForMembersAsync(2);
        for (int index = 0; index < 10; index++) await left.SendAsync("x");
        if (policy == HandlerErrorPolicy.StopNode)
        {
            QuickSilverException stopped = await Assert.ThrowsAsync<QuickSilverException>(
                async () => await right.Node.Completion.WaitAsync(NodeRig.Patience));
            Assert.Equal(ErrorCode.HandlerFailed, stopped.Code);
            Assert.Equal(NodeState.Stopped, right.Node.State);
            Assert.Equal(
                ErrorCode.HandlerFailed,
                (await Assert.ThrowsAsync<QuickSilverException>(async () => await otherRight.Completion)).Code);
            return;
        }
        await otherLeft.SendAsync("fine");
        Assert.Equal(["fine"], await NodeRig.ReadAsync(otherRight, 1));
        if (policy == HandlerErrorPolicy.LeaveGroup)
        {
            QuickSilverException ended = await Assert.ThrowsAsync<QuickSilverException>(
                async () => await right.Completion.WaitAsync(NodeRig.Patience));
            Assert.Equal(ErrorCode.HandlerFailed, ended.Code);
            Assert.IsType<InvalidOperationException>(ended.InnerException);
            await NodeRig.UntilAsync(() => left.View.MemberCount == 1, "the node has left");
        }
        else
        {
            await NodeRig.UntilAsync(() => right.Node.GetStatistics().HandlerErrors == 10, "each is counted");
            Assert.Equal(10, calls);
        }
    }

    [Fact]
    public async Task An_inline_handler_may_try_to_send_and_is_refused_where_it_would_wait()
    {
        await using var rig = new NodeRig();
        Exception? refused = null;
        var echo = new GroupOptions
        {
            SelfDelivery = false,
            OnMessage = (in MessageRef message) =>
            {
                Group group = message.Group!;
                if (message.GetString() == "ping")
                {
                    Assert.Equal(SendStatus.Accepted, group.TrySend("pong"));
                    return;
                }
                byte[] filler = new byte[100_000];
                while (group.TrySend(filler) == SendStatus.Accepted)
                {
                }
                refused = Record.Exception(() => { _ = group.SendAsync(filler); });
            },
        };
        (Group left, Group right) = await rig.StartPairAsync(right: echo);
        await left.SendAsync("ping");
        Assert.Equal(["ping", "pong"], await NodeRig.ReadAsync(left, 2));
        await left.SendAsync("fill");
        await NodeRig.UntilAsync(() => refused is not null, "the send is refused");
        Assert.IsType<InvalidOperationException>(refused);
    }

    [Fact]
    public async Task One_handle_has_one_reader_at_a_time()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        Group group = await node.JoinAsync("group");
        using var source = new CancellationTokenSource();
        IAsyncEnumerator<Message> first = group.ReadAllAsync(source.Token).GetAsyncEnumerator();
        Task<bool> waiting = first.MoveNextAsync().AsTask();
        await Assert.ThrowsAsync<InvalidOperationException>(
            async () => await group.ReadEventsAsync().GetAsyncEnumerator().MoveNextAsync());
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await waiting);
        await first.DisposeAsync();
        await group.SendAsync("now mine");
        Assert.Equal(["now mine"], await NodeRig.ReadAsync(group, 1));
    }
}
