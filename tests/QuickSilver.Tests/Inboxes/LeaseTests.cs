using System.Text;
using QuickSilver.Inboxes;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Tests.Inboxes;

public sealed class LeaseTests
{
    private static readonly NodeInfo A = InboxRig.Node("a");

    [Fact]
    public void A_lease_shows_its_message_until_it_is_disposed_of()
    {
        var rig = new InboxRig();
        rig.Deliver(A, "hello");
        MessageLease lease = Take(rig, 1)[0];
        Assert.Equal("hello", lease.GetString());
        Assert.Equal("a", lease.SenderName);
        Assert.Equal(1UL, lease.Sequence);
        Assert.Equal(new MemberId(A), lease.Sender);

        lease.Dispose();
        lease.Dispose();
        Assert.Throws<ObjectDisposedException>(() => lease.Payload);
        Assert.Throws<ObjectDisposedException>(() => lease.ToMessage());
        Assert.Throws<ObjectDisposedException>(() => lease.Group);
        Assert.Throws<ObjectDisposedException>(() => default(MessageLease).Payload);
        default(MessageLease).Dispose();
    }

    [Fact]
    public void A_copy_that_outlived_its_lease_does_not_see_the_slots_next_message()
    {
        var rig = new InboxRig();
        rig.Deliver(A, "first", "second");
        MessageLease first = Take(rig, 1)[0];
        MessageLease copy = first;
        Assert.Equal(first, copy);
        first.Dispose();
        MessageLease second = Take(rig, 1)[0];
        Assert.NotEqual(first, second);
        Assert.Throws<ObjectDisposedException>(() => copy.Sequence);
        copy.Dispose();
        Assert.Equal("second", second.GetString());
    }

    [Fact]
    public async Task Who_reads_a_lease_while_it_ends_gets_its_message_or_hears_that_it_has_ended()
    {
        var rig = new InboxRig();
        MessageLease shared = default;
        using var stop = new CancellationTokenSource();
        var reader = Task.Run(() =>
        {
            int read = 0;
            while (!stop.IsCancellationRequested)
            {
                MessageLease lease = shared;
                try
                {
                    Message message = lease.ToMessage();
                    Assert.Equal(LengthOf((int)message.Sequence), message.Payload.Length);
                    read++;
                }
                catch (ObjectDisposedException)
                {
                    // Ended meanwhile, or the copy of it was torn.
                }
            }
            return read;
        });
        for (int number = 1; number <= 2_000; number++)
        {
            rig.DeliverOne(A, new byte[LengthOf(number)]);
            rig.Core.Publish();
            MessageLease lease = Take(rig, 1)[0];
            shared = lease;
            Thread.SpinWait(20);
            lease.Dispose();
            rig.Shared.Returns.Drain();
        }
        await stop.CancelAsync();
        await reader;

        // In a shared chunk, and in one of its own: what is of the one does not fit the other.
        static int LengthOf(int number) => number % 2 == 0 ? number : 100_000 + number;
    }

    [Fact]
    public void Leases_count_as_unread_bytes_until_disposed_of_in_any_order_from_any_thread()
    {
        var rig = new InboxRig();
        rig.Deliver(A, "12345", "12345", "12345");
        rig.CloseArena();
        List<MessageLease> leases = Take(rig, 3);
        Assert.Equal(0, rig.Core.Messages);
        Assert.Equal(15, rig.Core.Bytes);
        Assert.Equal(3, rig.Shared.Leases.Outstanding);
        Assert.Equal(1, rig.Pool.OutstandingChunks);

        leases.Reverse();
        Parallel.ForEach(leases, static lease => lease.Dispose());
        rig.Shared.Returns.Drain();
        Assert.Equal(0, rig.Core.Bytes);
        Assert.Equal(0, rig.Core.PinnedBytes);
        Assert.Equal(0, rig.Shared.Leases.Outstanding);
        Assert.Equal(0, rig.Pool.OutstandingChunks);
    }

    [Fact]
    public void Leases_that_are_kept_fill_the_inbox()
    {
        var rig = new InboxRig(bytes: 10, overflow: OverflowPolicy.DropNewest);
        rig.Deliver(A, "12345", "12345");
        List<MessageLease> leases = Take(rig, 2);
        rig.Deliver(A, "x");
        Assert.Equal(0, rig.Core.Messages);
        leases[0].Dispose();
        rig.Deliver(A, "y");
        Assert.Equal(["y"], rig.ReadMessages());
    }

    [Fact]
    public void A_lease_can_be_read_and_disposed_of_after_the_core_is_gone()
    {
        var rig = new InboxRig();
        rig.Deliver(A, "hello");
        MessageLease lease = Take(rig, 1)[0];
        rig.Core.Close(null);
        rig.Shared.Returns.Close();
        Assert.Equal("hello", lease.GetString());
        lease.Dispose();
        Assert.Equal(0, rig.Shared.Leases.Outstanding);
    }

    [Fact]
    public void A_sleeping_core_is_woken_when_much_has_been_given_back()
    {
        var rig = new InboxRig(capacity: 10_000);
        for (int index = 0; index < 2_000; index++) rig.DeliverOne(A, Encoding.UTF8.GetBytes("x"));
        rig.Core.Publish();
        foreach (MessageLease lease in Take(rig, 400)) lease.Dispose();
        Assert.Equal(0, rig.Wakes);
        foreach (MessageLease lease in Take(rig, 1_600)) lease.Dispose();
        Assert.Equal(1, rig.Wakes);
    }

    private static List<MessageLease> Take(InboxRig rig, int count)
    {
        var leases = new List<MessageLease>();
        InboxReader reader = rig.Core.BeginRead();
        while (leases.Count < count && reader.NextMessage(out InboxEntry entry) == ReadOutcome.Entry)
            leases.Add(reader.Lease(entry));
        rig.Core.EndRead();
        return leases;
    }
}
