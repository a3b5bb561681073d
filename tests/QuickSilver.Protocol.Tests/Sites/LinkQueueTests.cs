using QuickSilver.Protocol.Sites.Links;

namespace QuickSilver.Protocol.Tests.Sites;

/// <summary>Which record leaves a link next.</summary>
public sealed class LinkQueueTests
{
    [Fact]
    public void FlowsTakeTurnsAndKeepTheirOrder()
    {
        var queue = new LinkQueue();
        for (byte record = 1; record <= 5; record++) queue.Enqueue(Item(7, record));
        queue.Enqueue(Item(8, 11));
        queue.Enqueue(Item(8, 12));
        Assert.Equal(7, queue.Count);
        Assert.Equal([1, 11, 2], Take(queue, 3));
        queue.Enqueue(Item(9, 21));
        Assert.Equal([12, 3, 21, 4, 5], Take(queue, 5));
        Assert.Equal(0, queue.Count);
    }

    [Fact]
    public void WhatGatewaysTellEachOtherGoesFirst()
    {
        var queue = new LinkQueue();
        queue.Enqueue(Item(7, 1));
        queue.Enqueue(Item(0, 31));
        queue.Enqueue(Item(0, 32));
        Assert.Equal([31, 32, 1], Take(queue, 3));
    }

    [Fact]
    public void AFlowThatWasEmptyBeginsAgain()
    {
        var queue = new LinkQueue();
        for (byte record = 1; record <= 3; record++)
        {
            queue.Enqueue(Item(7, record));
            queue.Enqueue(Item(record, 10));
            Assert.Equal([record, 10], Take(queue, 2));
        }
        Assert.Equal(0, queue.Count);
    }

    private static LinkItem Item(ulong flow, byte record) => new(new[] { record }, default, flow);

    private static byte[] Take(LinkQueue queue, int count) =>
        [.. Enumerable.Range(0, count).Select(_ => queue.Dequeue().Head.Span[0])];
}
