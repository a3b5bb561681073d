using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Net;
using System.Net.Sockets;
using QuickSilver.Tests.Diagnostics;

namespace QuickSilver.Tests.Api;

[Collection(NodeCollection.Name)]
public sealed class NodeLifeTests
{
    [Fact]
    public async Task A_node_without_a_membership_server_fails_to_start_and_says_why()
    {
        var options = new QuickSilverOptions();
        options.OnNetwork(MembershipMode.Client);
        options.Membership.Servers.Add("127.0.0.1:1");
        options.Membership.JoinTimeout = TimeSpan.FromSeconds(2);
        options.Transport.Interface = "127.0.0.1";
        MembershipUnavailableException thrown = await Assert.ThrowsAsync<MembershipUnavailableException>(
            () => QuickSilverNode.StartAsync(options));
        Assert.Equal(ErrorCode.MembershipUnreachable, thrown.Code);
        Assert.Contains("127.0.0.1:1", thrown.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_node_on_an_interface_that_is_not_there_fails_to_start()
    {
        var options = new QuickSilverOptions();
        options.Transport.Interface = "nowhere0";
        QuickSilverException thrown = await Assert.ThrowsAsync<QuickSilverException>(
            () => QuickSilverNode.StartAsync(options));
        Assert.Equal(ErrorCode.InterfaceUnavailable, thrown.Code);
    }

    [Fact]
    public async Task A_start_ends_when_it_is_cancelled()
    {
        using var source = new CancellationTokenSource();
        var options = new QuickSilverOptions();
        options.OnNetwork(MembershipMode.Client);
        options.Membership.Servers.Add("127.0.0.1:1");
        options.Transport.Interface = "127.0.0.1";
        Task<QuickSilverNode> starting = QuickSilverNode.StartAsync(options, source.Token);
        source.CancelAfter(100);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => starting.WaitAsync(NodeRig.Patience));
    }

    [Fact]
    public async Task Disposing_ends_readers_waiters_and_later_calls()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync();
        Task<List<string>> reading = NodeRig.ReadToEndAsync(right);
        Task<GroupView> waiting = right.WaitForMembersAsync(9);
        await left.SendAsync("before");
        await left.FlushAsync();
        await right.Node.DisposeAsync();
        Assert.Equal(["before"], await reading.WaitAsync(NodeRig.Patience));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await waiting.WaitAsync(NodeRig.Patience));
        await right.Completion;
        await right.Node.Completion;
        Assert.Equal(NodeState.Stopped, right.Node.State);
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await right.SendAsync("late"));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await right.Node.JoinAsync("late"));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await right.Node.FlushAsync());
        Assert.Empty(await right.Node.GetTopGroupsAsync(5));
        Assert.Equal(NodeState.Stopped, right.Node.GetStatistics().State);
        await right.Node.DisposeAsync();
        await right.DisposeAsync();
        await NodeRig.UntilAsync(() => left.View.MemberCount == 1, "the others know");
    }

    [Fact]
    public async Task What_was_sent_before_a_dispose_arrives()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(
            change: static options => options.Transport.FastPath = false);
        for (int index = 0; index < 20_000; index++) await left.SendAsync($"{index}");
        ValueTask disposing = left.Node.DisposeAsync();
        Assert.Equal(
            Enumerable.Range(0, 20_000).Select(static index => $"{index}"), await NodeRig.ReadAsync(right, 20_000));
        await disposing;
    }

    [Fact]
    public async Task A_hanging_handler_does_not_hold_a_dispose_up_beyond_its_timeout()
    {
        using var hang = new ManualResetEventSlim();
        using var entered = new ManualResetEventSlim();
        using var factory = new RecordingLoggerFactory();
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync(options =>
        {
            options.Shutdown.DrainTimeout = TimeSpan.FromMilliseconds(200);
            options.Shutdown.Timeout = TimeSpan.FromMilliseconds(600);
            options.UseLoggerFactory(factory);
        });
        Group group = await node.JoinAsync("group", new GroupOptions
        {
            OnMessage = (in MessageRef _) =>
            {
                entered.Set();
#pragma warning disable QS0001 // It blocks on purpose.
                hang.Wait();
#pragma warning restore QS0001
            },
        });
        var stalls = new System.Collections.Concurrent.ConcurrentQueue<CoreStalled>();
        node.Events += (_, happened) =>
        {
            // A turn of the start may have been slow too.
            if (happened is CoreStalled { Phase: LoopPhase.MessageHandler } stall) stalls.Enqueue(stall);
        };
        Task<List<string>> reading = NodeRig.ReadToEndAsync(group);
        await group.SendAsync("x");
        Assert.True(entered.Wait(NodeRig.Patience));
        await NodeRig.UntilAsync(() => !stalls.IsEmpty, "a handler that hangs is told of while it does");
        Assert.True(stalls.TryPeek(out CoreStalled? told));
        Assert.Equal((LoopPhase.MessageHandler, "group"), (told.Phase, told.GroupName));
        // Neither may wait for the core, which hangs.
        Assert.Equal(NodeState.Running, node.GetStatistics().State);
        Assert.Single(await node.GetTopGroupsAsync(1));
        Task[] waiting =
        [
            group.SendConfirmedAsync("y"),
            group.FlushAsync(),
            group.WaitForMembersAsync(5),
            node.FlushAsync(),
            node.JoinAsync("other"),
        ];
        await node.DisposeAsync().AsTask().WaitAsync(NodeRig.Patience);
        await reading.WaitAsync(NodeRig.Patience);
        foreach (Task call in waiting)
            await Assert.ThrowsAsync<ObjectDisposedException>(() => call.WaitAsync(NodeRig.Patience));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await group.SendAsync("late"));
        await group.DisposeAsync().AsTask().WaitAsync(NodeRig.Patience);
        await NodeRig.UntilAsync(() => factory.Ids.Contains(1_008), "the stall is logged");
        await NodeRig.UntilAsync(
            () => factory.Records.Any(static record =>
                record.Id.Id == 1_004 && record.Text.Contains("MessageHandler of 'group'", StringComparison.Ordinal)),
            "what did not end in time is logged");
        hang.Set();
    }

    [Fact]
    public async Task When_the_serving_node_goes_another_takes_over_and_no_group_ends()
    {
        await using var rig = new NodeRig();
        QuickSilverNode server = await rig.StartAsync();
        (Group left, Group right) = await rig.StartPairAsync();
        var returned = new System.Collections.Concurrent.ConcurrentQueue<NodeEvent>();
        foreach (QuickSilverNode node in new[] { left.Node, right.Node })
        {
            node.Events += (_, happened) =>
            {
                if (happened is NodeRejoined) returned.Enqueue(happened);
            };
        }
        int sent = 0;
        await SendAsync(10);
        await server.DisposeAsync();
        await SendAsync(10);
        Group late = await left.Node.JoinAsync("late").WaitAsync(NodeRig.Patience);
        Group later = await right.Node.JoinAsync("late").WaitAsync(NodeRig.Patience);
        await late.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        await SendAsync(10);
        await late.SendAsync("still here");
        Assert.Equal(["still here"], await NodeRig.ReadAsync(later, 1));
        Assert.Equal(Enumerable.Range(0, sent).Select(number => $"{number}"), await NodeRig.ReadAsync(right, sent));
        Assert.False(left.Completion.IsCompleted);
        Assert.False(right.Completion.IsCompleted);
        Assert.Empty(returned);

        async Task SendAsync(int count)
        {
            for (int index = 0; index < count; index++) await left.SendAsync($"{sent++}");
        }
    }

    [Fact]
    public async Task An_evicted_node_ends_its_handles_and_returns_as_a_new_incarnation()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        Group group = await node.JoinAsync("group");
        await group.SendConfirmedAsync("before");
        MemberId before = node.Id;
        var rejoined = new TaskCompletionSource<NodeRejoined>();
        node.Events += (_, happened) =>
        {
            if (happened is NodeRejoined back) rejoined.TrySetResult(back);
        };
        Trouble.Expel(node);
        NodeEvictedException reason = await Assert.ThrowsAsync<NodeEvictedException>(
            async () => await group.Completion.WaitAsync(NodeRig.Patience));
        Assert.Equal(ErrorCode.Evicted, reason.Code);
        await Assert.ThrowsAsync<NodeEvictedException>(async () => await group.SendAsync("late"));
        Assert.Equal(["before"], await NodeRig.ReadAsync(group, 1));
        await Assert.ThrowsAsync<NodeEvictedException>(async () => await NodeRig.ReadToEndAsync(group));

        NodeRejoined event1 = await rejoined.Task.WaitAsync(NodeRig.Patience);
        Assert.Equal(before, event1.Before);
        Assert.Equal(node.Id, event1.After);
        Assert.True(node.Id.Incarnation > before.Incarnation);
        await using Group again = await node.JoinAsync("group");
        await again.SendAsync("back");
        Assert.Equal(["back"], await NodeRig.ReadAsync(again, 1));
        await NodeRig.UntilAsync(() => node.GetStatistics().MessagesSent == 2, "counters go on");
    }

    [Fact]
    public async Task An_evicted_node_stops_when_it_was_told_so()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync(
            static options => options.Membership.Eviction = EvictionPolicy.StopNode);
        Group group = await node.JoinAsync("group");
        Trouble.Expel(node);
        await Assert.ThrowsAsync<NodeEvictedException>(async () => await node.Completion.WaitAsync(NodeRig.Patience));
        await Assert.ThrowsAsync<NodeEvictedException>(async () => await group.Completion);
        Assert.Equal(NodeState.Stopped, node.State);
    }

    [Fact]
    public async Task Statistics_follow_within_a_tenth_of_a_second_and_groups_are_ranked()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync();
        Group quiet = await left.Node.JoinAsync("quiet");
        for (int index = 0; index < 100; index++) await left.SendAsync("0123456789");
        await left.FlushAsync();
        await NodeRig.UntilAsync(
            () => left.Node.GetStatistics() is { MessagesSent: 100, PendingMessages: 0 }, "all is told to have left");
        await NodeRig.UntilAsync(() => right.Node.GetStatistics().InboxMessages == 100, "all is told to have come");
        NodeStatistics sent = left.Node.GetStatistics();
        Assert.Equal(1_000, sent.BytesSent);
        Assert.Equal(2, sent.Groups);
        Assert.Equal(NodeState.Running, sent.State);
        Assert.True(sent.PacketsSent > 0);
        Assert.True(sent.LoopTurns > 0);
        Assert.True(sent.ReceiveBufferBytes > 0);
        NodeStatistics received = right.Node.GetStatistics();
        Assert.Equal(100, received.MessagesReceived);
        Assert.Equal(1_000, received.InboxBytes);
        Assert.Equal(2, received.Members);

        IReadOnlyList<GroupStatistics> top = await left.Node.GetTopGroupsAsync(5, GroupSort.BytesSent);
        Assert.Equal(["group", "quiet"], top.Select(static group => group.Name));
        Assert.Equal(100, top[0].MessagesSent);
        Assert.Equal(2, top[0].Members);
        Assert.Equal(quiet.View.Number, top[1].ViewNumber);
        Assert.Equal(100, (await right.Node.GetTopGroupsAsync(1, GroupSort.InboxBytes))[0].InboxMessages);
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => left.Node.GetTopGroupsAsync(-1));
    }

    [Fact]
    public async Task Instruments_tell_what_the_statistics_tell()
    {
        await using var rig = new NodeRig();
        (Group left, _) = await rig.StartPairAsync();
        await left.SendConfirmedAsync("hello");
        await NodeRig.UntilAsync(
            () => left.Node.GetStatistics() is { MessagesSent: 1, PendingMessages: 0 },
            "the message is told to have left");
        var values = new Dictionary<string, double>();
        using var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, listener) =>
            {
                if (instrument.Meter.Name == "QuickSilver") listener.EnableMeasurementEvents(instrument);
            },
        };
        listener.SetMeasurementEventCallback<long>(
            (instrument, value, tags, _) => Add(instrument, value, tags));
        listener.SetMeasurementEventCallback<double>(
            (instrument, value, tags, _) => Add(instrument, value, tags));
        listener.Start();
        listener.RecordObservableInstruments();
        Assert.Equal(1, values["messaging.client.sent.messages"]);
        Assert.Equal(1, values["quicksilver.groups"]);
        Assert.Equal(2, values["quicksilver.members"]);
        Assert.Contains("quicksilver.token.round_trip", values);
        Assert.Contains("quicksilver.packets.recovered", values);

        // What modes do is no figure of a node that is in no group of them.
        Assert.DoesNotContain(
            values.Keys,
            static name => name.StartsWith("quicksilver.lateral", StringComparison.Ordinal)
                || name.StartsWith("quicksilver.timed", StringComparison.Ordinal));

        void Add(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
        {
            foreach (KeyValuePair<string, object?> tag in tags)
            {
                if (tag.Key == "quicksilver.node" && left.Node.Name.Equals(tag.Value))
                    values[instrument.Name] = values.GetValueOrDefault(instrument.Name) + value;
            }
        }
    }

    [Fact]
    public async Task The_first_handler_of_events_is_told_how_the_node_started()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync(static options => options.Transport.Kind = TransportKind.Unicast);
        var events = new System.Collections.Concurrent.ConcurrentQueue<NodeEvent>();
        node.Events += (_, happened) =>
        {
            if (happened is not CoreStalled) events.Enqueue(happened);
        };
        await NodeRig.UntilAsync(() => events.Count >= 2, "the start is told");
        NodeEvent[] told = [.. events];
        Assert.Equal(Carrier.Unicast, Assert.IsType<CarrierSelected>(told[0]).Chosen);
        NodeStateChanged state = Assert.IsType<NodeStateChanged>(told[1]);
        Assert.Equal((NodeState.Starting, NodeState.Running), (state.Before, state.After));
    }

    [Fact]
    public async Task Logging_and_events_never_run_on_the_core_thread()
    {
        using var factory = new RecordingLoggerFactory();
        var threads = new System.Collections.Concurrent.ConcurrentDictionary<string, bool>();
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync(options =>
        {
            options.NodeName = "logged";
            options.UseLoggerFactory(factory);
        });
        node.Events += (_, _) => threads[Thread.CurrentThread.Name ?? ""] = true;
        Group group = await node.JoinAsync(
            "group",
            new GroupOptions { OnMessage = static (in MessageRef _) => throw new InvalidOperationException() });
        await group.SendConfirmedAsync("x");
        await group.LeaveAsync();
        await node.DisposeAsync();
        // The end of a node waits for its log, but not without end.
        int[] expected = [1_001, 1_002, 1_101, 1_102, 1_107, 1_108, 1_501];
        await NodeRig.UntilAsync(() => !expected.Except(factory.Ids).Any(), "all of it is logged");
        Assert.DoesNotContain(
            factory.ThreadNames.Keys, static name => name.Contains("QuickSilver", StringComparison.Ordinal));
        Assert.DoesNotContain(threads.Keys, static name => name.Contains("QuickSilver", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_handler_that_takes_long_is_reported_with_its_group()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        var stalls = new System.Collections.Concurrent.ConcurrentQueue<CoreStalled>();
        node.Events += (_, happened) =>
        {
            if (happened is CoreStalled stall) stalls.Enqueue(stall);
        };
        Group group = await node.JoinAsync(
#pragma warning disable QS0001 // It blocks on purpose.
            "group", new GroupOptions { OnMessage = static (in MessageRef _) => Thread.Sleep(60) });
#pragma warning restore QS0001
        for (int round = 0; !stalls.Any(static stall => stall.Phase == LoopPhase.MessageHandler); round++)
        {
            Assert.True(round < 100, "no stall was reported");
            await group.SendConfirmedAsync("x");
            await Task.Delay(50);
        }
        CoreStalled reported = stalls.First(static stall => stall.Phase == LoopPhase.MessageHandler);
        Assert.Equal("group", reported.GroupName);
        Assert.InRange(reported.Duration, TimeSpan.FromMilliseconds(40), TimeSpan.FromSeconds(5));
        await NodeRig.UntilAsync(() => node.GetStatistics().Stalls > 0, "it is counted");
    }

    [Fact]
    public async Task Nodes_of_one_process_can_do_without_sockets()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(
            change: static options => options.Transport.Kind = TransportKind.InMemory);
        await left.SendAsync("in memory");
        Assert.Equal(["in memory"], await NodeRig.ReadAsync(right, 1));
        Assert.Equal(Carrier.InMemory, Assert.Single(right.View.Regions).Carrier);
    }

    [Fact]
    public async Task Nodes_in_memory_take_no_port_from_others_and_survive_the_one_that_serves()
    {
        await using var rig = new NodeRig();
        using var taken = new TcpListener(IPAddress.Loopback, rig.Port) { ExclusiveAddressUse = true };
        taken.Start();
        static void InMemory(QuickSilverOptions options) => options.Transport.Kind = TransportKind.InMemory;
        QuickSilverNode serving = await rig.StartAsync(InMemory);
        (Group left, Group right) = await rig.StartPairAsync(change: InMemory);
        await serving.DisposeAsync();
        Group later = await left.Node.JoinAsync("later").WaitAsync(NodeRig.Patience);
        await left.SendAsync("still here");
        Assert.Equal(["still here"], await NodeRig.ReadAsync(right, 1));
        Assert.Equal(1, later.View.MemberCount);
    }

    [Fact]
    public async Task An_injector_of_losses_is_repaired()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(
            change: static options => Testing.FaultExtensions.UseFaults(options, 0.05, 3));
        for (int index = 0; index < 5_000; index++) await left.SendAsync($"{index}");
        Assert.Equal(
            Enumerable.Range(0, 5_000).Select(static index => $"{index}"), await NodeRig.ReadAsync(right, 5_000));
    }
}
