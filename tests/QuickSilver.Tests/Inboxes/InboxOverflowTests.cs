using QuickSilver.Inboxes;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Tests.Inboxes;

/// <summary>What a full inbox does under each policy, and where losses are told.</summary>
public sealed class InboxOverflowTests
{
    private static readonly NodeInfo A = InboxRig.Node("a", 1);
    private static readonly NodeInfo B = InboxRig.Node("b", 2);

    [Theory]
    [InlineData(OverflowPolicy.FailGroup)]
    [InlineData(OverflowPolicy.DropNewest)]
    [InlineData(OverflowPolicy.DropOldest)]
    public void Before_the_first_reader_a_full_inbox_drops_its_oldest_whatever_the_policy(OverflowPolicy policy)
    {
        var rig = new InboxRig(capacity: 3, overflow: policy);
        rig.Deliver(A, "1", "2", "3", "4", "5");
        Assert.Null(rig.Overflowed);
        Assert.Equal([LossReason.Unread, LossReason.Unread], rig.Dropped);
        Assert.Equal(["lost a 1+2 Unread", "3", "4", "5"], rig.ReadEvents());
    }

    [Fact]
    public void Losses_of_several_senders_stand_each_before_its_senders_next_message()
    {
        var rig = new InboxRig(capacity: 3);
        rig.Deliver(A, "1");
        rig.Deliver(B, "x");
        rig.Deliver(A, "2");
        rig.Deliver(A, "3");
        rig.Deliver(B, "y");
        Assert.Equal(["lost a 1+1 Unread", "2", "3", "lost b 1+1 Unread", "y"], rig.ReadEvents());
    }

    [Fact]
    public void FailGroup_takes_nothing_more_and_keeps_what_is_stored()
    {
        var rig = new InboxRig(capacity: 3);
        Assert.Empty(rig.ReadMessages());
        rig.Deliver(A, "1", "2", "3", "4", "5");
        Assert.Equal(3, rig.Overflowed);
        rig.Core.Close(new InvalidOperationException("too slow"));

        InboxReader reader = rig.Core.BeginRead();
        for (int index = 1; index <= 3; index++)
        {
            Assert.Equal(ReadOutcome.Entry, reader.NextMessage(out InboxEntry entry));
            Assert.Equal((ulong)index, entry.Number);
            reader.OnCopied(entry);
        }
        Assert.Equal(ReadOutcome.Ended, reader.NextMessage(out _));
        Assert.Equal("too slow", Assert.Throws<InvalidOperationException>(reader.ThrowIfFailed).Message);
    }

    [Fact]
    public void DropOldest_keeps_the_newest_and_tells_the_loss_in_its_place()
    {
        var rig = new InboxRig(capacity: 3, overflow: OverflowPolicy.DropOldest);
        Assert.Empty(rig.ReadMessages());
        rig.Deliver(A, "1", "2", "3", "4", "5", "6");
        Assert.Equal(3, rig.Dropped.Count);
        Assert.Equal(["lost a 1+3 Overflow", "4", "5", "6"], rig.ReadEvents());
    }

    [Fact]
    public void DropOldest_spares_what_a_stopped_reader_has_in_hand()
    {
        var rig = new InboxRig(capacity: 8, overflow: OverflowPolicy.DropOldest);
        Assert.Empty(rig.ReadMessages());
        rig.Deliver(A, "1", "2", "3", "4", "5", "6", "7", "8");
        Assert.Equal(["1"], rig.ReadMessages(1));
        rig.Deliver(A, "9", "10", "11");
        Assert.True(rig.Core.Messages <= 8);
        Assert.Equal(["2", "3", "4", "lost a 5+2 Overflow", "7", "8", "9", "10", "11"], rig.ReadEvents());
    }

    [Fact]
    public void DropNewest_keeps_the_oldest_and_tells_the_loss_before_the_senders_next_message()
    {
        var rig = new InboxRig(capacity: 3, overflow: OverflowPolicy.DropNewest);
        Assert.Empty(rig.ReadMessages());
        rig.Deliver(A, "1", "2", "3", "4");
        rig.Deliver(A, "5");
        Assert.Equal(["1", "2"], rig.ReadEvents(2));
        rig.Deliver(A, "6");
        Assert.Equal(["3", "lost a 4+2 Overflow", "6"], rig.ReadEvents());
    }

    [Fact]
    public void DropNewest_keeps_what_is_stored_through_thousands_of_turns_that_store_nothing()
    {
        var rig = new InboxRig(capacity: 1_000, overflow: OverflowPolicy.DropNewest);
        Assert.Empty(rig.ReadMessages());
        string[] stored = [.. Enumerable.Range(1, 1_000).Select(static number => $"{number}")];
        rig.Deliver(A, stored);
        for (int index = 0; index < 3_000; index++) rig.Deliver(A, "too many");
        Assert.Equal(stored, rig.ReadEvents(1_000));
        Assert.Equal(["lost a 1001+3000 Overflow"], rig.ReadEvents());
        Assert.Equal(0, rig.Core.Messages);
        rig.CloseArena();
        rig.Shared.Returns.Drain();
        Assert.Equal(0, rig.Pool.OutstandingChunks);
    }

    [Fact]
    public void Unread_messages_stay_whatever_number_of_view_changes_follows()
    {
        var rig = new InboxRig();
        string[] stored = [.. Enumerable.Range(1, 300).Select(static number => $"{number}")];
        rig.Deliver(A, stored);
        for (ulong number = 1; number <= 5_000; number++)
        {
            rig.Core.OnViewChanged(InboxRig.View(number, A));
            rig.Core.Publish();
        }
        Assert.Equal([.. stored, "view ->5000"], rig.ReadEvents());
    }

    [Fact]
    public void A_ring_that_was_large_shrinks_when_little_is_left_in_it()
    {
        var rig = new InboxRig();
        rig.Deliver(A, [.. Enumerable.Range(1, 1_000).Select(static number => $"{number}")]);
        Assert.Equal(1_024, rig.Core.Ring.Slots);
        Assert.Equal(990, rig.ReadMessages(990).Count);
        for (int index = 0; index < 5_000; index++) rig.Core.Publish();
        Assert.Equal(256, rig.Core.Ring.Slots);
        Assert.Equal(["991", "992", "993", "994", "995", "996", "997", "998", "999", "1000"], rig.ReadMessages());
    }

    [Fact]
    public void A_key_replaces_always_and_the_new_message_stands_last()
    {
        var rig = new InboxRig(overflow: OverflowPolicy.DropOldest, keyed: true);
        Assert.Empty(rig.ReadMessages());
        rig.Deliver(A, "x1", "y1");
        rig.Deliver(B, "x2");
        rig.Deliver(A, "z1", "y2");
        Assert.Equal(3, rig.Core.Messages);
        Assert.Equal(6, rig.Core.Bytes);
        Assert.Equal([LossReason.Superseded, LossReason.Superseded], rig.Dropped);
        Assert.Equal(["x2", "lost a 1+2 Superseded", "z1", "y2"], rig.ReadEvents());
        rig.Deliver(A, "x3", "x4");
        Assert.Equal(["lost a 5+1 Superseded", "x4"], rig.ReadEvents());
    }

    [Fact]
    public void An_inbox_full_of_other_keys_does_as_its_policy_says()
    {
        var rig = new InboxRig(capacity: 2, overflow: OverflowPolicy.DropOldest, keyed: true);
        Assert.Empty(rig.ReadMessages());
        rig.Deliver(A, "x1", "y1", "z1", "y2");
        Assert.Equal([LossReason.Overflow, LossReason.Superseded], rig.Dropped);
        Assert.Equal(["lost a 1+1 Overflow", "lost a 2+1 Superseded", "z1", "y2"], rig.ReadEvents());

        var newest = new InboxRig(capacity: 2, overflow: OverflowPolicy.DropNewest, keyed: true);
        Assert.Empty(newest.ReadMessages());
        newest.Deliver(A, "x1", "y1", "z1", "y2");
        Assert.Equal(["x1", "lost a 2+1 Superseded", "lost a 3+1 Overflow", "y2"], newest.ReadEvents());

        var failing = new InboxRig(capacity: 2, keyed: true);
        Assert.Empty(failing.ReadMessages());
        failing.Deliver(A, "x1", "y1", "x2");
        Assert.Null(failing.Overflowed);
        failing.Deliver(A, "z1");
        Assert.Equal(2, failing.Overflowed);
    }

    [Theory]
    [InlineData("")]
    [InlineData("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")]
    public void A_key_whose_message_was_replaced_by_one_without_room_names_no_other_message(string between)
    {
        // Bytes of a lease leave no room for the message that replaces the last of many, with which the ring is packed.
        var rig = new InboxRig(bytes: 200, overflow: OverflowPolicy.DropOldest, keyed: true);
        rig.Deliver(A, new string('l', 100));
        InboxReader reader = rig.Core.BeginRead();
        Assert.Equal(ReadOutcome.Entry, reader.NextMessage(out InboxEntry leased));
        MessageLease lease = reader.Lease(leased);
        rig.Core.EndRead();
        for (int index = 0; index <= 32; index++) rig.Deliver(A, "0");
        rig.Deliver(A, new string('0', 150));
        Assert.Equal(0, rig.Core.Messages);

        string[] others = [.. between.Select(static key => $"{key}")];
        rig.Deliver(A, others);
        rig.Deliver(A, "0");
        Assert.Equal(others.Length + 1, rig.Core.Messages);
        Assert.Equal([.. others, "0"], rig.ReadMessages());
        lease.Dispose();
    }

    [Fact]
    public void Replacing_for_ever_keeps_what_is_unread_and_no_more()
    {
        var rig = new InboxRig(overflow: OverflowPolicy.DropOldest, keyed: true);
        rig.Deliver(A, "a");
        for (int index = 0; index < 20_000; index++) rig.Deliver(B, $"{(char)('b' + (index % 10))}");
        Assert.Equal(11, rig.Core.Messages);
        Assert.InRange(rig.Core.Ring.Slots, 16, 128);
        List<string> events = rig.ReadEvents();
        Assert.Equal("a", events[0]);
        Assert.Equal("lost b 1+19990 Superseded", events[1]);
        Assert.Equal(12, events.Count);
        for (int index = 0; index < 20_000; index++)
        {
            rig.Deliver(A, $"{(char)index}");
            Assert.Single(rig.ReadMessages());
        }
        rig.CloseArena();
        rig.Shared.Returns.Drain();
        Assert.Equal(0, rig.Pool.OutstandingChunks);
    }

    [Fact]
    public void A_loss_of_unknown_count_stays_unknown_through_merging_and_before_the_first_reader()
    {
        var rig = new InboxRig();
        rig.Core.OnLoss(A, 5, 0, LossReason.SenderFailed);
        rig.Core.Publish();
        rig.Core.OnLoss(A, 9, 2, LossReason.SenderFailed);
        rig.Core.Publish();
        rig.Core.OnLoss(B, 3, 4, LossReason.SenderFailed);
        rig.Core.OnLoss(B, 7, 0, LossReason.SenderFailed);
        rig.Core.Publish();
        Assert.Equal(["lost a 5+0 SenderFailed", "lost b 3+0 SenderFailed"], rig.ReadEvents());
    }

    [Fact]
    public void A_loss_that_no_message_follows_is_told_when_nothing_is_left_before_it()
    {
        var rig = new InboxRig();
        rig.Deliver(A, "1");
        rig.Lose(A, 2);
        rig.Lose(A, 3);
        Assert.Equal(["1", "lost a 2+5 SenderFailed"], rig.ReadEvents());
        Assert.Empty(rig.ReadEvents());
    }

    [Fact]
    public void A_limit_in_bytes_counts_too_and_one_longer_message_fits_into_an_empty_inbox()
    {
        var rig = new InboxRig(bytes: 10, overflow: OverflowPolicy.DropNewest);
        Assert.Empty(rig.ReadMessages());
        rig.Deliver(A, "twelve bytes");
        rig.Deliver(A, "x");
        Assert.Equal(["twelve bytes"], rig.ReadMessages());
        rig.Deliver(A, "12345", "67890", "x");
        Assert.Equal(["12345", "67890"], rig.ReadMessages());
    }

    [Fact]
    public void Above_the_nodes_limit_the_inbox_that_holds_most_acts_as_full()
    {
        var shared = new NodeInboxes(100, static () => { });
        var large = new InboxRig(overflow: OverflowPolicy.DropNewest, shared: shared);
        var small = new InboxRig(overflow: OverflowPolicy.DropNewest, shared: shared);
        Assert.Empty(large.ReadMessages());
        Assert.Empty(small.ReadMessages());
        for (int index = 0; index < 9; index++) large.Deliver(A, "0123456789");
        small.Deliver(A, "0123456789", "0123456789");
        shared.Budget.OnTurnEnded();

        large.Deliver(A, "x");
        small.Deliver(A, "y");
        Assert.Equal(9, large.Core.Messages);
        Assert.Equal(3, small.Core.Messages);

        Assert.Equal(9, large.ReadMessages().Count);
        shared.Budget.OnTurnEnded();
        large.Deliver(A, "z");
        Assert.Equal(["z"], large.ReadMessages());
    }

    [Fact]
    public void Inboxes_that_were_emptied_in_silence_do_not_act_as_full()
    {
        var shared = new NodeInboxes(100, static () => { });
        InboxRig[] rigs = [new(shared: shared), new(shared: shared), new(shared: shared)];
        foreach (InboxRig rig in rigs) Assert.Empty(rig.ReadMessages());
        rigs[0].Deliver(A, [.. Enumerable.Repeat("0123456789", 9)]);
        rigs[1].Deliver(A, [.. Enumerable.Repeat("0123456789", 6)]);
        rigs[2].Deliver(A, [.. Enumerable.Repeat("0123456789", 5)]);
        shared.Budget.OnTurnEnded();
        foreach (InboxRig rig in rigs) rig.ReadMessages();

        foreach (InboxRig rig in rigs) rig.Deliver(A, "x");
        Assert.All(rigs, static rig => Assert.Null(rig.Overflowed));
        Assert.All(rigs, static rig => Assert.Equal(["x"], rig.ReadMessages()));
    }
}
