using System.Buffers;
using QuickSilver.Sending;

namespace QuickSilver.Tests.Sending;

public sealed class PayloadWriterTests
{
    private static readonly PayloadLimit Limit = PayloadLimit.Of(1 << 20, int.MaxValue);

    [Theory]
    [InlineData(SendBufferPool.LargestBytes)]
    [InlineData(int.MaxValue - 1)]
    [InlineData(int.MaxValue)]
    public void More_than_the_longest_message_is_not_lent(int bytes)
    {
        PayloadWriter writer = PayloadWriter.Begin(new SendBufferPool(), 0, Limit);
        writer.Write("begun"u8);
        Assert.Throws<PayloadTooLargeException>(() => writer.GetSpan(bytes).Length);
        Assert.Throws<PayloadTooLargeException>(() => writer.GetMemory(bytes).Length);
        writer.End();
    }

    [Fact]
    public void What_is_lent_is_at_least_as_long_as_asked_and_what_was_written_stays()
    {
        PayloadWriter writer = PayloadWriter.Begin(new SendBufferPool(), 0, Limit);
        writer.Write("begun"u8);
        for (int bytes = 1; bytes < 1 << 20; bytes *= 3)
            Assert.True(writer.GetSpan(bytes).Length >= bytes, $"{bytes} were asked for");
        PooledPayload payload = writer.Take();
        writer.End();
        Assert.Equal("begun"u8, payload.Span);
        payload.Return();
    }

    [Theory]
    [InlineData(0)]
    [InlineData(SendStage.LongestMessage)]
    [InlineData(SendStage.LongestMessage + 1)]
    public void A_message_taken_outlives_its_writer(int hint)
    {
        var pool = new SendBufferPool();
        PayloadWriter writer = PayloadWriter.Begin(pool, hint, Limit);
        writer.Write("first"u8);
        PooledPayload payload = writer.Take();
        writer.End();
        writer = PayloadWriter.Begin(pool, hint, Limit);
        writer.Write("other"u8);
        writer.End();
        Assert.Equal("first"u8, payload.Span);
        payload.Return();
        Assert.Equal(0, pool.CountRented());
    }

    [Fact]
    public void A_writer_is_refused_once_its_message_has_ended()
    {
        PayloadWriter writer = PayloadWriter.Begin(new SendBufferPool(), 0, Limit);
        writer.End();
        Assert.Throws<InvalidOperationException>(() => writer.GetSpan(1).Length);
        Assert.Throws<InvalidOperationException>(() => writer.Advance(0));
    }
}
