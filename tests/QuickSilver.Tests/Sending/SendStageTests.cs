using QuickSilver.Protocol.Tests;
using QuickSilver.Sending;

namespace QuickSilver.Tests.Sending;

/// <summary>What is appended comes out in order, and blocks go back to their pool.</summary>
public sealed class SendStageTests : StageRig
{
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
                Assert.True(Stage.TryAppend(Group, request));
                continue;
            }
            byte[] message = [
                .. Enumerable.Range(0, (index * 37) % (SendStage.LongestMessage + 1)).Select(at => (byte)(at + index))];
            expected.Add(message);
            Assert.True(Stage.TryAppend(Group, message));
        }
        foreach (object one in expected)
        {
            Assert.True(Stage.TryPeek(out StageEntry entry));
            Assert.Same(Group, entry.Group);
            if (one is byte[] bytes) Assert.Equal(bytes, entry.Message.ToArray());
            else Assert.Same(one, entry.Request);
            Stage.Advance();
        }
        Assert.False(Stage.TryPeek(out _));
    }

    [Fact]
    public void An_object_for_several_groups_enters_where_all_of_them_do()
    {
        FakeOwner[] owners = [new(), new(), new()];
        foreach (FakeOwner owner in owners[..2]) owner.StagedGroup.Stage = Stage;
        object request = new();
        Assert.False(Stage.TryAppend(owners, request));
        Assert.False(Stage.TryPeek(out _));
        owners[2].StagedGroup.Stage = Stage;
        Assert.True(Stage.TryAppend(owners, request));
        Assert.True(Stage.TryPeek(out StageEntry entry));
        Assert.Same(owners[0].StagedGroup, entry.Group);
        Assert.Same(request, entry.Request);
        Stage.Advance();
    }

    [Fact]
    public void What_is_shown_stays_until_it_is_taken()
    {
        Stage.TryAppend(Group, [1, 2]);
        for (int look = 0; look < 2; look++)
        {
            Assert.True(Stage.TryPeek(out StageEntry entry));
            Assert.Equal([1, 2], entry.Message.ToArray());
        }
    }

    [Fact]
    public void Messages_without_bytes_fill_a_block_too()
    {
        for (int index = 0; index < 3 * StageBlock.Slots; index++)
            Assert.True(Stage.TryAppend(Group, ReadOnlySpan<byte>.Empty));
        Assert.Equal(3, Pool.Rented);
        Assert.Equal(3 * StageBlock.Slots, TakeAll());
    }

    [Fact]
    public void An_empty_stage_has_no_block_and_one_with_messages_keeps_its_own()
    {
        Stage.ReleaseIfEmpty();
        Assert.Equal(0, Pool.Rented);
        for (int round = 0; round < 3; round++)
        {
            Stage.TryAppend(Group, [1]);
            Stage.ReleaseIfEmpty();
            Assert.Equal(1, Pool.Rented);
            Assert.Equal(1, TakeAll());
            Stage.ReleaseIfEmpty();
            Assert.Equal(0, Pool.Rented);
        }
    }

    [Fact]
    public void Blocks_that_are_read_go_back_and_serve_again()
    {
        for (int round = 0; round < 100; round++)
        {
            for (int index = 0; index < 1_000; index++) Stage.TryAppend(Group, new byte[64]);
            Assert.InRange(Pool.Rented, 1, 16);
            Assert.Equal(1_000, TakeAll());
            Assert.Equal(1, Pool.Rented);
        }
    }

    [Fact]
    public void A_group_that_has_another_stage_or_none_enters_nothing_and_its_place_is_passed_over()
    {
        var other = new FakeGroup();
        Assert.True(Stage.TryAppend(Group, [1]));
        Assert.False(Stage.TryAppend(other, new byte[100]));
        Assert.False(Stage.TryAppend(other, new object()));
        other.Stage = new SendStage(Pool);
        Assert.False(Stage.TryAppend(other, new byte[7]));
        Assert.True(Stage.TryAppend(Group, [2]));

        Assert.Equal(2, TakeAll());
        Assert.True(Stage.IsEmpty);
        Stage.ReleaseIfEmpty();
        Assert.Equal(0, Pool.Rented);
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
                Stage.TryAppend(Group, message);
                if (index % 50 == 0) Stage.TryAppend(Group, request);
            }
            TakeAll();
            Stage.ReleaseIfEmpty();
        }

        Round();
        Assert.Equal(0, AllocatedBytes.Of(() =>
        {
            for (int round = 0; round < 100; round++) Round();
        }));
    }
}
