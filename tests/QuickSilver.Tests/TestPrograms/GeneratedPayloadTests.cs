using QuickSilver.TestPrograms;

namespace QuickSilver.Tests.TestPrograms;

public sealed class GeneratedPayloadTests
{
    [Fact]
    public void What_is_written_is_read()
    {
        byte[] payload = Payload(100);
        Assert.True(GeneratedPayload.TryRead(payload, out GeneratedPayload read));
        Assert.Equal("pub"u8, read.Publisher);
        Assert.Equal("topic-7"u8, read.Group);
        Assert.Equal(42UL, read.Index);
        Assert.Equal(123_456_789, read.SentTicks);
    }

    [Fact]
    public void The_shortest_payload_holds_both_names_and_nothing_else()
    {
        int shortest = GeneratedPayload.MinimumBytes(3, 7);
        Assert.True(GeneratedPayload.TryRead(Payload(shortest), out _));
        Assert.Throws<ArgumentOutOfRangeException>(() => Payload(shortest - 1));
    }

    [Fact]
    public void Any_flipped_bit_is_found()
    {
        byte[] payload = Payload(64);
        for (int bit = 0; bit < payload.Length * 8; bit++)
        {
            payload[bit / 8] ^= (byte)(1 << (bit % 8));
            Assert.False(GeneratedPayload.TryRead(payload, out _), $"bit {bit} was flipped");
            payload[bit / 8] ^= (byte)(1 << (bit % 8));
        }
    }

    [Fact]
    public void Any_shorter_payload_is_found()
    {
        byte[] payload = Payload(64);
        for (int length = 0; length < payload.Length; length++)
        {
            Assert.False(GeneratedPayload.TryRead(payload.AsSpan(0, length), out _), $"cut to {length}");
        }
    }

    private static byte[] Payload(int length)
    {
        byte[] payload = new byte[length];
        GeneratedPayload.Write(payload, "pub"u8, "topic-7"u8, 42, 123_456_789);
        return payload;
    }
}
