using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Flow;

public sealed class ArenaTests
{
    private readonly BufferPool _pool = new();

    [Fact]
    public void SlicesFollowEachOtherInOneChunk()
    {
        var arena = new Arena(_pool, BufferOwner.Pending);
        Slice first = arena.Take(1000);
        Slice second = arena.Take(500);

        Assert.Same(first.Chunk, second.Chunk);
        Assert.Equal(first.Offset + 1000, second.Offset);
        Assert.Equal(BufferPool.ChunkBytes - 1500, arena.Remaining);
    }

    [Fact]
    public void WhatDoesNotFitStartsAChunk()
    {
        var arena = new Arena(_pool, BufferOwner.Pending);
        Slice first = arena.Take(60_000);
        Slice second = arena.Take(6_000);

        Assert.NotSame(first.Chunk, second.Chunk);
        Assert.Equal(0, second.Offset);
        Assert.Equal(2, _pool.OutstandingChunks);
    }

    [Fact]
    public void AChunkGoesHomeWhenItsLastSliceAndTheArenaLetGo()
    {
        var arena = new Arena(_pool, BufferOwner.Cache);
        Slice first = arena.Take(10);
        Slice second = arena.Take(10);
        first.Release();
        second.Release();
        Assert.Equal(1, _pool.OutstandingChunks);

        arena.Close();

        Assert.Equal(0, _pool.OutstandingChunks);
    }

    [Fact]
    public void MoreThanAChunkGetsOneOfItsOwn()
    {
        var arena = new Arena(_pool, BufferOwner.Reassembly);
        Slice small = arena.Take(100);
        Slice large = arena.Take(200_000);
        Slice next = arena.Take(100);

        Assert.Equal(200_000, large.Length);
        Assert.Same(small.Chunk, next.Chunk);
        large.Release();
        Assert.Equal(1, _pool.OutstandingChunks);
    }

    [Fact]
    public void TrimmingGivesTheEndBack()
    {
        var arena = new Arena(_pool, BufferOwner.Pending);
        Slice slice = arena.Trim(arena.Take(1400), 900);
        Slice next = arena.Take(10);

        Assert.Equal(900, slice.Length);
        Assert.Equal(slice.Offset + 900, next.Offset);
    }

    [Fact]
    public void ATrainThatMustBeContiguousCanStartAChunk()
    {
        var arena = new Arena(_pool, BufferOwner.Pending);
        arena.Take(40_000).Release();
        arena.StartChunk();
        Slice first = arena.Take(30_000);
        Slice second = arena.Take(30_000);

        Assert.Same(first.Chunk, second.Chunk);
        Assert.Equal(30_000, second.Offset);
        Assert.Equal(1, _pool.OutstandingChunks);
    }

    [Fact]
    public void AChunkThatOthersReadIsTakenOnlyWhenAskedFor()
    {
        var memory = new SharedMemoryStub(blocks: 2);
        var arena = new Arena(_pool, BufferOwner.Pending, memory);
        Slice own = arena.Take(1000);
        Assert.False(arena.IsShared);
        Assert.False(memory.TryLocate(own, out _));

        arena.StartChunk(shared: true);
        Slice lent = arena.Take(1000);
        Assert.True(arena.IsShared);
        Assert.True(memory.TryLocate(lent, out NoteBody note));
        Assert.Equal((0, 1000), (note.Place.Offset, note.Place.Length));
        Assert.Equal(BufferOwner.Pending, lent.Chunk!.Owner);
        Assert.Equal(BufferPool.ChunkBytes - 1000, arena.Remaining);

        // What does not fit is not asked to be shared.
        Slice next = arena.Take(BufferPool.ChunkBytes);
        Assert.False(arena.IsShared);
        Assert.False(memory.TryLocate(next, out _));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void WhereNoChunkThatOthersReadIsFreeThePoolGivesOne(bool hasMemory)
    {
        var arena = new Arena(_pool, BufferOwner.Pending, hasMemory ? new SharedMemoryStub(blocks: 0) : null);
        arena.StartChunk(shared: true);

        Assert.False(arena.IsShared);
        Assert.Equal(BufferPool.ChunkBytes, arena.Remaining);
        Assert.Equal(1, _pool.OutstandingChunks);
    }

    [Fact]
    public void AChunkThatOthersReadGoesHomeWhenItsLastSliceAndTheArenaLetGo()
    {
        var memory = new SharedMemoryStub(blocks: 1);
        var arena = new Arena(_pool, BufferOwner.Pending, memory);
        arena.StartChunk(shared: true);
        Slice first = arena.Take(10);
        Slice second = arena.Trim(arena.Take(2000), 10);
        Assert.Equal(10, second.Offset);
        first.Release();
        second.Release();
        Assert.Equal(1, memory.Outstanding);

        arena.Close();

        Assert.Equal(0, memory.Outstanding);
        Assert.False(arena.IsShared);
        Assert.Equal(0, _pool.OutstandingChunks);
    }

    [Fact]
    public void SlicesNeverOverlapAndNothingLeaksUnderRandomUse()
    {
        for (ulong seed = 1; seed <= 50; seed++)
        {
            var random = new SeededRandom(seed);
            var pool = new BufferPool();
            var arena = new Arena(pool, BufferOwner.Cache);
            var held = new List<(Slice Slice, byte Fill)>();
            for (int step = 0; step < 400; step++)
            {
                if (random.NextBelow(5) < 3)
                {
                    int bytes = 1 + (int)random.NextBelow(random.NextBelow(20) == 0 ? 150_000UL : 9_000UL);
                    bool follows = bytes <= arena.Remaining && held.Count > 0;
                    Slice slice = arena.Take(bytes);
                    bool trims = random.NextBelow(2) == 0 && bytes <= BufferPool.ChunkBytes;
                    if (trims) slice = arena.Trim(slice, (int)random.NextBelow((ulong)bytes) + 1);
                    Assert.True(
                        !follows || slice.Offset > 0,
                        $"seed {seed} step {step}: a chunk was started though there was room");
                    byte fill = (byte)random.NextUInt64();
                    slice.Span.Fill(fill);
                    held.Add((slice, fill));
                }
                else if (held.Count > 0)
                {
                    int which = (int)random.NextBelow((ulong)held.Count);
                    Slice released = held[which].Slice;
                    Assert.True(
                        released.Span.IndexOfAnyExcept(held[which].Fill) < 0,
                        $"seed {seed} step {step}: another slice wrote here");
                    released.Release();
                    held.RemoveAt(which);
                }
            }
            foreach ((Slice slice, byte fill) in held)
            {
                Assert.True(slice.Span.IndexOfAnyExcept(fill) < 0, $"seed {seed}: another slice wrote here");
                slice.Release();
            }
            arena.Close();
            Assert.True(pool.OutstandingChunks == 0, $"seed {seed}: {pool.OutstandingChunks} chunks leaked");
        }
    }
}
