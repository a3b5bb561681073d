using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using QuickSilver.Protocol.Tests;
using QuickSilver.Sending;

namespace QuickSilver.Tests.Sending;

public sealed class SendStageTests
{
    private readonly StageBlockPool _pool = new(64);
    private readonly SendStage _stage;
    private readonly FakeGroup _group = new();

    public SendStageTests()
    {
        _stage = new SendStage(_pool);
        _group.Stage = _stage;
    }

    [Fact]
    public void Messages_and_objects_come_out_in_order_over_many_blocks()
    {
        var expected = new List<object>();
        for (int index = 0; index < 2_000; index++)
        {
            if (index % 7 == 0)
            {
                object request = new();
                expected.Add(request);
                Assert.True(_stage.TryAppend(_group, request));
                continue;
            }
            byte[] message = [
                .. Enumerable.Range(0, (index * 37) % (SendStage.LongestMessage + 1)).Select(at => (byte)(at + index))];
            expected.Add(message);
            Assert.True(_stage.TryAppend(_group, message));
        }
        foreach (object one in expected)
        {
            Assert.True(_stage.TryPeek(out StageEntry entry));
            Assert.Same(_group, entry.Group);
            if (one is byte[] bytes) Assert.Equal(bytes, entry.Message.ToArray());
            else Assert.Same(one, entry.Request);
            _stage.Advance();
        }
        Assert.False(_stage.TryPeek(out _));
    }

    [Fact]
    public void What_is_shown_stays_until_it_is_taken()
    {
        _stage.TryAppend(_group, [1, 2]);
        for (int look = 0; look < 2; look++)
        {
            Assert.True(_stage.TryPeek(out StageEntry entry));
            Assert.Equal([1, 2], entry.Message.ToArray());
        }
    }

    [Fact]
    public void Messages_without_bytes_fill_a_block_too()
    {
        for (int index = 0; index < 3 * StageBlock.Slots; index++)
            Assert.True(_stage.TryAppend(_group, ReadOnlySpan<byte>.Empty));
        Assert.Equal(3, _pool.Rented);
        Assert.Equal(3 * StageBlock.Slots, TakeAll());
    }

    [Fact]
    public void An_empty_stage_has_no_block_and_one_with_messages_keeps_its_own()
    {
        _stage.ReleaseIfEmpty();
        Assert.Equal(0, _pool.Rented);
        for (int round = 0; round < 3; round++)
        {
            _stage.TryAppend(_group, [1]);
            _stage.ReleaseIfEmpty();
            Assert.Equal(1, _pool.Rented);
            Assert.Equal(1, TakeAll());
            _stage.ReleaseIfEmpty();
            Assert.Equal(0, _pool.Rented);
        }
    }

    [Fact]
    public void Blocks_that_are_read_go_back_and_serve_again()
    {
        for (int round = 0; round < 100; round++)
        {
            for (int index = 0; index < 1_000; index++) _stage.TryAppend(_group, new byte[64]);
            Assert.InRange(_pool.Rented, 1, 16);
            Assert.Equal(1_000, TakeAll());
            Assert.Equal(1, _pool.Rented);
        }
    }

    [Fact]
    public void A_group_that_has_another_stage_or_none_enters_nothing_and_its_place_is_passed_over()
    {
        var other = new FakeGroup();
        Assert.True(_stage.TryAppend(_group, [1]));
        Assert.False(_stage.TryAppend(other, new byte[100]));
        Assert.False(_stage.TryAppend(other, new object()));
        other.Stage = new SendStage(_pool);
        Assert.False(_stage.TryAppend(other, new byte[7]));
        Assert.True(_stage.TryAppend(_group, [2]));

        Assert.Equal(2, TakeAll());
        Assert.True(_stage.IsEmpty);
        _stage.ReleaseIfEmpty();
        Assert.Equal(0, _pool.Rented);
    }

    [Fact]
    public void What_is_looked_at_stays_and_what_is_taken_out_is_passed_over()
    {
        var other = new FakeGroup { Stage = _stage };
        for (int index = 0; index < 3 * StageBlock.Slots; index++)
            _stage.TryAppend(index % 3 == 0 ? other : _group, BitConverter.GetBytes(index));
        StagePosition at = _stage.Start!.Value;
        int seen = 0;
        bool isEnd;
        while (_stage.TryLook(ref at, out StageEntry entry, out isEnd))
        {
            Assert.Equal(seen++, BitConverter.ToInt32(entry.Message));
            if (entry.Group == other) at.Block.TakeOut(at.Slot - 1);
        }
        Assert.True(isEnd);
        Assert.Equal(3 * StageBlock.Slots, seen);
        for (int index = 0; index < 3 * StageBlock.Slots; index++)
        {
            if (index % 3 == 0) continue;
            Assert.True(_stage.TryPeek(out StageEntry entry));
            Assert.Equal(index, BitConverter.ToInt32(entry.Message));
            _stage.Advance();
        }
        Assert.False(_stage.TryPeek(out _));
    }

    [Fact]
    public void An_incomplete_entry_ends_the_look_before_the_end()
    {
        _stage.TryAppend(_group, [1]);
        StageBlock block = Tail(_stage)!;
        long word = block.Word;
        Assert.True(block.TryTake(word, 5));
        _stage.TryAppend(_group, [2]);
        StagePosition at = _stage.Start!.Value;
        Assert.True(_stage.TryLook(ref at, out _, out _));
        Assert.False(_stage.TryLook(ref at, out _, out bool isEnd));
        Assert.False(isEnd);
        block.Void(word);
        Assert.True(_stage.TryLook(ref at, out StageEntry empty, out _));
        Assert.Null(empty.Group);
        Assert.True(_stage.TryLook(ref at, out _, out _));
        Assert.False(_stage.TryLook(ref at, out _, out isEnd));
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
                Assert.True(_stage.TryAppend(groups[index % count], message));
            }
            for (int group = 0; group < count; group++)
            {
                int[] chain = TakeChain(groups[group]);
                Assert.Equal(Enumerable.Range(0, each).Select(index => (index * count) + group), chain);
            }
            Assert.False(_stage.TryPeek(out _));
            _stage.ReleaseIfEmpty();
        }
        Assert.Equal(0, _pool.Rented);
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
        _stage.Append(null, default, new Barrier());
        Append(groups[0], 6);
        StageBlock block = Tail(_stage)!;
        long word = block.Word;
        Assert.True(block.TryTake(word, 4));
        Append(groups[0], 7);

        Assert.Equal([1, 4], TakeChain(groups[0]));
        Assert.Equal([2], TakeChain(groups[1]));
        Assert.Equal([3], TakeChain(groups[2]));
        Assert.Equal([5], TakeChain(groups[1]));
        Assert.True(_stage.TryPeek(out StageEntry barrier));
        Assert.IsType<Barrier>(barrier.Request);
        _stage.Advance();
        Assert.Equal([6], TakeChain(groups[0]));
        Assert.False(_stage.TryPeek(out _));
        block.Void(word);
        Assert.Equal([7], TakeChain(groups[0]));
        Assert.True(_stage.IsEmpty);
    }

    [Fact]
    public void What_was_taken_out_ends_a_chain_and_the_rest_is_found_at_the_head()
    {
        FakeGroup[] groups = Groups(2);
        for (int index = 0; index < 8; index++) Append(groups[index % 2], index);
        Assert.True(_stage.TryPeek(out _));
        StagePosition at = _stage.Gather();
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
            while (_stage.TryPeek(out StageEntry entry)) isFound |= TakeChain(entry.Group!).Length == 2;
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
                _stage.TryAppend(groups[index % count], message);
                if (index % 1_000 == 0) Thread.Yield();
            }
        }))];
        foreach (Thread thread in threads) thread.Start();
        int[] next = new int[producers * count];
        int taken = 0, wrong = 0;
        var spin = default(SpinWait);
        while (taken < producers * each)
        {
            if (!_stage.TryPeek(out StageEntry entry))
            {
                _stage.ReleaseIfEmpty();
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
        Assert.False(_stage.TryPeek(out _));
    }

    [Fact]
    public void Appending_and_taking_allocates_nothing()
    {
        byte[] message = new byte[64];
        object request = new();
        void Round()
        {
            for (int index = 0; index < 500; index++)
            {
                _stage.TryAppend(_group, message);
                if (index % 50 == 0) _stage.TryAppend(_group, request);
            }
            TakeAll();
            _stage.ReleaseIfEmpty();
        }

        Round();
        Assert.Equal(0, AllocatedBytes.Of(() =>
        {
            for (int round = 0; round < 100; round++) Round();
        }));
    }

    [Fact]
    public void A_stage_that_is_growing_is_not_empty()
    {
        Assert.True(_stage.IsEmpty);
        _stage.TryAppend(_group, [1]);

        // As by a producer that was stopped between showing the new block and linking the old one to it.
        StageBlock full = Tail(_stage)!;
        StageBlock next = _pool.Rent();
        Tail(_stage) = next;
        full.Seal();
        _stage.TryAppend(_group, [2]);

        Assert.Equal(1, TakeAll());
        Assert.False(_stage.IsEmpty);
        full.Next = next;
        Assert.True(_stage.TryPeek(out StageEntry entry));
        Assert.Equal([2], entry.Message.ToArray());
        _stage.Advance();
        Assert.True(_stage.IsEmpty);
    }

    [Fact]
    public void A_producer_that_slept_while_its_block_went_to_another_stage_takes_no_place_there()
    {
        var other = new SendStage(_pool);
        var group = new FakeGroup { Stage = other };
        StageBlock block = _pool.Rent();
        _pool.Return(block);
        _stage.TryAppend(_group, [1]);
        long known = block.Word;
        TakeAll();
        _stage.ReleaseIfEmpty();

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
        SendStage[] stages = [_stage, new SendStage(_pool)];
        FakeGroup[] groups = [_group, new FakeGroup { Stage = stages[1] }];
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
        Assert.Equal(0, _pool.Rented);
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_tail")]
    private static extern ref StageBlock? Tail(SendStage stage);

    private FakeGroup[] Groups(int count) =>
        [.. Enumerable.Range(1, count).Select(number => new FakeGroup { Stage = _stage, Number = number })];

    private void Append(FakeGroup group, int value) =>
        Assert.True(_stage.TryAppend(group, BitConverter.GetBytes(value)));

    // The messages of the group at the head, as far as they are linked.
    private int[] TakeChain(StagedGroup group)
    {
        Assert.True(_stage.TryPeek(out StageEntry entry));
        Assert.Same(group, entry.Group);
        StagePosition at = _stage.Gather();
        List<int> values = [];
        bool any = true;
        while (any)
        {
            values.Add(BinaryPrimitives.ReadInt32LittleEndian(entry.Message));
            StagePosition taken = at;
            any = _stage.TryFollow(ref at, group, out entry);
            _stage.Take(taken);
        }
        return [.. values];
    }

    private int TakeAll()
    {
        int count = 0;
        for (; _stage.TryPeek(out _); count++) _stage.Advance();
        return count;
    }

    private sealed class Barrier : IStageBarrier;
}
