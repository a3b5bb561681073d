using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Recovery.Reception;

namespace QuickSilver.Protocol.Tests.Recovery;

public sealed class PacketCacheTests
{
    [Fact]
    public void OnePacketFarAheadTakesAPageAndNotTheWayToIt()
    {
        var pool = new BufferPool();
        var arena = new Arena(pool, BufferOwner.Cache);
        var cache = new PacketCache();
        cache.Store(1, arena.Copy([1]));
        Slice far = arena.Copy([2]);
        long before = GC.GetAllocatedBytesForCurrentThread();
        cache.Store((1 << 20) - 100, far);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 80 << 10);
        Assert.True(cache.TryGet((1 << 20) - 100, out _) && cache.TryGet(1, out _));
        cache.ReleaseThrough(1 << 20);
        arena.Close();
        Assert.Equal(0, pool.OutstandingChunks);
    }

    [Fact]
    public void AWindowThatMovesAllocatesNothing()
    {
        var pool = new BufferPool();
        var arena = new Arena(pool, BufferOwner.Cache);
        var cache = new PacketCache();
        Slice packet = arena.Copy([1]);
        ulong next = 0;
        void Move()
        {
            for (int turn = 0; turn < 100; turn++)
            {
                for (int count = 0; count < 500; count++)
                {
                    packet.Retain();
                    cache.Store(++next, packet);
                }
                cache.ReleaseThrough(next - 100);
            }
        }

        Move();
        Assert.Equal(0, AllocatedBytes.Of(Move));
    }

    [Fact]
    public void AgreesWithADictionaryAndGivesEveryBufferBack()
    {
        for (ulong seed = 1; seed <= 100; seed++)
        {
            var random = new SeededRandom(seed);
            var pool = new BufferPool();
            var arena = new Arena(pool, BufferOwner.Cache);
            var cache = new PacketCache();
            var model = new Dictionary<ulong, byte>();
            ulong floor = 0;
            for (int step = 0; step < 400; step++)
            {
                ulong sequence = floor + 1 + random.NextBelow(500);
                switch (random.NextBelow(5))
                {
                    case 0:
                        cache.Release(sequence);
                        model.Remove(sequence);
                        break;
                    case 1 when random.NextBelow(4) == 0:
                        floor += random.NextBelow(random.NextBelow(10) == 0 ? 2_000UL : 50UL);
                        cache.ReleaseThrough(floor);
                        foreach (ulong old in model.Keys.Where(key => key <= floor).ToList()) model.Remove(old);
                        break;
                    default:
                        if (model.ContainsKey(sequence)) break;
                        byte mark = (byte)random.NextUInt64();
                        cache.Store(sequence, arena.Copy([mark]));
                        model.Add(sequence, mark);
                        break;
                }
                Assert.True(cache.Bytes == model.Count, $"seed {seed}, step {step}");
            }
            foreach ((ulong sequence, byte mark) in model)
            {
                Assert.True(
                    cache.TryGet(sequence, out Slice slice) && slice.Span[0] == mark,
                    $"seed {seed}, sequence {sequence}");
            }
            cache.ReleaseThrough(floor + 10_000);
            arena.Close();
            Assert.True(pool.OutstandingChunks == 0, $"seed {seed}");
        }
    }
}
