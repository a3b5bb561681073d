using System.Buffers.Binary;
using QuickSilver.Sending;

namespace QuickSilver.Tests.Sending;

/// <summary>Producers append while the stage grows, and while its blocks go to other stages.</summary>
public sealed class StageProducersTests : StageRig
{
    [Fact]
    public void A_stage_that_is_growing_is_not_empty()
    {
        Assert.True(Stage.IsEmpty);
        Stage.TryAppend(Group, [1]);

        // As by a producer that was stopped between showing the new block and linking the old one to it.
        StageBlock full = Tail(Stage)!;
        StageBlock next = Pool.Rent();
        Tail(Stage) = next;
        full.Seal();
        Stage.TryAppend(Group, [2]);

        Assert.Equal(1, TakeAll());
        Assert.False(Stage.IsEmpty);
        full.Next = next;
        Assert.True(Stage.TryPeek(out StageEntry entry));
        Assert.Equal([2], entry.Message.ToArray());
        Stage.Advance();
        Assert.True(Stage.IsEmpty);
    }

    [Fact]
    public void A_producer_that_slept_while_its_block_went_to_another_stage_takes_no_place_there()
    {
        var other = new SendStage(Pool);
        var group = new FakeGroup { Stage = other };
        StageBlock block = Pool.Rent();
        Pool.Return(block);
        Stage.TryAppend(Group, [1]);
        long known = block.Word;
        TakeAll();
        Stage.ReleaseIfEmpty();

        other.TryAppend(group, [7]);
        Assert.True(StageBlock.HasRoom(block.Word, 1));
        Assert.False(block.TryTake(known, 1));
        Assert.True(block.TryTake(block.Word, 1));
    }

    // Two stages swap blocks all the time: each is emptied, and gives its block up, as often as it can.
    [Fact]
    public void Nothing_is_lost_doubled_reordered_or_mixed_up_with_many_producers_and_stages_that_share_blocks()
    {
        const int producers = 4;
        const int each = 100_000;
        SendStage[] stages = [Stage, new SendStage(Pool)];
        FakeGroup[] groups = [Group, new FakeGroup { Stage = stages[1] }];
        Thread[] threads = [.. Enumerable.Range(0, producers).Select(producer => new Thread(() =>
        {
            Span<byte> message = stackalloc byte[64];
            for (int index = 0; index < each; index++)
            {
                Span<byte> cut = message[..(16 + (index % 48))];
                BinaryPrimitives.WriteInt32LittleEndian(cut, producer);
                BinaryPrimitives.WriteInt32LittleEndian(cut[4..], index);
                BinaryPrimitives.WriteInt32LittleEndian(cut[^4..], index);
                int to = (producer + index) % 2;
                stages[to].TryAppend(groups[to], cut);
                if (index % 1_000 == 0) Thread.Yield();
            }
        }))];
        foreach (Thread thread in threads) thread.Start();

        int[] next = new int[2 * producers];
        for (int producer = 0; producer < producers; producer++) next[(1 * producers) + producer] = 1;
        int taken = 0;
        int wrong = 0;
        var spin = default(SpinWait);
        while (taken < producers * each)
        {
            int before = taken;
            for (int stage = 0; stage < 2; stage++)
            {
                while (stages[stage].TryPeek(out StageEntry entry))
                {
                    ReadOnlySpan<byte> message = entry.Message;
                    int producer = BinaryPrimitives.ReadInt32LittleEndian(message);
                    int index = BinaryPrimitives.ReadInt32LittleEndian(message[4..]);
                    ref int expected = ref next[((producer + stage) % 2 * producers) + producer];
                    bool isRight = index == expected
                        && message.Length == 16 + (index % 48)
                        && BinaryPrimitives.ReadInt32LittleEndian(message[^4..]) == index;
                    if (!isRight) wrong++;
                    expected = index + 2;
                    stages[stage].Advance();
                    taken++;
                }
                stages[stage].ReleaseIfEmpty();
            }
            if (taken == before) spin.SpinOnce();
        }
        foreach (Thread thread in threads) thread.Join();

        Assert.Equal(0, wrong);
        foreach (SendStage stage in stages)
        {
            Assert.False(stage.TryPeek(out _));
            stage.ReleaseIfEmpty();
        }
        Assert.Equal(0, Pool.Rented);
    }
}
