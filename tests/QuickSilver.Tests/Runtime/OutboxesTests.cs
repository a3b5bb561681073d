using QuickSilver.Runtime;
using QuickSilver.Tests.Api;

namespace QuickSilver.Tests.Runtime;

/// <summary>Groups whose messages go another way than those of the outbox they are in.</summary>
[Collection(NodeCollection.Name)]
public sealed class OutboxesTests
{
    [Fact]
    public async Task Each_way_has_one_outbox_however_many_groups_turn_out_to_go_it()
    {
        const int groups = 200;
        await using var rig = new NodeRig();
        QuickSilverNode sender = await rig.StartAsync(Trouble.Patient);
        QuickSilverNode receiver = await rig.StartAsync(Trouble.Patient), third = await rig.StartAsync(Trouble.Patient);
        string[] names = [.. Enumerable.Range(0, groups).Select(static index => $"g{index}")];
        int received = 0;
        var counting = new GroupOptions { OnMessage = (in MessageRef _) => Interlocked.Increment(ref received) };
        await receiver.JoinManyAsync(names, counting);
        var silent = new GroupOptions { BufferBeforeFirstRead = false };
        await third.JoinManyAsync([.. names.Where(static (_, index) => index % 2 == 1)], silent);
        IReadOnlyList<Group> all = await sender.JoinManyAsync(names, silent);
        await all[1].WaitForMembersAsync(3).WaitAsync(NodeRig.Patience);

        // All are in the stage before the core looks at any.
        using (await Trouble.FreezeAsync(sender))
        {
            foreach (Group group in all) Assert.Equal(SendStatus.Accepted, group.TrySend([1]));
        }
        await NodeRig.UntilAsync(() => Volatile.Read(ref received) == groups, "all messages arrive");
        Assert.Equal(2, sender.Core.Outboxes.All.Count);
        await NodeRig.UntilAsync(() => sender.Core.Services.StageBlocks.Rented == 0, "the blocks go back");
    }

    [Fact]
    public async Task Who_waits_for_what_was_sent_waits_for_messages_that_move_to_another_outbox_too()
    {
        await using var rig = new NodeRig();
        (Group left, Group right) = await rig.StartPairAsync(change: static options =>
        {
            Trouble.Patient(options);
            options.Pending.MaxMessagesPerRegion = 20;
            options.Pending.MaxUnsentMessagesPerRegion = 10;
        });
        QuickSilverNode sender = left.Node;
        Outboxes outboxes = sender.Core.Outboxes;
        long unsent = -1;
        using (await Trouble.FreezeAsync(right.Node))
        {
            for (int index = 0; index < 15; index++)
            {
                Assert.Equal(SendStatus.Accepted, left.TrySend([1]));
                await Trouble.SettleAsync(sender);
            }
            using (await Trouble.FreezeAsync(sender))
            {
                while (left.TrySend([1]) == SendStatus.Accepted)
                {
                }
            }
            // The region takes some of them, and is full.
            for (int turn = 0; turn < 3; turn++) await Trouble.SettleAsync(sender);
            long waiting = outboxes.Unsent;
            Assert.InRange(waiting, 1, 9);
            sender.Core.Services.TryPost(now =>
            {
                GroupCore group = left.Handle.Core!;
                outboxes.WhenTaken(_ => Volatile.Write(ref unsent, outboxes.Unsent), now);
                outboxes.Move(group, group.Outbox, null, waits: false, now);
            });
            for (int turn = 0; turn < 3; turn++) await Trouble.SettleAsync(sender);
            // Once more: the second outbox ends, though it holds a barrier.
            sender.Core.Services.TryPost(now =>
            {
                GroupCore group = left.Handle.Core!;
                outboxes.Move(group, group.Outbox, null, waits: false, now);
            });
            for (int turn = 0; turn < 3; turn++) await Trouble.SettleAsync(sender);
            Assert.Equal((-1, waiting), (Volatile.Read(ref unsent), outboxes.Unsent));
            Assert.Equal(2, outboxes.All.Count);
        }
        await NodeRig.UntilAsync(() => Volatile.Read(ref unsent) >= 0, "the protocol takes the rest");
        Assert.Equal(0, unsent);
        await left.FlushAsync().WaitAsync(NodeRig.Patience);
    }

    [Fact]
    public async Task Who_waits_is_told_though_the_outbox_loses_its_last_group_meanwhile()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        Group group = await node.JoinAsync("group", new GroupOptions { BufferBeforeFirstRead = false });
        Outboxes outboxes = node.Core.Outboxes;
        var taken = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        node.Core.Services.TryPost(now =>
        {
            // Away from the first outbox, which stays.
            GroupCore core = group.Handle.Core!;
            outboxes.Move(core, core.Outbox, null, waits: false, now);
            group.TrySend([1]);
            outboxes.WhenTaken(_ => taken.SetResult(), now);
            outboxes.Move(core, core.Outbox, null, waits: false, now);
        });
        await taken.Task.WaitAsync(NodeRig.Patience);
        await NodeRig.UntilAsync(() => node.Core.Services.StageBlocks.Rented == 0, "the blocks go back");
        Assert.Equal(2, outboxes.All.Count);
    }
}
