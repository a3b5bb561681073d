namespace QuickSilver.Tests.Api;

/// <summary>What <see cref="MessageSender.SendConfirmedAsync"/> and <see cref="MessageSender.FlushAsync"/> mean when
/// something goes wrong.</summary>
[Collection(NodeCollection.Name)]
public sealed class ConfirmationTests
{
    [Fact]
    public async Task A_receiver_that_crashes_does_not_hold_a_confirmation_up_and_is_counted_as_removed()
    {
        await using var rig = new NodeRig();
        Group[] groups = await rig.StartThreeAsync();
        Trouble.Frozen frozen = await Trouble.FreezeAsync(groups[2].Node);
        Task<DeliveryReport> confirmed = groups[0].SendConfirmedAsync("x");
        Task flushed = groups[0].FlushAsync();
        Task nodeFlushed = groups[0].Node.FlushAsync();
        await Task.Delay(100);
        await Trouble.SettleAsync(groups[0].Node);
        Assert.False(confirmed.IsCompleted);
        Task crash = Trouble.CrashAsync(groups[2].Node);
        frozen.Dispose();
        DeliveryReport report = await confirmed.WaitAsync(NodeRig.Patience);
        await Task.WhenAll(crash, flushed, nodeFlushed).WaitAsync(NodeRig.Patience);
        // Thawed, it may still have taken the message before it died.
        Assert.Equal(3, report.Confirmed + report.Removed);
        Assert.Equal(1UL, report.Sequence);
    }

    [Fact]
    public async Task A_frozen_receiver_is_waited_for_named_and_counted_once_it_is_removed()
    {
        await using var rig = new NodeRig();
        Group[] groups = await rig.StartThreeAsync(NotSoon);
        using Trouble.Frozen frozen = await Trouble.FreezeAsync(groups[2].Node);
        Task<DeliveryReport> confirmed = groups[0].SendConfirmedAsync("x");
        using var limit = new CancellationTokenSource(TimeSpan.FromMilliseconds(700));
        OperationCanceledException cancelled = await Assert.ThrowsAsync<OperationCanceledException>(
            async () => await groups[0].SendConfirmedAsync("y", limit.Token));
        Assert.Equal(limit.Token, cancelled.CancellationToken);
        Assert.Contains(groups[2].Node.Name, cancelled.Message, StringComparison.Ordinal);
        Assert.Contains("does not answer", cancelled.Message, StringComparison.Ordinal);
        foreach (Func<CancellationToken, Task> flush in new Func<CancellationToken, Task>[]
        {
            token => groups[0].FlushAsync(token),
            token => groups[0].Node.FlushAsync(token),
        })
        {
            using var brief = new CancellationTokenSource(TimeSpan.FromMilliseconds(50));
            cancelled = await Assert.ThrowsAsync<OperationCanceledException>(() => flush(brief.Token));
            Assert.Contains(groups[2].Node.Name, cancelled.Message, StringComparison.Ordinal);
        }
        Assert.False(confirmed.IsCompleted);

        DeliveryReport report = await confirmed.WaitAsync(NodeRig.Patience);
        Assert.Equal((1UL, 2, 1), (report.Sequence, report.Confirmed, report.Removed));
        await groups[0].FlushAsync().WaitAsync(NodeRig.Patience);
        Assert.Equal(["x", "y"], await NodeRig.ReadAsync(groups[1], 2));
        await NodeRig.UntilAsync(() => groups[0].View.MemberCount == 2, "the view without it comes");
        Assert.Equal(2, (await groups[0].SendConfirmedAsync("z")).Confirmed);
    }

    [Fact]
    public async Task When_the_sender_is_evicted_what_is_not_confirmed_is_in_doubt()
    {
        await using var rig = new NodeRig();
        Group[] groups = await rig.StartThreeAsync(Trouble.Patient);
        using Trouble.Frozen frozen = await Trouble.FreezeAsync(groups[2].Node);
        Task[] calls =
        [
            groups[0].SendConfirmedAsync("x"),
            groups[0].SendConfirmedAsync("y"),
            groups[0].FlushAsync(),
            groups[0].Node.FlushAsync(),
        ];
        await Task.Delay(100);
        await Trouble.SettleAsync(groups[0].Node);
        Trouble.Expel(groups[0].Node);
        foreach (Task call in calls)
        {
            NodeEvictedException reason = await Assert.ThrowsAsync<NodeEvictedException>(
                () => call.WaitAsync(NodeRig.Patience));
            Assert.Equal(2, reason.MessagesInDoubt);
            Assert.Equal(ErrorCode.Evicted, reason.Code);
        }
    }

    [Fact]
    public async Task Whatever_is_under_way_when_the_node_is_evicted_ends_with_that_reason()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync();
        await using Group other = await left.Node.JoinAsync("other");
        int confirmed = 0;
        Task[] callers = [.. Enumerable.Range(0, 8).Select(caller => Task.Run(async () =>
        {
            Group group = caller % 2 == 0 ? left : other;
            while (true)
            {
                await group.SendConfirmedAsync("x");
                Interlocked.Increment(ref confirmed);
            }
        }))];
        await NodeRig.UntilAsync(() => Volatile.Read(ref confirmed) > 100, "it runs");
        Trouble.Expel(left.Node);
        foreach (Task caller in callers)
        {
            NodeEvictedException reason = await Assert.ThrowsAsync<NodeEvictedException>(
                () => caller.WaitAsync(NodeRig.Patience));
            Assert.InRange(reason.MessagesInDoubt, 0, callers.Length);
        }
        await NodeRig.UntilAsync(() => right.View.MemberCount == 1, "the other member goes on alone");
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task When_the_group_is_left_or_the_node_disposed_of_meanwhile_the_call_says_so(bool node)
    {
        await using var rig = new NodeRig();
        Group[] groups = await rig.StartThreeAsync(node ? Trouble.Patient : null);
        using Trouble.Frozen frozen = await Trouble.FreezeAsync(groups[2].Node);
        Task<DeliveryReport> confirmed = groups[0].SendConfirmedAsync("x");
        Task flushed = groups[0].FlushAsync();
        await Task.Delay(100);
        if (node) await groups[0].Node.DisposeAsync().AsTask().WaitAsync(NodeRig.Patience);
        else await groups[0].DisposeAsync().AsTask().WaitAsync(NodeRig.Patience);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => confirmed.WaitAsync(NodeRig.Patience));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => flushed.WaitAsync(NodeRig.Patience));
        if (node) return;
        await using Group again = await groups[0].Node.JoinAsync("group").WaitAsync(NodeRig.Patience);
        await again.SendConfirmedAsync("again").WaitAsync(NodeRig.Patience);
    }

    [Fact]
    public async Task A_leave_that_is_cancelled_names_whom_it_waited_for_and_goes_on()
    {
        await using var rig = new NodeRig();
        Group[] groups = await rig.StartThreeAsync(NotSoon);
        using Trouble.Frozen frozen = await Trouble.FreezeAsync(groups[2].Node);
        await groups[0].SendAsync("x");
        using var limit = new CancellationTokenSource(TimeSpan.FromMilliseconds(700));
        OperationCanceledException cancelled =
            await Assert.ThrowsAsync<OperationCanceledException>(async () => await groups[0].LeaveAsync(limit.Token));
        Assert.Contains(groups[2].Node.Name, cancelled.Message, StringComparison.Ordinal);
        await groups[0].Completion.WaitAsync(NodeRig.Patience);
        await NodeRig.UntilAsync(() => groups[1].View.MemberCount == 1, "one has left and one was removed");
    }

    [Fact]
    public async Task Changes_of_the_view_in_the_middle_neither_lose_nor_hold_up_a_confirmation()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync();
        QuickSilverNode moving = await rig.StartAsync();
        using var stop = new CancellationTokenSource();
        Task moves = Task.Run(async () =>
        {
            while (!stop.IsCancellationRequested)
            {
                await using Group group = await moving.JoinAsync("group");
                await using Group other = await left.Node.JoinAsync("other");
            }
        });
        ulong view = 0;
        for (ulong number = 1; number <= 300; number++)
        {
            DeliveryReport report = await left.SendConfirmedAsync($"{number}").WaitAsync(NodeRig.Patience);
            Assert.Equal(number, report.Sequence);
            Assert.InRange(report.Confirmed, 2, 3);
            Assert.Equal(0, report.Removed);
            Assert.True(report.ViewNumber >= view);
            view = report.ViewNumber;
        }
        await stop.CancelAsync();
        await moves.WaitAsync(NodeRig.Patience);
        Assert.Equal(
            Enumerable.Range(1, 300).Select(static number => $"{number}"), await NodeRig.ReadAsync(right, 300));
    }

    // Calls that are cancelled are cancelled long before the frozen member is removed.
    private static void NotSoon(QuickSilverOptions options) =>
        options.Membership.FailureTimeout = TimeSpan.FromSeconds(6);
}
