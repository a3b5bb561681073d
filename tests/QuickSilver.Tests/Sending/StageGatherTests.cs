using System.Buffers.Binary;
using QuickSilver.Sending;

namespace QuickSilver.Tests.Sending;

/// <summary>The messages of one group are taken before those of others, as far as nothing forbids it.</summary>
public sealed class StageGatherTests : StageRig
{
    [Fact]
    public void What_is_looked_at_stays_and_what_is_taken_out_is_passed_over()
    {
        var other = new FakeGroup { Stage = Stage };
        for (int index = 0; index < 3 * StageBlock.Slots; index++)
            Stage.TryAppend(index % 3 == 0 ? other : Group, BitConverter.GetBytes(index));
        StagePosition at = Stage.Start!.Value;
        int seen = 0;
        bool isEnd;
        while (Stage.TryLook(ref at, out StageEntry entry, out isEnd))
        {
            Assert.Equal(seen++, BitConverter.ToInt32(entry.Message));
            if (entry.Group == other) at.Block.TakeOut(at.Slot - 1);
        }
        Assert.True(isEnd);
        Assert.Equal(3 * StageBlock.Slots, seen);
        for (int index = 0; index < 3 * StageBlock.Slots; index++)
        {
            if (index % 3 == 0) continue;
            Assert.True(Stage.TryPeek(out StageEntry entry));
            Assert.Equal(index, BitConverter.ToInt32(entry.Message));
            Stage.Advance();
        }
        Assert.False(Stage.TryPeek(out _));
    }

    [Fact]
    public void An_incomplete_entry_ends_the_look_before_the_end()
    {
        Stage.TryAppend(Group, [1]);
        StageBlock block = Tail(Stage)!;
        long word = block.Word;
        Assert.True(block.TryTake(word, 5));
        Stage.TryAppend(Group, [2]);
        StagePosition at = Stage.Start!.Value;
        Assert.True(Stage.TryLook(ref at, out _, out _));
        Assert.False(Stage.TryLook(ref at, out _, out bool isEnd));
        Assert.False(isEnd);
        block.Void(word);
        Assert.True(Stage.TryLook(ref at, out StageEntry empty, out _));
        Assert.Null(empty.Group);
        Assert.True(Stage.TryLook(ref at, out _, out _));
        Assert.False(Stage.TryLook(ref at, out _, out isEnd));
        Assert.True(isEnd);
    }

    [Theory]
    [InlineData(4, 3)]
    [InlineData(1_000, 30)]
    [InlineData(64, 100)]
    public void Messages_of_groups_in_turn_are_taken_group_by_group_over_many_blocks(int length, int count)
    {
        FakeGroup[] groups = Groups(count);
        const int each = 9;
        byte[] message = new byte[length];
        // A second time, with blocks that have served.
        for (int round = 0; round < 2; round++)
        {
            for (int index = 0; index < each * count; index++)
            {
                BitConverter.TryWriteBytes(message, index);
                Assert.True(Stage.TryAppend(groups[index % count], message));
            }
            for (int group = 0; group < count; group++)
            {
                int[] chain = TakeChain(groups[group]);
                Assert.Equal(Enumerable.Range(0, each).Select(index => (index * count) + group), chain);
            }
            Assert.False(Stage.TryPeek(out _));
            Stage.ReleaseIfEmpty();
        }
        Assert.Equal(0, Pool.Rented);
    }

    [Fact]
    public void Nothing_passes_a_barrier_an_incomplete_entry_or_a_group_of_the_same_number()
    {
        FakeGroup[] groups = Groups(3);
        groups[2].Number = groups[1].Number;
        Append(groups[0], 1);
        Append(groups[1], 2);
        Append(groups[2], 3);
        Append(groups[0], 4);
        Append(groups[1], 5);
        Stage.Append(null, default, new Barrier());
        Append(groups[0], 6);
        StageBlock block = Tail(Stage)!;
        long word = block.Word;
        Assert.True(block.TryTake(word, 4));
        Append(groups[0], 7);

        Assert.Equal([1, 4], TakeChain(groups[0]));
        Assert.Equal([2], TakeChain(groups[1]));
        Assert.Equal([3], TakeChain(groups[2]));
        Assert.Equal([5], TakeChain(groups[1]));
        Assert.True(Stage.TryPeek(out StageEntry barrier));
        Assert.IsType<Barrier>(barrier.Request);
        Stage.Advance();
        Assert.Equal([6], TakeChain(groups[0]));
        Assert.False(Stage.TryPeek(out _));
        block.Void(word);
        Assert.Equal([7], TakeChain(groups[0]));
        Assert.True(Stage.IsEmpty);
    }

    [Fact]
    public void What_was_taken_out_ends_a_chain_and_the_rest_is_found_at_the_head()
    {
        FakeGroup[] groups = Groups(2);
        for (int index = 0; index < 8; index++) Append(groups[index % 2], index);
        Assert.True(Stage.TryPeek(out _));
        StagePosition at = Stage.Gather();
        at.Block.TakeOut(2);
        at.Block.TakeOut(3);
        Assert.Equal([0], TakeChain(groups[0]));
        Assert.Equal([1], TakeChain(groups[1]));
        Assert.Equal([4, 6], TakeChain(groups[0]));
        Assert.Equal([5, 7], TakeChain(groups[1]));
    }

    [Fact]
    public void The_look_for_more_of_a_group_pauses_while_it_finds_nothing_and_comes_back()
    {
        FakeGroup[] groups = Groups(100);
        int number = 0;
        void AppendEach(int count)
        {
            for (int index = 0; index < count; index++) Append(groups[index], number++);
        }

        AppendEach(100);
        foreach (FakeGroup group in groups) Assert.Single(TakeChain(group));
        int rounds = 0;
        for (bool isFound = false; !isFound; rounds++)
        {
            Assert.InRange(rounds, 0, 100);
            AppendEach(10);
            AppendEach(10);
            while (Stage.TryPeek(out StageEntry entry)) isFound |= TakeChain(entry.Group!).Length == 2;
        }
        Assert.InRange(rounds, 2, 100);
    }

    [Fact]
    public void Gathering_keeps_the_order_of_each_producer_in_each_group_while_they_append()
    {
        const int producers = 3, each = 60_000, count = 7;
        FakeGroup[] groups = Groups(count);
        Thread[] threads = [.. Enumerable.Range(0, producers).Select(producer => new Thread(() =>
        {
            Span<byte> message = stackalloc byte[16];
            for (int index = 0; index < each; index++)
            {
                BinaryPrimitives.WriteInt32LittleEndian(message, (index * producers) + producer);
                Stage.TryAppend(groups[index % count], message);
                if (index % 1_000 == 0) Thread.Yield();
            }
        }))];
        foreach (Thread thread in threads) thread.Start();
        int[] next = new int[producers * count];
        int taken = 0, wrong = 0;
        var spin = default(SpinWait);
        while (taken < producers * each)
        {
            if (!Stage.TryPeek(out StageEntry entry))
            {
                Stage.ReleaseIfEmpty();
                spin.SpinOnce();
                continue;
            }
            int group = Array.IndexOf(groups, (FakeGroup)entry.Group!);
            foreach (int value in TakeChain(groups[group]))
            {
                ref int expected = ref next[(group * producers) + (value % producers)];
                if (value / producers != (expected * count) + group) wrong++;
                expected++;
                taken++;
            }
        }
        foreach (Thread thread in threads) thread.Join();
        Assert.Equal(0, wrong);
        Assert.False(Stage.TryPeek(out _));
    }

    private sealed class Barrier : IStageBarrier;
}
