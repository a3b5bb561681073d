using QuickSilver.Tests.Diagnostics;

namespace QuickSilver.Tests.Api;

/// <summary>A member whose handler is slower than the messages come is removed, or waited for, as its senders
/// say.</summary>
[Collection(NodeCollection.Name)]
public sealed class SlowMemberTests
{
    [Fact]
    public async Task A_member_with_a_slow_handler_is_removed_and_the_others_are_told()
    {
        using var factory = new RecordingLoggerFactory();
        await using var rig = new NodeRig();
        var shed = new System.Collections.Concurrent.ConcurrentQueue<MemberShed>();
        (QuickSilverNode sender, Group group, Group slow) = await StartAsync(
            rig, TimeSpan.FromSeconds(1), options => options.UseLoggerFactory(factory));
        sender.Events += (_, happened) =>
        {
            if (happened is MemberShed one) shed.Enqueue(one);
        };
        MemberId id = slow.Node.Id;
        using var stop = new CancellationTokenSource();
        Task sending = SendAsync(group, stop.Token);

        NodeEvictedException reason = await Assert.ThrowsAsync<NodeEvictedException>(
            () => slow.Completion.WaitAsync(NodeRig.Patience));
        Assert.Equal(ErrorCode.TooSlow, reason.Code);
        Assert.Contains("Pending.SlowMemberTimeout", reason.Message, StringComparison.Ordinal);
        await NodeRig.UntilAsync(() => !shed.IsEmpty, "the sender is told");
        Assert.True(shed.TryPeek(out MemberShed? told));
        Assert.Equal((id, "slow"), (told.Member.Id, told.Member.Name));
        await NodeRig.UntilAsync(
            async () => await sender.GetStatisticsAsync() is { MembersShed: 1 }, "it is counted");
        await NodeRig.UntilAsync(() => factory.Ids.Contains(1_312), "it is logged");
        // The node lives, and is a member again under another number.
        await NodeRig.UntilAsync(
            () => slow.Node.State == NodeState.Running && slow.Node.Id != id, "the node has come back");
        await stop.CancelAsync();
        await sending;
    }

    [Fact]
    public async Task The_log_says_once_that_a_handler_is_slow_and_then_sums_up()
    {
        using var factory = new RecordingLoggerFactory();
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync(options => options.UseLoggerFactory(factory));
        int calls = 0;
#pragma warning disable QS0001 // It blocks on purpose.
        Group group = await node.JoinAsync("group", new GroupOptions
        {
            OnMessage = (in MessageRef _) =>
            {
                Thread.Sleep(1_100);
                Interlocked.Increment(ref calls);
            },
        });
#pragma warning restore QS0001
        for (int count = 0; count < 4; count++) await group.SendConfirmedAsync("x");
        await NodeRig.UntilAsync(() => Volatile.Read(ref calls) == 4, "all calls have returned");
        await NodeRig.UntilAsync(() => node.GetStatistics().Stalls >= 4, "each delay is counted");
        await node.DisposeAsync();
        Assert.Single(factory.Records, static record =>
            record.Id.Id == 1_007 && record.Text.Contains("'group'", StringComparison.Ordinal));
    }

    // Two members keep up, one takes 20 ms for each message; the limits are low, so that it holds the sender soon.
    private static async Task<(QuickSilverNode Sender, Group Group, Group Slow)> StartAsync(
        NodeRig rig, TimeSpan timeout, Action<QuickSilverOptions> change)
    {
        void Set(QuickSilverOptions options)
        {
            options.Pending.MaxMessagesPerRegion = 200;
            options.Pending.SlowMemberTimeout = timeout;
            options.Shutdown.DrainTimeout = TimeSpan.FromSeconds(1);
        }
        QuickSilverNode sender = await rig.StartAsync(options =>
        {
            Set(options);
            change(options);
        });
        Group group = await sender.JoinAsync("prices", Quick());
        await (await rig.StartAsync(Set)).JoinAsync("prices", Quick());
        await (await rig.StartAsync(Set)).JoinAsync("prices", Quick());
        QuickSilverNode last = await rig.StartAsync(options =>
        {
            Set(options);
            options.NodeName = "slow";
        });
#pragma warning disable QS0001 // It blocks on purpose.
        Group slow = await last.JoinAsync(
            "prices", new GroupOptions { OnMessage = static (in MessageRef _) => Thread.Sleep(20) });
#pragma warning restore QS0001
        await group.WaitForMembersAsync(4).WaitAsync(NodeRig.Patience);
        return (sender, group, slow);

        static GroupOptions Quick() => new() { OnMessage = static (in MessageRef _) => { } };
    }

    private static async Task SendAsync(Group group, CancellationToken ct)
    {
        while (!ct.IsCancellationRequested)
        {
            group.TrySend(new byte[100]);
            await Task.Delay(2, CancellationToken.None);
        }
    }
}
