using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;

namespace QuickSilver.Protocol.Tests.Flow;

/// <summary>What may go on where a batch ends, and what only looks like it.</summary>
public sealed class DeliveryBatchTests
{
    private readonly Chunk _chunk = new BufferPool().Rent(BufferOwner.Cache);

    [Fact]
    public void WhatFollowsAtTheSameDistanceIsAppended()
    {
        var run = new DeliveryBatch(7, At(100));
        Assert.True(run.TryAppend(new DeliveryBatch(8, At(130))));
        Assert.True(run.TryAppend(new DeliveryBatch(9, At(160), count: 3, distance: 30)));
        Assert.False(run.TryAppend(new DeliveryBatch(12, At(251))));
        Assert.Equal((5, 30, 12UL), (run.Count, run.Distance, run.End));
        Assert.Equal(4 * 30 + 20, run.Span.Length);
    }

    /// <summary>As own messages may that waited for others, packed later, and lie in the same chunk.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(70)]
    [InlineData(80)]
    [InlineData(100)]
    [InlineData(101)]
    [InlineData(119)]
    public void WhatLiesBeforeTheRunOrInItIsNotAppended(int offset)
    {
        var run = new DeliveryBatch(7, At(100));
        Assert.False(run.TryAppend(new DeliveryBatch(8, At(offset))));
        Assert.False(run.TryAppend(new DeliveryBatch(8, At(offset), count: 2, distance: 20)));
        Assert.Equal((1, 20), (run.Count, run.Span.Length));
    }

    [Fact]
    public void APieceOfALongMessageIsAlone()
    {
        var piece = DeliveryBatch.OfPiece(7, At(100));
        Assert.True(piece.IsPiece);
        Assert.Equal((1, 20, 8UL), (piece.Count, piece.Span.Length, piece.End));
        Assert.True(piece.After(0).IsPiece && piece.Until(1).IsPiece);
        Assert.False(piece.TryAppend(new DeliveryBatch(8, At(120))));
        Assert.False(piece.TryAppend(DeliveryBatch.OfPiece(8, At(120))));
        var message = new DeliveryBatch(7, At(100));
        Assert.False(message.TryAppend(DeliveryBatch.OfPiece(8, At(120))));
        Assert.False(message.IsPiece);
    }

    private Slice At(int offset) => new(_chunk, offset, 20);
}
