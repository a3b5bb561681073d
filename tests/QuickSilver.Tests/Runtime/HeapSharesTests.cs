using QuickSilver.Runtime;

namespace QuickSilver.Tests.Runtime;

/// <summary>Limits of memory that nobody set follow the heap that the process may have.</summary>
public sealed class HeapSharesTests
{
    [Theory]
    [InlineData(40L << 20)]
    [InlineData(64L << 20)]
    [InlineData(192L << 20)]
    [InlineData(1L << 30)]
    public void What_the_limits_allow_together_fits_into_the_heap(long heap)
    {
        foreach (int nodes in (int[])[1, 2, 4])
        {
            var shares = new HeapShares(heap, nodes);
            // A stalled reader keeps three times its limit; what is pending is copied once more on its way.
            long most = (3 * shares.InboxMaxBytesPerNode) + (2 * shares.NodePendingBytes) + shares.CacheBytes;
            Assert.InRange(nodes * most, 1, heap * 13 / 16);
            Assert.True(shares.InboxMaxBytes <= shares.InboxMaxBytesPerNode);
            Assert.True(shares.PendingBytes <= shares.NodePendingBytes);
        }
    }

    [Fact]
    public void A_large_heap_changes_nothing()
    {
        var shares = new HeapShares(8L << 30);
        Assert.Equal(65_536, shares.InboxMaxMessages);
        Assert.Equal(64L << 20, shares.InboxMaxBytes);
        Assert.Equal(512L << 20, shares.InboxMaxBytesPerNode);
        Assert.Equal(100_000, shares.PendingMessages);
        Assert.Equal(64L << 20, shares.PendingBytes);
        Assert.Equal(256L << 20, shares.NodePendingBytes);
        Assert.Equal(256L << 20, shares.CacheBytes);
    }

    [Fact]
    public void What_was_set_stays_and_what_was_not_follows_the_heap()
    {
        var options = new QuickSilverOptions();
        options.Delivery.InboxMaxBytes = 200L << 20;
        options.Pending.MaxBytesPerRegion = 100L << 20;
        QuickSilverOptions copy = options.Copy();
        copy.Settle(new HeapShares(64L << 20));
        Assert.Equal(200L << 20, copy.Delivery.InboxMaxBytes);
        Assert.Equal(8L << 20, copy.Delivery.InboxMaxBytesPerNode);
        Assert.Equal(100L << 20, copy.Pending.MaxBytesPerRegion);
        Assert.Equal(100L << 20, copy.Pending.MaxBytesPerNode);
        Assert.Equal(8L << 20, copy.Recovery.CacheBytes);
        Assert.Empty(copy.Validate());
    }

    [Fact]
    public void Memory_is_tight_beyond_the_limit_and_not_below()
    {
        var memory = new ProcessMemory(limit: 1_000);
        memory.Add(1_000);
        Assert.False(memory.IsTight);
        memory.Add(1);
        Assert.True(memory.IsTight);
        memory.Add(-500);
        Assert.False(memory.IsTight);
    }
}
