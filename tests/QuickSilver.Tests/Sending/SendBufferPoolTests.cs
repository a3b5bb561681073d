using QuickSilver.Protocol.Tests;
using QuickSilver.Sending;

namespace QuickSilver.Tests.Sending;

public sealed class SendBufferPoolTests
{
    [Theory]
    [InlineData(0, 256)]
    [InlineData(1, 256)]
    [InlineData(256, 256)]
    [InlineData(257, 512)]
    [InlineData(1000, 1024)]
    [InlineData(65_536, 65_536)]
    [InlineData(SendBufferPool.LargestBytes, SendBufferPool.LargestBytes)]
    public void A_message_gets_the_smallest_size_that_holds_it(int bytes, int expected)
    {
        PooledPayload payload = new SendBufferPool().Rent(bytes);
        Assert.Equal(expected, payload.Array.Length);
        Assert.Equal(bytes, payload.Span.Length);
    }

    [Fact]
    public void A_message_beyond_the_largest_size_is_refused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => new SendBufferPool().Rent(SendBufferPool.LargestBytes + 1));
        Assert.Throws<ArgumentOutOfRangeException>(() => new SendBufferPool().Rent(-1));
    }

    [Fact]
    public void What_came_back_last_is_rented_first_after_its_last_release_only()
    {
        var pool = new SendBufferPool();
        PooledPayload first = pool.Copy([1, 2, 3]);
        first.Retain();
        first.Release();
        Assert.NotSame(first, pool.Rent(3));
        first.Release();
        pool.OnTurnEnded();
        Assert.Same(first, pool.Rent(10));
    }

    [Fact]
    public void What_the_core_collects_is_free_with_the_end_of_its_turn_or_when_it_is_much()
    {
        var pool = new SendBufferPool();
        PooledPayload[] rented = [.. Enumerable.Range(0, 100).Select(_ => pool.Rent(1000))];
        for (int index = 0; index < 40; index++) rented[index].Release();
        Assert.Equal(68, pool.CountRented());
        pool.OnTurnEnded();
        Assert.Equal(60, pool.CountRented());
        for (int index = 40; index < 100; index++) rented[index].Release();
        pool.OnTurnEnded();
        Assert.Equal(0, pool.CountRented());
        Assert.Equal(rented.ToHashSet(), Enumerable.Range(0, 100).Select(_ => pool.Rent(1000)).ToHashSet());
    }

    [Fact]
    public void What_is_made_beyond_the_budget_is_not_kept()
    {
        var pool = new SendBufferPool(keptBytesPerSize: 4 * 1024);
        PooledPayload[] rented = [.. Enumerable.Range(0, 6).Select(_ => pool.Rent(1024))];
        foreach (PooledPayload payload in rented) payload.Release();
        pool.OnTurnEnded();
        var again = Enumerable.Range(0, 6).Select(_ => pool.Rent(1024)).ToHashSet();
        Assert.Equal(4, again.Intersect(rented).Count());
    }

    [Fact]
    public void Renting_on_one_thread_and_returning_on_another_never_hands_one_buffer_to_two()
    {
        const int renters = 3;
        const int each = 60_000;
        var pool = new SendBufferPool();
        var toReturn = new System.Collections.Concurrent.ConcurrentQueue<PooledPayload>();
        int clashes = 0;
        int returned = 0;
        Thread[] threads = [.. Enumerable.Range(1, renters).Select(name => new Thread(() =>
        {
            for (int index = 0; index < each; index++)
            {
                PooledPayload payload = pool.Rent(8);
                payload.Array.AsSpan(0, 8).Fill((byte)name);
                if (payload.Array.AsSpan(0, 8).IndexOfAnyExcept((byte)name) >= 0) Interlocked.Increment(ref clashes);
                if (index % 7 == 0) payload.Return();
                else toReturn.Enqueue(payload);
                if (index % 7 == 0) Interlocked.Increment(ref returned);
            }
        }))];
        foreach (Thread thread in threads) thread.Start();
        var spin = default(SpinWait);
        while (Volatile.Read(ref returned) < renters * each)
        {
            if (!toReturn.TryDequeue(out PooledPayload? payload))
            {
                spin.SpinOnce();
                continue;
            }
            byte owner = payload.Array[0];
            if (payload.Array.AsSpan(0, 8).IndexOfAnyExcept(owner) >= 0) Interlocked.Increment(ref clashes);
            payload.Release();
            if (returned % 100 == 0) pool.OnTurnEnded();
            Interlocked.Increment(ref returned);
        }
        foreach (Thread thread in threads) thread.Join();
        Assert.Equal(0, clashes);
    }

    [Fact]
    public void A_warm_pool_allocates_nothing()
    {
        var pool = new SendBufferPool();
        PooledPayload[] out1 = new PooledPayload[300];
        Cycle(pool, out1);
        Assert.Equal(0, AllocatedBytes.Of(() =>
        {
            for (int round = 0; round < 20; round++) Cycle(pool, out1);
        }));
    }

    private static void Cycle(SendBufferPool pool, PooledPayload[] rented)
    {
        for (int index = 0; index < rented.Length; index++) rented[index] = pool.Rent(1000);
        foreach (PooledPayload payload in rented) payload.Release();
        pool.OnTurnEnded();
    }
}
