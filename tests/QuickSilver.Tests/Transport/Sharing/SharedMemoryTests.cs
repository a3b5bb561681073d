using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Tests;
using QuickSilver.Protocol.Wire;
using QuickSilver.Transport.Sharing;
using static QuickSilver.Tests.Transport.Sharing.SharingRig;

namespace QuickSilver.Tests.Transport.Sharing;

/// <summary>What an owner of blocks and a reader of them do to each other.</summary>
public sealed class SharedMemoryTests
{
    public static TheoryData<string> Kinds => [Plain, Mapped];

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_packet_is_read_where_it_was_written(string kind)
    {
        using var rig = new SharingRig(kind);
        (SharedMemory owner, SharedMemory reader) = rig.StartPair();
        Chunk chunk = Fill(owner, 1);
        NoteBody note = NoteOf(owner, chunk, 500, 2000);
        Assert.Equal(owner.Segment, note.Segment);
        Assert.Equal(new LentPlace(note.Place.Block, 0, 500, 2000), note.Place);
        Slice slice = Borrow(reader, note, 1);
        Assert.Equal((1UL, 1UL), (rig.Counters.BlocksBorrowed, rig.Counters.PacketsBorrowed));
        Assert.Equal(BufferOwner.Cache, slice.Chunk!.Owner);
        slice.Release();
        chunk.Release();
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_block_that_nobody_holds_is_the_next_to_be_used(string kind)
    {
        using var rig = new SharingRig(kind);
        (SharedMemory owner, SharedMemory reader) = rig.StartPair();
        for (int use = 0; use < 100; use++)
        {
            Chunk chunk = Fill(owner, (byte)use);
            NoteBody note = NoteOf(owner, chunk);
            Assert.Equal((0u, (uint)use), (note.Place.Block, note.Place.Generation));
            Slice slice = Borrow(reader, note, (byte)use);
            slice.Release();
            chunk.Release();
        }
        Assert.Equal(1, owner.Own.Touched);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_note_that_comes_after_its_block_was_released_is_refused(string kind)
    {
        using var rig = new SharingRig(kind);
        (SharedMemory owner, SharedMemory reader) = rig.StartPair();
        Chunk chunk = Fill(owner, 1);
        NoteBody late = NoteOf(owner, chunk);
        chunk.Release();
        Assert.False(reader.TryBorrow(late, out Slice nothing));
        Assert.True(nothing.IsEmpty);
        Chunk again = Fill(owner, 2);
        Assert.False(reader.TryBorrow(late, out _));
        Slice slice = Borrow(reader, NoteOf(owner, again), 2);
        Assert.False(reader.TryBorrow(late, out _));
        Assert.Equal(3UL, rig.Counters.BorrowsRefused);
        slice.Release();
        again.Release();
        Assert.Equal(0u, NoteOf(owner, Fill(owner, 3)).Place.Block);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_block_that_is_held_is_not_used_again(string kind)
    {
        using var rig = new SharingRig(kind);
        (SharedMemory owner, SharedMemory reader) = rig.StartPair();
        Chunk first = Fill(owner, 1);
        NoteBody note = NoteOf(owner, first);
        Slice one = Borrow(reader, note, 1);
        Slice two = Borrow(reader, note with { Place = note.Place with { Offset = 5000 } }, 1);
        Assert.Same(one.Chunk, two.Chunk);
        first.Release();
        List<Chunk> rest = [];
        while (owner.TryRent(BufferOwner.Pending) is { } chunk)
        {
            chunk.GetSpan().Fill(9);
            rest.Add(chunk);
        }
        Assert.Equal(Blocks - 1, rest.Count);
        AssertAll(two.Span, 1);
        Slice late = Borrow(reader, note, 1);
        late.Release();
        one.Release();
        Assert.Null(owner.TryRent(BufferOwner.Pending));
        two.Release();
        Chunk again = Fill(owner, 2);
        Assert.Equal((note.Place.Block, 1u), (NoteOf(owner, again).Place.Block, NoteOf(owner, again).Place.Generation));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void What_is_borrowed_can_be_lent_on(string kind)
    {
        using var rig = new SharingRig(kind);
        (SharedMemory owner, SharedMemory reader) = rig.StartPair();
        SharedMemory third = rig.Start();
        NoteBody note = NoteOf(owner, Fill(owner, 1));
        Assert.False(third.TryBorrow(note, out _));
        Assert.True(third.TryAttach(owner.Segment, 8));
        Slice slice = Borrow(reader, note, 1);
        Assert.True(reader.TryLocate(slice.Part(10, 20), out NoteBody part));
        Assert.Equal(note with { Place = note.Place with { Offset = note.Place.Offset + 10, Length = 20 } }, part);
        Slice lent = Borrow(third, part, 1);
        Assert.False(reader.TryLocate(new Slice(new BufferPool().Rent(BufferOwner.Cache), 0, 100), out _));
        Assert.False(reader.TryLocate(default, out _));
        lent.Release();
        slice.Release();
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Who_holds_half_of_the_blocks_gets_copies(string kind)
    {
        using var rig = new SharingRig(kind);
        (SharedMemory owner, SharedMemory reader) = rig.StartPair();
        List<Slice> held = [];
        for (int block = 0; block < Blocks / 2; block++) held.Add(Borrow(reader, NoteOf(owner, Fill(owner, 1)), 1));
        Chunk more = Fill(owner, 2);
        NoteBody note = NoteOf(owner, more);
        Slice copy = Borrow(reader, note, 2);
        Slice another = Borrow(reader, note, 2);
        Assert.Equal(2UL, rig.Counters.BorrowsCopied);
        Assert.Equal((ulong)held.Count, rig.Counters.BlocksBorrowed);
        Assert.Same(copy.Chunk, another.Chunk);
        Assert.False(reader.TryLocate(copy, out _));
        more.Release();
        Assert.False(reader.TryBorrow(note, out _));
        Assert.Equal(note.Place.Block, NoteOf(owner, Fill(owner, 3)).Place.Block);
        AssertAll(copy.Span, 2);
        AssertAll(another.Span, 2);
        copy.Release();
        another.Release();
        held[0].Release();
        Slice slice = Borrow(reader, NoteOf(owner, Fill(owner, 4)), 4);
        Assert.True(reader.TryLocate(slice, out _));
    }

    [Theory]
    [InlineData(8, 0, 1)]
    [InlineData(uint.MaxValue, 0, 1)]
    [InlineData(0, -1, 10)]
    [InlineData(0, 0, 0)]
    [InlineData(0, 0, -1)]
    [InlineData(0, 0, 65_537)]
    [InlineData(0, 65_536, 1)]
    [InlineData(0, int.MaxValue, int.MaxValue)]
    [InlineData(0, int.MinValue, int.MinValue)]
    public void A_place_outside_is_refused(uint block, int offset, int length)
    {
        using var rig = new SharingRig(Plain);
        (SharedMemory owner, SharedMemory reader) = rig.StartPair();
        NoteBody note = NoteOf(owner, Fill(owner, 1));
        Assert.False(reader.TryBorrow(note with { Place = new LentPlace(block, 0, offset, length) }, out _));
        Borrow(reader, note with { Place = new LentPlace(0, 0, 0, 65_536) }, 1).Release();
        Borrow(reader, note with { Place = new LentPlace(0, 0, 65_535, 1) }, 1).Release();
        Assert.False(reader.TryBorrow(note with { Segment = note.Segment with { Key = 1 } }, out _));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void The_owner_knows_its_readers(string kind)
    {
        using var rig = new SharingRig(kind);
        SharedMemory owner = rig.Start();
        SharedMemory reader = rig.Start();
        uint before = owner.ReaderChanges;
        Assert.False(owner.IsReadBy(7));
        Assert.True(reader.TryAttach(owner.Segment, 7));
        Assert.True(owner.IsReadBy(7));
        Assert.False(owner.IsReadBy(0));
        Assert.Equal(before + 1, owner.ReaderChanges);
        Assert.True(reader.TryAttach(owner.Segment, 7));
        Assert.Equal(before + 1, owner.ReaderChanges);
        Assert.True(reader.TryAttach(owner.Segment, 8));
        Assert.Equal(before + 2, owner.ReaderChanges);
        Assert.True(owner.IsReadBy(8));
        Assert.False(owner.IsReadBy(7));
        reader.Dispose();
        Assert.Equal(before + 3, owner.ReaderChanges);
        Assert.False(owner.IsReadBy(8));
        Assert.False(reader.TryAttach(owner.Segment, 8));
        Assert.False(owner.TryAttach(owner.Segment, 9));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void What_is_out_when_nodes_stop_stays_good(string kind)
    {
        using var rig = new SharingRig(kind);
        (SharedMemory owner, SharedMemory reader) = rig.StartPair();
        Chunk own = Fill(owner, 1);
        Slice slice = Borrow(reader, NoteOf(owner, own), 1);
        reader.Dispose();
        Assert.True(owner.IsReadBy(7));
        owner.Dispose();
        Assert.Null(owner.TryRent(BufferOwner.Pending));
        Collect();
        AssertAll(own.GetSpan(), 1);
        AssertAll(slice.Span, 1);
        slice.Release();
        Assert.False(owner.IsReadBy(7));
        own.Release();
        Assert.False(rig.Start().TryAttach(owner.Segment, 7));
    }

    [Fact]
    public void A_reader_that_is_forgotten_with_all_that_it_holds_gives_everything_back()
    {
        using var rig = new SharingRig(Mapped);
        SharedMemory owner = rig.Start();
        Chunk chunk = Fill(owner, 1);
        ReadAndForget(owner.Segment, NoteOf(owner, chunk));
        for (int attempt = 0; attempt < 20 && owner.IsReadBy(7); attempt++) Collect();
        Assert.False(owner.IsReadBy(7));
        chunk.Release();
        for (int block = 0; block < Blocks; block++) Fill(owner, 2);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Nothing_is_allocated_for_blocks_and_packets(string kind)
    {
        using var rig = new SharingRig(kind);
        (SharedMemory owner, SharedMemory reader) = rig.StartPair();
        Slice[] held = new Slice[4];
        Turn();
        Assert.Equal(0, AllocatedBytes.Of(() =>
        {
            for (int turn = 0; turn < 1000; turn++) Turn();
        }));
        Assert.True(rig.Counters.BorrowsCopied > 0);

        // All blocks but one: held in place, then copied; released before the owner, then after.
        void Turn()
        {
            for (int block = 0; block < 2 * Blocks; block++)
            {
                Chunk chunk = owner.TryRent(BufferOwner.Pending)!;
                owner.TryLocate(new Slice(chunk, 0, 1000), out NoteBody note);
                int slot = block % held.Length;
                if (held[slot].Chunk is not null) held[slot].Release();
                reader.TryBorrow(note, out held[slot]);
                reader.TryBorrow(note, out Slice second);
                chunk.Release();
                second.Release();
                if (block % 3 != 0) continue;
                held[slot].Release();
                held[slot] = default;
            }
            CopyOne();
        }

        void CopyOne()
        {
            Chunk chunk = owner.TryRent(BufferOwner.Pending)!;
            owner.TryLocate(new Slice(chunk, 0, 1000), out NoteBody note);
            for (int slot = 0; slot < held.Length; slot++)
            {
                if (held[slot].Chunk is not null) continue;
                Chunk other = owner.TryRent(BufferOwner.Pending)!;
                owner.TryLocate(new Slice(other, 0, 1000), out NoteBody place);
                reader.TryBorrow(place, out held[slot]);
                other.Release();
            }
            reader.TryBorrow(note, out Slice copy);
            copy.Release();
            chunk.Release();
        }
    }

    private static void ReadAndForget(SegmentName segment, NoteBody note)
    {
        // On a thread of its own: no register or frame of this one keeps what it leaves.
        var thread = new Thread(() =>
        {
            SharedMemory reader = SharedMemory.TryCreate(new QuickSilver.Transport.TransportCounters(), out _, Blocks)!;
            Assert.True(reader.TryAttach(segment, 7));
            Borrow(reader, note, 1);
        });
        thread.Start();
        thread.Join();
    }

    private static void Collect()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();
    }
}
