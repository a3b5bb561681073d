using QuickSilver.Inboxes;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Tests.Inboxes;

/// <summary>What is stored, shown and read, and in which order, with room for everything.</summary>
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
        Assert.True(rig.Core.TryReserve());
        Assert.Empty(rig.ReadMessages());
        while (rig.Core.TryTakeHeld(out InboxEntry entry))
        {
            seen.Add(entry.Number);
            rig.Core.Forget(entry);
        }
        rig.Core.EndReservation(isTaken: true);
        rig.Core.Publish();
        Assert.Equal([1UL, 2UL], seen);
        Assert.False(rig.Core.TryReserve());
        Assert.Equal(["view ->1"], rig.ReadEvents());
        rig.Deliver(A, "4");
        Assert.Equal(["4"], rig.ReadMessages());
    }

    [Fact]
    public void After_a_handler_was_the_first_consumer_nothing_is_stored_until_a_reader_is_called_for()
    {
        var rig = new InboxRig();
        Assert.True(rig.Core.TryReserve());
        Assert.False(rig.Core.TryTakeHeld(out _));
        rig.Core.EndReservation(isTaken: true);
        rig.Deliver(A, "1");
        Assert.Equal(0, rig.Core.Messages);
        rig.Core.ExpectReader();
        rig.Deliver(A, "2");
        Assert.Equal(["2"], rig.ReadMessages());
    }

    [Fact]
    public void What_a_handler_leaves_of_what_was_held_is_the_next_consumers()
    {
        var rig = new InboxRig();
        rig.Deliver(A, "1", "2", "3");
        Assert.True(rig.Core.TryReserve());
        Assert.True(rig.Core.TryTakeHeld(out InboxEntry entry));
        rig.Core.Forget(entry);
        rig.Core.EndReservation(isTaken: false);
        rig.Deliver(A, "4");
        Assert.Equal(["2", "3", "4"], rig.ReadMessages());
        Assert.False(rig.Core.TryReserve());
    }
}
