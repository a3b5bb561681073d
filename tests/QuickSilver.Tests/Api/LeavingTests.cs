using QuickSilver.Tests.Diagnostics;

namespace QuickSilver.Tests.Api;

/// <summary>How a leave and a dispose of handles end when the node does not go on as before.</summary>
[Collection(NodeCollection.Name)]
public sealed class LeavingTests
{
    [Fact]
    public async Task A_leave_that_waits_for_confirmation_when_the_node_is_evicted_ends_with_that_reason()
    {
        await using var rig = new NodeRig();
        Group[] groups = await rig.StartThreeAsync(Trouble.Patient);
        using Trouble.Frozen frozen = await Trouble.FreezeAsync(groups[2].Node);
        QuickSilverNode leaver = groups[0].Node;
        Group second = await leaver.JoinAsync("group");
        await groups[0].SendAsync("not held by all");
        Task one = groups[0].LeaveAsync();
        Task many = leaver.LeaveManyAsync([second]);
        await Trouble.SettleAsync(leaver);
        Assert.False(one.IsCompleted || many.IsCompleted);
        Trouble.Expel(leaver);
        foreach (Task leave in new[] { one, many, groups[0].Completion, second.Completion })
            await Assert.ThrowsAsync<NodeEvictedException>(() => leave.WaitAsync(NodeRig.Patience));
        await leaver.LeaveManyAsync([groups[0]]).WaitAsync(NodeRig.Patience); // has ended already: passed over
    }

    [Fact]
    public async Task A_dispose_that_waits_for_confirmation_ends_as_soon_as_the_node_is_evicted()
    {
        await using var rig = new NodeRig();
        Group[] groups = await rig.StartThreeAsync(static options =>
        {
            Trouble.Patient(options);
            options.Shutdown.DrainTimeout = 2 * NodeRig.Patience;
            options.Shutdown.Timeout = 3 * NodeRig.Patience;
        });
        using Trouble.Frozen frozen = await Trouble.FreezeAsync(groups[2].Node);
        await groups[0].SendAsync("not held by all");
        Task disposing = groups[0].DisposeAsync().AsTask();
        await Trouble.SettleAsync(groups[0].Node);
        Assert.False(disposing.IsCompleted);
        Trouble.Expel(groups[0].Node);
        await disposing.WaitAsync(NodeRig.Patience);
    }

    [Fact]
    public async Task A_dispose_of_a_group_that_gives_up_what_was_sent_says_so_and_names_the_members_it_waited_for()
    {
        await using var rig = new NodeRig();
        using var factory = new RecordingLoggerFactory();
        Group[] groups = await rig.StartThreeAsync(options =>
        {
            Trouble.Patient(options);
            options.UseLoggerFactory(factory);
        });
        await groups[1].DisposeAsync();
        Assert.DoesNotContain(1_005, factory.Ids);
        using Trouble.Frozen frozen = await Trouble.FreezeAsync(groups[2].Node);
        await groups[0].SendAsync("not held by all");
        await groups[0].DisposeAsync().AsTask().WaitAsync(NodeRig.Patience);
        await NodeRig.UntilAsync(() => factory.Ids.Contains(1_005), "it is logged");
        string text = factory.Records.Single(static record => record.Id.Id == 1_005).Text;
        Assert.Contains("when the group 'group' was disposed of after", text, StringComparison.Ordinal);
        Assert.Contains($"It waited for '{groups[2].Node.Name}' (", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_leave_of_several_waits_for_one_that_another_call_is_leaving()
    {
        await using var rig = new NodeRig();
        Group[] groups = await rig.StartThreeAsync(Trouble.Patient);
        QuickSilverNode leaver = groups[0].Node;
        Group alone = await leaver.JoinAsync("nobody else's");
        Task one;
        Task many;
        using (await Trouble.FreezeAsync(groups[2].Node))
        {
            await groups[0].SendAsync("not held by all");
            one = groups[0].LeaveAsync();
            many = leaver.LeaveManyAsync([groups[0], alone]);
            await alone.Completion.WaitAsync(NodeRig.Patience);
            Assert.False(one.IsCompleted || many.IsCompleted);
        }
        await many.WaitAsync(NodeRig.Patience);
        Assert.True(groups[0].Completion.IsCompletedSuccessfully);
        await one.WaitAsync(NodeRig.Patience);
    }

    [Fact]
    public async Task What_was_sent_goes_before_a_leave_that_waits_for_nothing()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(
            change: static options => options.Shutdown.DrainTimeout = TimeSpan.Zero);
        long received = 0;
        using IDisposable counting = right.Subscribe((in MessageRef _) => Interlocked.Increment(ref received));
        Task leave;
        Task<DeliveryReport> confirmed;
        using (await Trouble.FreezeAsync(left.Node))
        {
            for (int index = 0; index < 100; index++)
                Assert.Equal(SendStatus.Accepted, left.TrySend(new byte[index % 10 == 0 ? 10_000 : 100]));
            confirmed = left.SendConfirmedAsync("confirmed");
            leave = left.DisposeAsync().AsTask();
        }
        await leave.WaitAsync(NodeRig.Patience);
        await left.Completion.WaitAsync(NodeRig.Patience);
        await NodeRig.UntilAsync(() => Interlocked.Read(ref received) == 101, "all of it has come");
        await confirmed.ContinueWith(static _ => { }, TaskScheduler.Default).WaitAsync(NodeRig.Patience);
    }

    // A call that returned has sent its message, also when the group is left at that very moment; a message that is not
    // sent ends in an exception.
    [Fact]
    public async Task What_is_sent_beside_a_leave_is_delivered_or_refused()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync();
        long received = 0;
        using IDisposable counting = right.Subscribe((in MessageRef _) => Interlocked.Increment(ref received));
        long sent = 0;
        for (int round = 0; round < 20; round++)
        {
            Group leaving = round == 0 ? left : await left.Node.JoinAsync("group");
            await leaving.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
            Task[] senders = [.. Enumerable.Range(0, 4).Select(_ => Task.Run(async () =>
            {
                try
                {
                    while (true)
                    {
                        await leaving.SendAsync("x");
                        Interlocked.Increment(ref sent);
                    }
                }
                catch (ObjectDisposedException)
                {
                    return;
                }
            }))];
            await Task.Delay(10);
            await leaving.LeaveAsync().WaitAsync(NodeRig.Patience);
            await Task.WhenAll(senders).WaitAsync(NodeRig.Patience);
        }
        await NodeRig.UntilAsync(
            () => Interlocked.Read(ref received) == Interlocked.Read(ref sent), "all that was sent arrives");
    }

    [Fact]
    public async Task Handles_disposed_of_while_the_node_stops_by_itself_end_with_it()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        MessageHandler fails = static (in MessageRef _) => throw new InvalidOperationException();
        Group failing = await node.JoinAsync(
            "fails", new GroupOptions { OnMessage = fails, HandlerErrors = HandlerErrorPolicy.StopNode });
        IReadOnlyList<Group> groups = await node.JoinManyAsync(
            Enumerable.Range(0, 5_000).Select(static index => $"g{index}"));
        foreach (Group group in groups) await group.SendAsync("unread");
        await node.FlushAsync().WaitAsync(NodeRig.Patience);
        await failing.SendAsync("stop");
        await Assert.ThrowsAsync<QuickSilverException>(() => failing.Completion.WaitAsync(NodeRig.Patience));
        Task[] disposals = [.. groups.Reverse().AsParallel().Select(static group => group.DisposeAsync().AsTask())];
        await Task.WhenAll(disposals).WaitAsync(NodeRig.Patience);
        foreach (Group group in groups)
        {
            QuickSilverException reason = await Assert.ThrowsAsync<QuickSilverException>(
                () => group.Completion.WaitAsync(NodeRig.Patience));
            Assert.Equal(ErrorCode.HandlerFailed, reason.Code);
        }
    }
}
