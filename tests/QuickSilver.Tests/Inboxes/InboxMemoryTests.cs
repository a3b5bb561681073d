using QuickSilver.Inboxes;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Tests;

namespace QuickSilver.Tests.Inboxes;

/// <summary>Received memory is returned, and reading allocates nothing.</summary>
public sealed class InboxMemoryTests
{
    private static readonly NodeInfo A = InboxRig.Node("a", 1);

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
    public void Without_a_limit_in_bytes_nothing_is_copied()
    {
        var rig = new InboxRig(bytes: long.MaxValue);
        rig.Deliver(A, "message");
        Assert.Equal(BufferPool.ChunkBytes, rig.Core.PinnedBytes);
    }

    [Fact]
    public void A_handle_that_is_gone_before_its_leave_is_done_stores_nothing_more_and_is_forgotten_with_it()
    {
        var rig = new InboxRig();
        rig.Deliver(A, "read by nobody");
        rig.DeliverOne(A, [1]);
        rig.Core.SetEnd(null);
        rig.Core.Discard();
        rig.Deliver(A, "after the dispose");
        Assert.Equal(1, rig.Core.Messages);
        rig.Core.Close(null);
        rig.CloseArena();
        rig.Shared.Returns.Drain();
        Assert.Equal(0, rig.Core.Messages);
        Assert.Equal(0, rig.Pool.OutstandingChunks);
        Assert.Empty(rig.Shared.Budget.Active);
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
    public void Storing_and_reading_allocates_nothing_once_the_ring_has_grown()
    {
        var rig = new InboxRig(capacity: 10_000);
        byte[] bytes = new byte[100];
        Cycle(rig, bytes, 50);
        Assert.InRange(AllocatedBytes.Of(() => Cycle(rig, bytes, 50)), 0, 1_000);
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
