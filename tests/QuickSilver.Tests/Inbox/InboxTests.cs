using QuickSilver.Protocol.Membership;
using QuickSilver.Runtime;

namespace QuickSilver.Tests.Inbox;

public sealed class InboxTests
{
    private static readonly NodeInfo A = InboxRig.Node("a", 1);
    private static readonly NodeInfo B = InboxRig.Node("b", 2);

    [Fact]
    public void What_was_stored_before_the_first_reader_is_read_in_order()
    {
        var rig = new InboxRig();
        rig.Deliver(A, "1", "2");
        rig.Deliver(B, "x");
        rig.Deliver(A, "3");
        Assert.Equal(4, rig.Core.Messages);
        Assert.Equal(4, rig.Core.Bytes);
        Assert.Equal(["1", "2", "x", "3"], rig.ReadMessages());
        Assert.Equal(0, rig.Core.Messages);
        Assert.Equal(0, rig.Core.Bytes);
    }

    [Fact]
    public void A_reader_that_stops_loses_nothing()
    {
        var rig = new InboxRig();
        rig.Deliver(A, "1", "2", "3", "4", "5");
        Assert.Equal(["1", "2"], rig.ReadMessages(2));
        Assert.Equal(3, rig.Core.Messages);
        Assert.Equal(["3"], rig.ReadEvents(1));
        Assert.Equal(["4", "5"], rig.ReadMessages());
    }

    [Fact]
    public void A_second_reader_at_the_same_time_is_refused()
    {
        var rig = new InboxRig();
        rig.Core.BeginRead();
        Assert.Throws<InvalidOperationException>(() => rig.Core.BeginRead());
        rig.Core.EndRead();
        Assert.NotNull(rig.Core.BeginRead());
    }

    [Fact]
    public void Nothing_is_visible_before_the_turn_ends()
    {
        var rig = new InboxRig();
        rig.DeliverOne(A, [1]);
        Assert.Empty(rig.ReadMessages());
        rig.Core.Publish();
        Assert.Single(rig.ReadMessages());
    }

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
    public void KeepLatestByKey_replaces_always_and_the_new_message_stands_last()
    {
        var rig = new InboxRig(overflow: OverflowPolicy.KeepLatestByKey);
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
    public void KeepLatestByKey_drops_the_oldest_when_it_is_full_of_other_keys()
    {
        var rig = new InboxRig(capacity: 2, overflow: OverflowPolicy.KeepLatestByKey);
        Assert.Empty(rig.ReadMessages());
        rig.Deliver(A, "x1", "y1", "z1", "y2");
        Assert.Equal([LossReason.Overflow, LossReason.Superseded], rig.Dropped);
        Assert.Equal(["lost a 1+1 Overflow", "lost a 2+1 Superseded", "z1", "y2"], rig.ReadEvents());
    }

    [Fact]
    public void Replacing_for_ever_keeps_what_is_unread_and_no_more()
    {
        var rig = new InboxRig(overflow: OverflowPolicy.KeepLatestByKey);
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
    public void Views_come_in_their_place_and_merge_while_unread()
    {
        var rig = new InboxRig();
        rig.Core.OnViewChanged(InboxRig.View(1, A));
        rig.Core.OnViewChanged(InboxRig.View(2, A, B));
        rig.Deliver(A, "1");
        rig.Core.OnViewChanged(InboxRig.View(3, A));
        rig.Core.Publish();
        rig.Core.OnViewChanged(InboxRig.View(4, A, B));
        rig.Deliver(A, "2");
        rig.Core.OnViewChanged(InboxRig.View(5, A));
        rig.Core.Publish();
        Assert.Equal(["view ->2", "1", "view 2>4", "2", "view 4>5"], rig.ReadEvents());
    }

    [Fact]
    public void A_view_that_a_message_reader_passed_over_is_told_to_the_event_reader_after_it()
    {
        var rig = new InboxRig();
        rig.Core.OnViewChanged(InboxRig.View(1, A));
        rig.Deliver(A, "1", "2");
        Assert.Equal(["1"], rig.ReadMessages(1));
        Assert.Equal(["view ->1", "2"], rig.ReadEvents());
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
    public void Without_holding_nothing_is_kept_before_the_first_reader()
    {
        var rig = new InboxRig(hold: false);
        rig.Deliver(A, "1");
        Assert.Empty(rig.ReadMessages());
        rig.Deliver(A, "2");
        Assert.Equal(["2"], rig.ReadMessages());
        Assert.Empty(rig.Dropped);
    }

    [Fact]
    public void The_first_consumer_gets_the_backlog_when_it_is_inline_and_nothing_is_stored_afterwards()
    {
        var rig = new InboxRig();
        rig.Core.OnViewChanged(InboxRig.View(1, A));
        rig.Deliver(A, "1", "2");
        var seen = new List<ulong>();
        Assert.True(rig.Core.TryBecomeInline(entry => seen.Add(entry.Number)));
        Assert.Equal([1UL, 2UL], seen);
        rig.Deliver(A, "3");
        Assert.Equal(0, rig.Core.Messages);
        Assert.False(rig.Core.TryBecomeInline(static _ => Assert.Fail("there is no backlog")));
        Assert.Equal(["view ->1"], rig.ReadEvents());
        rig.Deliver(A, "4");
        Assert.Equal(["4"], rig.ReadMessages());
    }

    [Fact]
    public void Above_the_nodes_limit_the_inbox_that_holds_most_acts_as_full()
    {
        var shared = new InboxShared(100, static () => { });
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
    public void Memory_goes_home_when_what_lies_in_it_has_been_read()
    {
        var rig = new InboxRig();
        for (int index = 0; index < 200; index++)
        {
            if (index % 50 == 0) rig.NewChunk();
            rig.Deliver(A, "message");
        }
        rig.CloseArena();
        Assert.Equal(4, rig.Pool.OutstandingChunks);
        Assert.Equal(200, rig.ReadMessages().Count);
        rig.Shared.Returns.Drain();
        Assert.Equal(0, rig.Pool.OutstandingChunks);
        Assert.Equal(0, rig.Core.PinnedBytes);
    }

    [Fact]
    public void Small_messages_are_copied_when_they_keep_too_much_memory()
    {
        var rig = new InboxRig(bytes: 200_000);
        for (int index = 0; index < 100; index++)
        {
            rig.NewChunk();
            rig.Deliver(A, "message");
        }
        rig.CloseArena();
        Assert.InRange(rig.Pool.OutstandingBytes, 1, (2 * 200_000) + (2 * 65_536));
        Assert.Equal(100, rig.ReadMessages().Count);
        rig.Shared.Returns.Drain();
        Assert.Equal(0, rig.Pool.OutstandingChunks);
    }

    [Fact]
    public void A_discarded_inbox_gives_its_memory_back()
    {
        var rig = new InboxRig();
        for (int index = 0; index < 100; index++) rig.Deliver(A, "message");
        Assert.Equal(10, rig.ReadMessages(10).Count);
        rig.CloseArena();
        rig.Core.Close(null);
        rig.Core.Discard();
        rig.Shared.Returns.Drain();
        Assert.Equal(0, rig.Pool.OutstandingChunks);
        Assert.Equal(0, rig.Core.Messages);
        Assert.Equal(0, rig.Core.Bytes);
    }

    [Fact]
    public async Task A_waiting_reader_wakes_when_a_turn_ends_and_not_before()
    {
        var rig = new InboxRig();
        InboxReader reader = rig.Core.BeginRead();
        Assert.True(reader.Arm(events: false));
        ValueTask wait = reader.Signal.WaitAsync(default);
        rig.DeliverOne(A, [1]);
        Assert.False(wait.IsCompleted);
        rig.Core.Publish();
        await wait;
        Assert.Equal(ReadOutcome.Entry, reader.NextMessage(out _));
    }

    [Fact]
    public async Task A_waiting_event_reader_hears_of_a_view_and_a_waiting_message_reader_sleeps_on_after_it()
    {
        var rig = new InboxRig();
        InboxReader reader = rig.Core.BeginRead();
        Assert.True(reader.Arm(events: true));
        ValueTask wait = reader.Signal.WaitAsync(default);
        rig.Core.OnViewChanged(InboxRig.View(1, A));
        rig.Core.Publish();
        await wait;
        Assert.Equal(ReadOutcome.Empty, reader.NextMessage(out _));
        Assert.True(reader.Arm(events: false));
        Assert.True(reader.Signal.TryDisarm());
        Assert.Equal(ReadOutcome.Entry, reader.NextEvent(out InboxEntry entry));
        Assert.IsType<GroupView>(entry.Body);
    }

    [Fact]
    public async Task A_cancelled_wait_throws_and_the_next_reader_goes_on()
    {
        var rig = new InboxRig();
        using var source = new CancellationTokenSource();
        InboxReader reader = rig.Core.BeginRead();
        Assert.True(reader.Arm(events: false));
        ValueTask wait = reader.Signal.WaitAsync(source.Token);
        await source.CancelAsync();
        await Assert.ThrowsAsync<OperationCanceledException>(async () => await wait);
        rig.Core.EndRead();
        rig.Deliver(A, "1");
        Assert.Equal(["1"], rig.ReadMessages());
    }

    [Fact]
    public void Storing_and_reading_allocates_nothing_once_the_ring_has_grown()
    {
        var rig = new InboxRig(capacity: 10_000);
        byte[] bytes = new byte[100];
        Cycle(rig, bytes, 50);
        long before = GC.GetAllocatedBytesForCurrentThread();
        Cycle(rig, bytes, 50);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 1_000);
    }

    [Theory]
    [InlineData(OverflowPolicy.KeepLatestByKey)]
    [InlineData(OverflowPolicy.DropOldest)]
    [InlineData(OverflowPolicy.DropNewest)]
    public async Task While_core_and_reader_run_at_once_every_number_is_told_once_whatever_is_dropped(OverflowPolicy policy)
    {
        const int count = 200_000;
        var rig = new InboxRig(capacity: 40, overflow: policy);
        Assert.Empty(rig.ReadMessages());
        string? fault = null;
        int messages = 0;
        var newest = new ulong[64];
        var reading = Task.Run(async () =>
        {
            InboxReader reader = rig.Core.BeginRead();
            for (ulong next = 1; next <= count;)
            {
                ReadOutcome outcome = reader.NextEvent(out InboxEntry entry);
                if (outcome == ReadOutcome.Entry)
                {
                    var loss = entry.Body as LossNote;
                    ulong first = loss?.First ?? entry.Number;
                    if (first != next) fault ??= $"{first} came when {next} was next";
                    next = first + (loss?.Count ?? 1);
                    if (loss is not null) continue;
                    messages++;
                    byte key = entry.Span[0];
                    if (entry.Number <= newest[key]) fault ??= $"key {key} went back";
                    newest[key] = entry.Number;
                    reader.OnCopied(entry);
                }
                else if (reader.Arm(events: true))
                {
                    await reader.Signal.WaitAsync(default);
                }
            }
            rig.Core.EndRead();
        });
        for (int index = 0; index < count; index++)
        {
            rig.DeliverOne(A, [(byte)(index * 7 % (index % 1_000 < 500 ? 5 : 64))]);
            if (index % 50 != 49) continue;
            rig.Core.Publish();
            rig.Shared.Returns.Drain();
        }
        rig.Core.Publish();
        await reading.WaitAsync(TimeSpan.FromSeconds(60));
        Assert.Null(fault);
        Assert.Equal(count, messages + rig.Dropped.Count);
        Assert.Equal(0, rig.Core.Messages);
        Assert.Equal(0, rig.Core.Bytes);
        Assert.Equal(0, rig.Core.PinnedBytes);
        rig.CloseArena();
        rig.Shared.Returns.Drain();
        Assert.Equal(0, rig.Pool.OutstandingChunks);
    }

    [Fact]
    public async Task Nothing_is_lost_or_reordered_between_a_core_and_a_reader_that_run_at_once()
    {
        const int count = 300_000;
        var rig = new InboxRig(capacity: count);
        ulong wrong = 0;
        var reading = Task.Run(async () =>
        {
            InboxReader reader = rig.Core.BeginRead();
            ulong next = 1;
            while (next <= count)
            {
                if (reader.NextMessage(out InboxEntry entry) == ReadOutcome.Entry)
                {
                    if (entry.Number != next++) wrong++;
                    reader.OnCopied(entry);
                }
                else if (reader.Arm(events: false))
                {
                    await reader.Signal.WaitAsync(default);
                }
            }
            rig.Core.EndRead();
        });
        for (int index = 0; index < count; index++)
        {
            rig.DeliverOne(A, [1]);
            if (index % 50 != 49) continue;
            rig.Core.Publish();
            rig.Shared.Returns.Drain();
        }
        rig.Core.Publish();
        await reading.WaitAsync(TimeSpan.FromSeconds(30));
        Assert.Equal(0UL, wrong);
        rig.Shared.Returns.Drain();
        rig.CloseArena();
        Assert.InRange(rig.Pool.OutstandingChunks, 0, 2);
    }

    private static void Cycle(InboxRig rig, byte[] bytes, int rounds)
    {
        for (int round = 0; round < rounds; round++)
        {
            for (int index = 0; index < 200; index++) rig.DeliverOne(A, bytes);
            rig.Core.Publish();
            InboxReader reader = rig.Core.BeginRead();
            while (reader.NextMessage(out InboxEntry entry) == ReadOutcome.Entry) reader.OnCopied(entry);
            rig.Core.EndRead();
            rig.Shared.Returns.Drain();
        }
    }
}
