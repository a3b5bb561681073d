using System.Buffers;
using QuickSilver.Sending;

namespace QuickSilver.Tests.Sending;

public sealed class PayloadWriterTests
{
    [Theory]
    [InlineData(SendBufferPool.LargestBytes)]
    [InlineData(int.MaxValue - 1)]
    [InlineData(int.MaxValue)]
    public void More_than_the_longest_message_is_not_lent(int bytes)
    {
        PayloadWriter writer = PayloadWriter.Begin(new SendBufferPool(), 0, PayloadLimit.Of(1 << 20, int.MaxValue));
        writer.Write("begun"u8);
        Assert.Throws<PayloadTooLargeException>(() => writer.GetSpan(bytes).Length);
        Assert.Throws<PayloadTooLargeException>(() => writer.GetMemory(bytes).Length);
        writer.Abandon();
    }

    [Fact]
    public void What_is_lent_is_at_least_as_long_as_asked_and_what_was_written_stays()
    {
        PayloadWriter writer = PayloadWriter.Begin(new SendBufferPool(), 0, PayloadLimit.Of(1 << 20, int.MaxValue));
        writer.Write("begun"u8);
        for (int bytes = 1; bytes < 1 << 20; bytes *= 3)
            Assert.True(writer.GetSpan(bytes).Length >= bytes, $"{bytes} were asked for");
        PooledPayload payload = writer.Finish();
        Assert.Equal("begun"u8, payload.Span);
        payload.Return();
    }
}
