using QuickSilver.Inboxes;
using QuickSilver.Inboxes.Shared;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Tests;
using PartRig = QuickSilver.Tests.Inboxes.Shared.SharedRig.PartRig;

namespace QuickSilver.Tests.Inboxes.Shared;

/// <summary>What one reader of many groups gets, and which limit stops which group.</summary>
public sealed class SharedInboxTests
{
    private static readonly NodeInfo A = InboxRig.Node("a", 1);
    private static readonly NodeInfo B = InboxRig.Node("b", 2);

    [Fact]
    public void Messages_of_all_groups_come_as_they_arrived()
    {
        var rig = new SharedRig();
        PartRig x = rig.Join("x");
        PartRig y = rig.Join("y");
        rig.Deliver(x, A, "1");
        rig.Deliver(y, A, "2");
        rig.Deliver(x, B, "3");
        Assert.Equal(["x: 1", "y: 2", "x: 3"], rig.ReadMessages());
    }

    [Fact]
    public void A_group_without_messages_puts_nothing_into_the_inbox()
    {
        var rig = new SharedRig();
        for (int index = 0; index < 10_000; index++) rig.Join($"g{index}");
        Assert.Equal(0, rig.Core.Ring.Slots);
        rig.Deliver(rig.Join("last"), A, "1");
        Assert.Equal(16, rig.Core.Ring.Slots);
    }

    [Fact]
    public void A_full_inbox_ends_the_group_whose_message_does_not_fit_and_no_other()
    {
        var rig = new SharedRig(messages: 3);
        PartRig x = rig.Join("x");
        PartRig y = rig.Join("y");
        Assert.Empty(rig.ReadMessages());
        rig.Deliver(x, A, "1", "2", "3");
        rig.Deliver(y, A, "4");
        Assert.Null(x.Overflowed);
        Assert.Equal((3L, 3L, 0L), y.Overflowed);
        Assert.Equal(["x: 1", "x: 2", "x: 3"], rig.ReadMessages());
    }

    [Fact]
    public void A_group_at_its_own_limit_ends_while_the_inbox_has_room()
    {
        var rig = new SharedRig(messages: 10);
        PartRig x = rig.Join("x", messages: 2);
        PartRig y = rig.Join("y");
        rig.Core.TellEvents();
        Assert.Empty(rig.ReadEvents());
        rig.Deliver(x, A, "1", "2", "3");
        Assert.Equal((2L, 2L, 0L), x.Overflowed);
        x.Part.Close(new SlowConsumerException(ErrorCode.SlowConsumer, "slow"));
        rig.Deliver(y, A, "4");
        Assert.Equal(
            ["x: 1", "x: 2", "x: end SlowConsumerException", "y: 4"], rig.ReadEvents());
    }

    [Fact]
    public void A_full_inbox_drops_the_oldest_of_the_group_that_drops_and_nothing_of_others()
    {
        var rig = new SharedRig(messages: 4);
        PartRig x = rig.Join("x");
        PartRig y = rig.Join("y", OverflowPolicy.DropOldest);
        Assert.Empty(rig.ReadMessages());
        rig.Deliver(x, A, "1");
        rig.Deliver(y, A, "2", "3");
        rig.Deliver(x, A, "4");
        rig.Deliver(y, A, "5", "6");
        Assert.Equal([LossReason.Overflow, LossReason.Overflow], y.Dropped);
        Assert.Empty(x.Dropped);
        Assert.Equal(["x: 1", "x: 4", "y: lost a 1+2 Overflow", "y: 5", "y: 6"], rig.ReadEvents());
    }

    [Fact]
    public void A_group_that_drops_and_has_nothing_unread_loses_its_new_message()
    {
        var rig = new SharedRig(messages: 2);
        PartRig x = rig.Join("x");
        PartRig y = rig.Join("y", OverflowPolicy.DropOldest);
        Assert.Empty(rig.ReadMessages());
        rig.Deliver(x, A, "1", "2");
        rig.Deliver(y, A, "3");
        Assert.Equal(["x: 1", "x: 2", "y: lost a 1+1 Overflow"], rig.ReadEvents());
    }

    [Fact]
    public void Keys_are_told_apart_by_group()
    {
        var rig = new SharedRig();
        PartRig x = rig.Join("x", OverflowPolicy.DropOldest, keyed: true);
        PartRig y = rig.Join("y", OverflowPolicy.DropOldest, keyed: true);
        rig.Deliver(x, A, "k1", "l1");
        rig.Deliver(y, A, "k2");
        rig.Deliver(x, A, "k3");
        Assert.Equal(
            ["x: lost a 1+1 Superseded", "x: l1", "y: k2", "x: k3"],
            rig.ReadEvents());
    }

    [Fact]
    public void A_message_reader_takes_one_keyed_message_at_a_time_and_the_rest_can_be_replaced()
    {
        var rig = new SharedRig();
        PartRig x = rig.Join("x", OverflowPolicy.DropOldest, keyed: true);
        rig.Deliver(x, A, "k1", "l1", "m1");
        Assert.Equal(["x: k1"], rig.ReadMessages(1));
        rig.Deliver(x, A, "l2", "m2", "k2");
        Assert.Equal(["x: l2", "x: m2", "x: k2"], rig.ReadMessages());
    }

    [Fact]
    public void Before_the_first_reader_a_full_inbox_drops_the_oldest_of_the_group_and_says_unread()
    {
        var rig = new SharedRig(messages: 3);
        PartRig x = rig.Join("x");
        PartRig y = rig.Join("y", hold: false);
        rig.Deliver(x, A, "1", "2");
        rig.Deliver(y, A, "nobody keeps it");
        rig.Deliver(x, A, "3", "4");
        Assert.Equal([LossReason.Unread], x.Dropped);
        Assert.Empty(y.Dropped);
        Assert.Equal(["x: lost a 1+1 Unread", "x: 2", "x: 3", "x: 4"], rig.ReadEvents());
        rig.Deliver(y, A, "kept");
        Assert.Equal(["y: kept"], rig.ReadMessages());
    }

    [Fact]
    public void Views_are_told_in_their_group_and_merge_while_no_message_of_it_follows()
    {
        var rig = new SharedRig();
        rig.Core.TellEvents();
        PartRig x = rig.Join("x");
        PartRig y = rig.Join("y");
        x.ChangeView(A);
        y.ChangeView(A);
        x.ChangeView(A, B);
        rig.Deliver(x, A, "1");
        x.ChangeView(A);
        rig.Deliver(y, A, "2");
        Assert.Equal(["x: view ->2", "y: view ->1", "x: 1", "x: view 2>3", "y: 2"], rig.ReadEvents());
    }

    [Fact]
    public void A_thousand_view_changes_and_losses_that_nobody_reads_take_a_slot_each_kind()
    {
        var rig = new SharedRig();
        rig.Core.TellEvents();
        PartRig x = rig.Join("x", OverflowPolicy.DropNewest, messages: 1);
        Assert.Empty(rig.ReadEvents());
        rig.Deliver(x, A, "kept");
        for (int index = 0; index < 1_000; index++)
        {
            x.ChangeView(A);
            rig.Deliver(x, A, "dropped");
        }
        Assert.Equal(16, rig.Core.Ring.Slots);
        Assert.Equal(["x: kept", "x: view ->1000", "x: lost a 2+1000 Overflow"], rig.ReadEvents());
    }

    [Fact]
    public void A_stalled_reader_of_groups_that_drop_has_a_ring_of_bounded_size()
    {
        var rig = new SharedRig();
        PartRig[] groups = [.. Enumerable.Range(0, 50).Select(index =>
            rig.Join($"g{index}", OverflowPolicy.DropOldest, messages: 2))];
        Assert.Empty(rig.ReadMessages());
        for (int round = 0; round < 1_000; round++)
        {
            foreach (PartRig group in groups) rig.Deliver(group, A, $"{round}");
        }
        Assert.InRange(rig.Core.Ring.Slots, 100, 512);
        Assert.Equal(100, rig.Core.Messages);
        List<string> read = rig.ReadEvents();
        Assert.Equal(150, read.Count);
        Assert.Contains("g49: lost a 1+998 Overflow", read);
        Assert.Equal(
            ["g0: 998", "g0: 999"], read.Where(static text => text.StartsWith("g0: 9", StringComparison.Ordinal)));
    }

    [Fact]
    public void A_group_that_came_and_went_unread_leaves_nothing_and_one_that_the_reader_knows_is_told_to_have_ended()
    {
        var rig = new SharedRig();
        rig.Core.TellEvents();
        for (int index = 0; index < 10_000; index++)
        {
            PartRig passing = rig.Join($"g{index}");
            passing.ChangeView(A);
            passing.Part.Close(null);
        }
        Assert.InRange(rig.Core.Ring.Slots, 16, 128);
        PartRig known = rig.Join("known");
        known.ChangeView(A);
        rig.Node.PublishShared();
        Assert.Equal(["known: view ->1"], rig.ReadEvents());
        known.Part.Close(null);
        rig.Node.PublishShared();
        Assert.Equal(["known: end "], rig.ReadEvents());
    }

    [Fact]
    public void What_a_group_brought_stays_after_it_left_and_its_end_comes_behind_it()
    {
        var rig = new SharedRig();
        rig.Core.TellEvents();
        PartRig x = rig.Join("x");
        x.ChangeView(A);
        rig.Deliver(x, A, "1", "2");
        rig.Lose(x, B, 2);
        x.Part.Close(null);
        rig.Node.PublishShared();
        Assert.Equal(["x: view ->1", "x: 1", "x: 2", "x: lost b 1+2 SenderFailed", "x: end "], rig.ReadEvents());
    }

    [Fact]
    public void Memory_that_messages_pin_is_counted_until_the_last_message_in_it_is_dropped()
    {
        var rig = new SharedRig();
        PartRig x = rig.Join("x", OverflowPolicy.DropOldest, keyed: true);
        rig.Deliver(x, A, "a", "b", "c");
        long chunk = rig.Core.PinnedBytes;
        Assert.True(chunk > 0);
        rig.NewChunk();
        rig.Deliver(x, A, "a", "b");
        Assert.Equal(2 * chunk, rig.Core.PinnedBytes);
        rig.Deliver(x, A, "c");
        Assert.Equal(chunk, rig.Core.PinnedBytes);
        Assert.Equal(["x: a", "x: b", "x: c"], rig.ReadMessages());
        rig.CloseArena();
        rig.Node.Returns.Drain();
        Assert.Equal(0, rig.Core.PinnedBytes);
        Assert.Equal(0, rig.Pool.OutstandingChunks);
    }

    [Fact]
    public void Over_the_nodes_limit_the_largest_inbox_acts_as_full_by_the_policies_of_its_groups()
    {
        var rig = new SharedRig(nodeBytes: 10);
        PartRig x = rig.Join("x", OverflowPolicy.DropNewest);
        Assert.Empty(rig.ReadMessages());
        rig.Deliver(x, A, "0123456789", "over");
        rig.Node.Budget.OnTurnEnded();
        rig.Deliver(x, A, "dropped");
        Assert.Equal([LossReason.Overflow], x.Dropped);
        Assert.Equal(2, rig.ReadMessages().Count);
        rig.Node.Budget.OnTurnEnded();
        rig.Deliver(x, A, "again");
        Assert.Equal(["x: again"], rig.ReadMessages());
        rig.Node.Budget.Refresh();
        Assert.Equal(3, rig.Node.MessagesRead);
    }

    [Theory]
    [InlineData(OverflowPolicy.FailGroup)]
    [InlineData(OverflowPolicy.DropOldest)]
    public void Leases_of_many_groups_allocate_nothing_in_steady_state(OverflowPolicy policy)
    {
        var rig = new SharedRig();
        PartRig[] groups = [.. Enumerable.Range(0, 500).Select(index => rig.Join($"g{index}", policy))];
        byte[] bytes = new byte[100];
        SharedReader reader = rig.Core.BeginRead();
        DoRounds(20);
        Assert.Equal(0, AllocatedBytes.Of(() => DoRounds(180)));

        void DoRounds(int rounds)
        {
            for (int round = 0; round < rounds; round++)
            {
                foreach (PartRig group in groups) rig.DeliverOne(group, A, bytes);
                rig.Node.PublishShared();
                while (reader.NextMessage(out SharedEntry entry) == ReadOutcome.Entry) reader.Lease(entry).Dispose();
                rig.Node.Returns.Drain();
            }
        }
    }

    [Fact]
    public void A_group_without_memory_gives_up_its_own_messages_alone()
    {
        var rig = new SharedRig();
        PartRig x = rig.Join("x");
        PartRig y = rig.Join("y");
        rig.Deliver(x, A, "1", "2");
        rig.Deliver(y, A, "3");
        x.Part.GiveUp();
        rig.Deliver(x, A, "no more");
        Assert.Equal(["y: 3"], rig.ReadMessages());
        Assert.Equal(0, rig.Core.Bytes);
    }

    [Fact]
    public void After_a_failure_what_is_stored_is_read_first_and_after_a_normal_end_it_is_gone()
    {
        var rig = new SharedRig();
        PartRig x = rig.Join("x");
        rig.Deliver(x, A, "1");
        rig.Core.Close(new QuickSilverException(ErrorCode.Evicted, "gone"));
        Assert.Equal(["x: 1"], rig.ReadMessages());
        Assert.Throws<QuickSilverException>(rig.Core.BeginRead().ThrowIfFailed);
        Assert.IsType<QuickSilverException>(rig.Core.Completion.Exception!.InnerException);

        var other = new SharedRig();
        PartRig y = other.Join("y");
        other.Deliver(y, A, "1");
        other.Core.Close(null);
        other.Deliver(y, A, "2");
        Assert.Empty(other.ReadMessages());
        Assert.True(other.Core.Completion.IsCompletedSuccessfully);
        Assert.Equal(0, other.Core.Messages);
        Assert.Empty(other.Node.Shared());
    }
}
