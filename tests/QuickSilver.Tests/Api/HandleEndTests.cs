using System.Buffers;
using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;
using QuickSilver.Sending;
using QuickSilver.Tests.Diagnostics;

namespace QuickSilver.Tests.Api;

/// <summary>The end of a handle is one moment for all who meet it; and what they see of its group until then.</summary>
[Collection(NodeCollection.Name)]
public sealed class HandleEndTests
{
    [Fact]
    public async Task Whoever_meets_the_end_of_the_messages_finds_the_handle_completed()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync(Trouble.Quick);
        Group group = await node.JoinAsync("group");
        // What the handle has to take down at its end.
        for (int feed = 0; feed < 2_000; feed++) group.RegisterFeed(new EmptyFeed());
        bool? isFaulted = null;
        Task reading = Task.Run(async () =>
        {
            try
            {
                await foreach (Message unused in group.ReadAllAsync()) Assert.Fail($"{unused}");
            }
            catch (NodeEvictedException)
            {
                isFaulted = group.Completion.IsFaulted;
            }
        });
        await NodeRig.UntilAsync(() => group.Handle.Inbox is not null, "it is read");
        await Trouble.SettleAsync(node);
        Trouble.Expel(node);
        await reading.WaitAsync(NodeRig.Patience);
        Assert.True(isFaulted);
    }

    [Fact]
    public async Task A_dispose_that_gives_up_completes_the_handle_as_it_ends_the_reader()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync(options =>
        {
            Trouble.Quick(options);
            Trouble.Patient(options);
        });
        Group group = await node.JoinAsync("group");
        Task<List<string>> reading = NodeRig.ReadToEndAsync(group);
        // Nothing on the core thread ends the handle.
        using Trouble.Frozen frozen = await Trouble.FreezeAsync(node);
        await group.DisposeAsync().AsTask().WaitAsync(NodeRig.Patience);
        Assert.Empty(await reading.WaitAsync(NodeRig.Patience));
        Assert.True(group.Completion.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task A_view_is_told_only_when_the_set_of_members_has_changed()
    {
        await using var rig = new NodeRig();
        QuickSilverNode leaver = await rig.StartAsync(Trouble.Quick);
        QuickSilverNode comes = await rig.StartAsync();
        Group group = await leaver.JoinAsync("group");
        var told = new ConcurrentQueue<ViewChanged>();
        Task reading = Task.Run(async () =>
        {
            await foreach (GroupEvent happened in group.ReadEventsAsync())
                if (happened is ViewChanged view) told.Enqueue(view);
        });
        await NodeRig.UntilAsync(() => told.Count == 1, "the first view is told");
        // The membership has not answered the leave when another view comes.
        Assert.True(leaver.Core.Services.TryPost(now => group.Handle.Core!.OnLeaving(static _ => { }, now)));
        await comes.JoinAsync("group").WaitAsync(NodeRig.Patience);
        await leaver.DisposeAsync();
        await reading.WaitAsync(NodeRig.Patience);
        Assert.All(told, static view => Assert.NotEqual(0, view.GetJoined().Count + view.GetLeft().Count));
    }

    [Fact]
    public async Task A_group_has_a_view_while_it_is_left()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        bool isOver = false;
        Group present = await node.JoinAsync("group");
        Task looking = Task.Run(() =>
        {
            while (!Volatile.Read(ref isOver)) Assert.NotNull(Volatile.Read(ref present).View);
        });
        for (int round = 0; round < 200 && !looking.IsCompleted; round++)
        {
            await present.LeaveAsync().WaitAsync(NodeRig.Patience);
            Volatile.Write(ref present, await node.JoinAsync("group").WaitAsync(NodeRig.Patience));
        }
        Volatile.Write(ref isOver, true);
        await looking.WaitAsync(NodeRig.Patience);
    }

    [Fact]
    public async Task A_send_that_never_waits_returns_while_the_core_moves_the_group_and_others_wait_for_it()
    {
        await using var rig = new NodeRig();
        Group group = await (await rig.StartAsync(Trouble.Patient)).JoinAsync("group");
        using (await Trouble.FreezeAsync(group.Node))
        {
            // As a core that loses its processor in the middle of a move.
            StagedGroup staged = group.Handle.Core!;
            SendStage? stage = staged.Stage;
            staged.Stage = null;
            Assert.Equal(
                SendStatus.Backpressured, await Task.Run(() => group.TrySend("x")).WaitAsync(NodeRig.Patience));
            ValueTask sending = group.SendAsync("y");
            using var stop = new CancellationTokenSource();
            ValueTask cancelled = group.SendAsync("z", stop.Token);
            await stop.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await cancelled);
            Assert.False(sending.IsCompleted);
            staged.Stage = stage;
            await sending.AsTask().WaitAsync(NodeRig.Patience);
        }
        Assert.Equal(["y"], await NodeRig.ReadAsync(group, 1));
    }

    [Fact]
    public async Task A_flush_that_is_cancelled_while_a_handler_hangs_names_the_handler()
    {
        using var hang = new ManualResetEventSlim();
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync(Trouble.Patient);
        using var isIn = new ManualResetEventSlim();
        Group group = await node.JoinAsync("group", new GroupOptions
        {
            OnMessage = (in MessageRef _) =>
            {
                isIn.Set();
#pragma warning disable QS0001 // It blocks on purpose.
                hang.Wait();
#pragma warning restore QS0001
            },
        });
        await group.SendAsync("x");
        Assert.True(isIn.Wait(NodeRig.Patience, TestContext.Current.CancellationToken));
        using var stop = new CancellationTokenSource();
        Task[] calls =
            [group.FlushAsync(stop.Token), group.SendConfirmedAsync("y", stop.Token), node.FlushAsync(stop.Token)];
        await stop.CancelAsync();
        foreach (Task call in calls)
        {
            var told = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call.WaitAsync(NodeRig.Patience));
            Assert.Contains("it is in MessageHandler of 'group'", told.Message, StringComparison.Ordinal);
        }
        hang.Set();
    }

    [Fact]
    public async Task Log_records_that_a_broken_logger_loses_are_counted()
    {
        using var broken = new BrokenLoggerFactory();
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync(options => options.UseLoggerFactory(broken));
        await NodeRig.UntilAsync(() => node.GetStatistics().LogRecordsLost > 0, "they are counted");
    }

    [Fact]
    public async Task A_wait_for_members_says_after_some_seconds_what_nodes_that_meet_have_in_common()
    {
        using var factory = new RecordingLoggerFactory();
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync(options => options.UseLoggerFactory(factory));
        Group group = await node.JoinAsync("group");
        Task<GroupView> waiting = group.WaitForMembersAsync(2);
        await NodeRig.UntilAsync(() => factory.Ids.Contains(1_115), "it is logged");
        string text = factory.Records.Single(static record => record.Id.Id == 1_115).Text;
        Assert.Contains("waits for 2 nodes in group group, and there are 1", text, StringComparison.Ordinal);
        Assert.Contains($"cluster 'tests', port {rig.Port} of this machine", text, StringComparison.Ordinal);
        await (await rig.StartAsync()).JoinAsync("group");
        Assert.Equal(2, (await waiting.WaitAsync(NodeRig.Patience)).MemberCount);
    }

    private sealed class EmptyFeed : IMessageFeed
    {
        public bool TryWriteNext(IBufferWriter<byte> message) => false;
    }

    private sealed class BrokenLoggerFactory : ILoggerFactory, ILogger
    {
        public ILogger CreateLogger(string categoryName) => this;

        public void AddProvider(ILoggerProvider provider) => throw new NotSupportedException();

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception,
            Func<TState, Exception?, string> formatter) => throw new InvalidOperationException("a broken logger");

        public void Dispose()
        {
        }
    }
}
