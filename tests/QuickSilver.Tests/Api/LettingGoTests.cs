using System.Runtime.CompilerServices;

namespace QuickSilver.Tests.Api;

/// <summary>What is over is let go: handles, handlers and what their closures hold, feeds, readers, leases, tickets,
/// joins and nodes.</summary>
[Collection(NodeCollection.Name)]
public sealed class LettingGoTests
{
    /// <summary>What applications give a group with a closure.</summary>
    public enum Given
    {
        OnMessage,
        OnBatch,
        Attached,
        AttachedAndDisposed,
        Key,
        Feed,
        Reader,
        StoppedReader,
        Leases,
        Confirmations,
        MemberWait,
        Unread,
        LongMessages,
        LongMessageWriter,
    }

    public static TheoryData<Given> AllGiven => [.. Enum.GetValues<Given>()];

    [Theory]
    [MemberData(nameof(AllGiven))]
    public async Task A_group_that_was_left_holds_nothing_of_the_application(Given given)
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        QuickSilverNode other = await rig.StartAsync();
        await using Group sessions = await other.JoinAsync("group");
        (WeakReference handle, WeakReference held) = await UseAsync(
            node, sessions, given, static group => group.LeaveAsync());
        await AssertGoneAsync(handle, $"the handle, after {given}");
        await AssertGoneAsync(held, $"what {given} held");
    }

    [Theory]
    [MemberData(nameof(AllGiven))]
    public async Task A_group_that_was_disposed_of_among_others_of_the_node_holds_nothing_of_the_application(
        Given given)
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        QuickSilverNode other = await rig.StartAsync();
        await using Group sessions = await other.JoinAsync("group");
        await using Group second = await node.JoinAsync("group");
        (WeakReference handle, WeakReference held) = await UseAsync(
            node, sessions, given, static group => group.DisposeAsync().AsTask());
        await AssertGoneAsync(handle, $"the handle, after {given}");
        await AssertGoneAsync(held, $"what {given} held");
    }

    [Theory]
    [InlineData(Given.OnMessage)]
    [InlineData(Given.Attached)]
    [InlineData(Given.Key)]
    [InlineData(Given.Feed)]
    public async Task A_handle_that_the_application_keeps_holds_nothing_that_was_given_to_it(Given given)
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        QuickSilverNode other = await rig.StartAsync();
        await using Group sessions = await other.JoinAsync("group");
        Group? kept = null;
        (_, WeakReference held) = await UseAsync(node, sessions, given, async group =>
        {
            await group.LeaveAsync();
            kept = group;
        });
        await AssertGoneAsync(held, $"what {given} held");
        GC.KeepAlive(kept);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_handle_that_the_application_keeps_holds_its_last_view_and_not_those_of_other_groups(
        bool publishes)
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        string[] names = [.. Enumerable.Range(0, 100).Select(static index => $"group {index}")];
        await node.JoinManyAsync(names);
        QuickSilverNode other = await rig.StartAsync();
        IReadOnlyList<MessageSender> handles = publishes
            ? await other.OpenPublishersAsync(names) : await other.JoinManyAsync(names);
        WeakReference layout = await EndAsync(handles[0]);
        // The next step is another layout.
        await handles[1].DisposeAsync();
        await AssertGoneAsync(layout, "the layout of all groups");
        GroupView view = handles[0].View;
        string[] members = publishes ? [node.Name] : [node.Name, other.Name];
        Assert.Equal(members.Length, view.MemberCount);
        Assert.Equal(members.Order(), view.Members.Select(static member => member.Name).Order());
        Assert.NotEmpty(view.Regions);
        Assert.Same(view, handles[0].View);
    }

    /// <summary>QUICKSILVER_NAMES says how many names, for measurements by hand.</summary>
    [Fact]
    public async Task Names_without_end_cost_nothing_once_they_are_over_at_node_and_server()
    {
        const int batch = 100, settled = 1_000;
        int names = int.TryParse(Environment.GetEnvironmentVariable("QUICKSILVER_NAMES"), out int asked)
            ? asked : 10_000;
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync(static options => options.Transport.Kind = TransportKind.InMemory);
        long before = 0;
        var clock = System.Diagnostics.Stopwatch.StartNew();
        for (int done = 0; done < names; done += batch)
        {
            if (done == settled)
            {
                TestContext.Current.TestOutputHelper?.WriteLine($"{settled} names: {clock.Elapsed.TotalSeconds:0.0} s");
                before = GC.GetTotalMemory(true);
                clock.Restart();
            }
            if (done > settled && done % 10_000 == 0)
            {
                TestContext.Current.TestOutputHelper?.WriteLine(
                    $"{done} names: {clock.Elapsed.TotalSeconds:0.0} s, {GC.GetTotalMemory(true) - before:N0} bytes "
                        + $"more");
            }
            IReadOnlyList<Group> groups = await node.JoinManyAsync(
                Enumerable.Range(done, batch).Select(static index => $"name {index}"));
            await node.LeaveManyAsync(groups);
        }
        await node.JoinAsync("last");
        long grown = GC.GetTotalMemory(true) - before;
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"{names} names: {clock.Elapsed.TotalSeconds:0.0} s, {grown:N0} bytes more");
        await NodeRig.UntilAsync(() => node.GetStatistics().Groups == 1, "one group is left");
        Assert.True(grown < (names - settled) * 40L, $"{grown:N0} bytes more after {names} names");
    }

    [Fact]
    public async Task A_join_that_was_cancelled_is_let_go()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        WeakReference cancelled = await CancelJoinAsync(node);
        await AssertGoneAsync(cancelled, "what the cancelled join was given");
    }

    [Theory]
    [InlineData(TransportKind.Auto)]
    [InlineData(TransportKind.InMemory)]
    public async Task A_node_that_was_disposed_of_is_let_go_with_its_event_handlers(TransportKind kind)
    {
        await using var rig = new NodeRig();
        (WeakReference node, WeakReference held) = await RunNodeAsync(
            rig.Options(options => options.Transport.Kind = kind));
        await AssertGoneAsync(held, "what the event handler held");
        await AssertGoneAsync(node, "the node");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<(WeakReference Node, WeakReference Held)> RunNodeAsync(QuickSilverOptions options)
    {
        QuickSilverNode node = await QuickSilverNode.StartAsync(options).WaitAsync(NodeRig.Patience);
        byte[] held = new byte[100_000];
        node.Events += (_, _) => GC.KeepAlive(held);
        Group group = await node.JoinAsync("group");
        await group.SendAsync("x");
        await group.FlushAsync();
        await node.DisposeAsync();
        return (new WeakReference(node), new WeakReference(held));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<WeakReference> EndAsync(MessageSender handle)
    {
        var layout = new WeakReference(handle.Node.Core.Layout);
        await handle.DisposeAsync();
        return layout;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<WeakReference> CancelJoinAsync(QuickSilverNode node)
    {
        byte[] held = new byte[100_000];
        using var cancel = new CancellationTokenSource();
        var options = new GroupOptions { OnMessage = (in MessageRef _) => GC.KeepAlive(held) };
        Task<Group> joining = node.JoinAsync("cancelled", options, cancel.Token);
        await cancel.CancelAsync();
        try
        {
            await (await joining).LeaveAsync();
        }
        catch (OperationCanceledException)
        {
        }
        return new WeakReference(held);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<(WeakReference Handle, WeakReference Held)> UseAsync(
        QuickSilverNode node, Group other, Given given, Func<Group, Task> end)
    {
        byte[] held = new byte[100_000];
        var options = new GroupOptions
        {
            Mode = new ReliableMode { KeepLongMessages = given == Given.LongMessages },
        };
        if (given == Given.OnMessage) options.OnMessage = (in MessageRef _) => GC.KeepAlive(held);
        if (given == Given.OnBatch) options.OnBatch = (in MessageBatch _) => GC.KeepAlive(held);
        if (given == Given.Key)
        {
            options.Overflow = OverflowPolicy.DropOldest;
            options.Key = (in MessageRef message) => message.Sequence + (ulong)held.Length;
        }
        Group group = await node.JoinAsync("group", options);
        await group.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        switch (given)
        {
            case Given.Attached:
                group.Subscribe((in MessageRef _) => GC.KeepAlive(held));
                break;
            case Given.AttachedAndDisposed:
                group.Subscribe((in MessageBatch _) => GC.KeepAlive(held)).Dispose();
                break;
            case Given.Feed:
                group.RegisterFeed(new Feed(held)).Signal();
                break;
            case Given.MemberWait:
                _ = WaitAsync(group, held);
                break;
            default:
                break;
        }
        for (int index = 0; index < 20; index++) await other.SendAsync("x");
        await other.FlushAsync();
        await group.SendAsync("y");
        if (given == Given.Confirmations) _ = ConfirmAsync(group, held);
        if (given == Given.Leases) await LeaseAsync(group);
        if (given == Given.LongMessages) await ReadLongAsync(group, other, held);
        if (given == Given.LongMessageWriter) await group.OpenWriter().WriteAsync(new byte[100_000]);
        if (given is Given.Reader or Given.StoppedReader) await ReadAsync(group, held, given == Given.StoppedReader);
        await end(group);
        return (new WeakReference(group), new WeakReference(held));
    }

    private static async Task WaitAsync(Group group, byte[] held)
    {
        await Record.ExceptionAsync(async () => await group.WaitForMembersAsync(100));
        GC.KeepAlive(held);
    }

    private static async Task ConfirmAsync(Group group, byte[] held)
    {
        await Record.ExceptionAsync(async () => await group.SendConfirmedAsync(new byte[10]));
        GC.KeepAlive(held);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task LeaseAsync(Group group)
    {
        int count = 0;
        await foreach (MessageLease lease in group.ReadLeasedAsync())
        {
            // Every other lease is forgotten, as a careless application does.
            if (count++ % 2 == 0) lease.Dispose();
            if (count == 10) break;
        }
    }

    // One that is being read, one that is complete, and one that nobody has taken.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task ReadLongAsync(Group group, Group other, byte[] held)
    {
        await other.OpenWriter().WriteAsync(new byte[100_000]);
        await other.OpenWriter().CompleteAsync();
        await other.OpenWriter().WriteAsync(new byte[100_000]);
        var started = new TaskCompletionSource();
        _ = Task.Run(async () =>
        {
            await foreach (LongMessage message in group.ReadLongMessagesAsync())
            {
                started.TrySetResult();
                await Record.ExceptionAsync(() => message.Body.CopyToAsync(Stream.Null));
                GC.KeepAlive(held);
            }
        });
        await started.Task.WaitAsync(NodeRig.Patience);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task ReadAsync(Group group, byte[] held, bool stops)
    {
        var started = new TaskCompletionSource();
        Task reading = Task.Run(async () =>
        {
            await foreach (Message _ in group.ReadAllAsync())
            {
                GC.KeepAlive(held);
                started.TrySetResult();
                if (stops) break;
            }
        });
        await started.Task.WaitAsync(NodeRig.Patience);
        if (stops) await reading;
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

    private sealed class Feed(byte[] held) : IMessageFeed
    {
        private int _left = 5;

        public bool TryWriteNext(System.Buffers.IBufferWriter<byte> writer)
        {
            if (_left-- <= 0) return false;
            held.AsSpan(0, 10).CopyTo(writer.GetSpan(10));
            writer.Advance(10);
            return true;
        }
    }
}
