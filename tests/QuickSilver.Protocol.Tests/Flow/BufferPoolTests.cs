using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;

namespace QuickSilver.Protocol.Tests.Flow;

public sealed class BufferPoolTests
{
    [Fact]
    public void AChunkGoesHomeWithItsLastReference()
    {
        var pool = new BufferPool();
        Chunk chunk = pool.Rent(BufferOwner.Pending);
        chunk.Retain(2);
        chunk.Release();
        chunk.Release();
        Assert.Equal(1, pool.OutstandingChunks);
        Assert.Equal(BufferPool.ChunkBytes, pool.OutstandingBytesOf(BufferOwner.Pending));

        chunk.Release();

        Assert.Equal(0, pool.OutstandingChunks);
        Assert.Equal(0, pool.OutstandingBytes);
        Assert.Equal(0, pool.OutstandingBytesOf(BufferOwner.Pending));
    }

    [Fact]
    public void AReturnedChunkIsUsedAgain()
    {
        var pool = new BufferPool();
        Chunk chunk = pool.Rent(BufferOwner.Cache);
        chunk.Release();

        Chunk again = pool.Rent(BufferOwner.Control);

        Assert.Same(chunk, again);
        Assert.Equal(BufferOwner.Control, again.Owner);
        Assert.Equal(1, again.References);
    }

    [Theory]
    [InlineData(1, 1 << 16)]
    [InlineData(1 << 16, 1 << 16)]
    [InlineData((1 << 16) + 1, 1 << 17)]
    [InlineData(16 << 20, 16 << 20)]
    [InlineData((16 << 20) + 1, 32 << 20)]
    public void ARentedChunkIsTheNextPowerOfTwo(int asked, int got)
    {
        var pool = new BufferPool();
        Assert.Equal(got, pool.Rent(asked, BufferOwner.Reassembly).Length);
    }

    [Fact]
    public void MoreThanTheLargestMessageIsRefused() =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new BufferPool().Rent((32 << 20) + 1, BufferOwner.Reassembly));

    [Fact]
    public void NoMoreIsKeptThanAllowed()
    {
        var pool = new BufferPool(keptBytes: BufferPool.ChunkBytes);
        Chunk first = pool.Rent(BufferOwner.Cache);
        Chunk second = pool.Rent(BufferOwner.Cache);
        first.Release();
        second.Release();

        Assert.Same(first, pool.Rent(BufferOwner.Cache));
        Assert.NotSame(second, pool.Rent(BufferOwner.Cache));
    }

    [Fact]
    public void RentingAndReturningAllocateNothing()
    {
        var pool = new BufferPool();
        Exercise(pool);

        Assert.Equal(0, AllocatedBytes.Of(() => Exercise(pool)));
    }

    [Fact]
    public void BooksAreRightUnderRandomUse()
    {
        for (ulong seed = 1; seed <= 20; seed++)
        {
            var random = new SeededRandom(seed);
            var pool = new BufferPool(keptBytes: 4 << 20);
            var held = new List<(Chunk Chunk, BufferOwner Owner, int References)>();
            for (int step = 0; step < 500; step++)
            {
                int which = held.Count == 0 ? 0 : (int)random.NextBelow((ulong)held.Count);
                switch (random.NextBelow(4))
                {
                    case 0:
                        var owner = (BufferOwner)random.NextBelow(5);
                        Chunk rented = pool.Rent(1 + (int)random.NextBelow(300_000), owner);
                        Assert.True(
                            held.TrueForAll(other => other.Chunk != rented),
                            $"seed {seed} step {step}: a chunk rented twice");
                        held.Add((rented, owner, 1));
                        break;
                    case 1 when held.Count > 0:
                        held[which].Chunk.Retain();
                        held[which] = held[which] with { References = held[which].References + 1 };
                        break;
                    case 2 or 3 when held.Count > 0:
                        held[which].Chunk.Release();
                        held[which] = held[which] with { References = held[which].References - 1 };
                        if (held[which].References == 0) held.RemoveAt(which);
                        break;
                }
                Assert.True(pool.OutstandingChunks == held.Count, $"seed {seed} step {step}: chunks");
                Assert.True(
                    pool.OutstandingBytes == held.Sum(chunk => (long)chunk.Chunk.Length),
                    $"seed {seed} step {step}: bytes");
                foreach (BufferOwner owner in Enum.GetValues<BufferOwner>())
                {
                    long bytes = held.Where(chunk => chunk.Owner == owner).Sum(chunk => (long)chunk.Chunk.Length);
                    Assert.True(pool.OutstandingBytesOf(owner) == bytes, $"seed {seed} step {step}: bytes of {owner}");
                }
            }
        }
    }

    private static void Exercise(BufferPool pool)
    {
        Chunk first = pool.Rent(BufferOwner.Pending);
        Chunk second = pool.Rent(200_000, BufferOwner.Reassembly);
        first.Release();
        second.Release();
    }

    [Fact]
    public void WhatIsMadeCountsAgainstTheBudgetAndComesHomeForGoodWhileMemoryIsTight()
    {
        var budget = new Budget();
        var pool = new BufferPool(budget: budget);
        Chunk first = pool.Rent(BufferOwner.Cache);
        Chunk second = pool.Rent(BufferOwner.Cache);
        Assert.Equal(2 * BufferPool.ChunkBytes, budget.Bytes);
        Assert.False(pool.IsTight);
        first.Release();
        Assert.Equal(2 * BufferPool.ChunkBytes, budget.Bytes);
        budget.IsTight = true;
        Assert.True(pool.IsTight);
        second.Release();
        Assert.Equal(BufferPool.ChunkBytes, budget.Bytes);
        pool.Abandon();
        Assert.Equal(0, budget.Bytes);
    }

    private sealed class Budget : IMemoryBudget
    {
        public bool IsTight { get; set; }

        public long Bytes { get; private set; }

        public void Add(long bytes) => Bytes += bytes;
    }
}
