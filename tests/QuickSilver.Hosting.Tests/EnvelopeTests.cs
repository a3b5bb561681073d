using System.Buffers;
using QuickSilver.Typed;

namespace QuickSilver.Hosting.Tests;

/// <summary>The bytes around the values of typed groups.</summary>
public sealed class EnvelopeTests
{
    [Fact]
    public void The_bytes_are_those_of_the_table()
    {
        Assert.Equal("E100", Hex(MessageHeaders.None));
        Assert.Equal(
            "E1010C0003" + "6B6579" + "0200" + "C3A9" + "0178" + "0000",
            Hex(new MessageHeaders(new("key", "é"), new("x", ""))));
    }

    [Fact]
    public void What_is_written_is_read()
    {
        var headers = new MessageHeaders(
            Enumerable.Range(0, 15).Select(static n => KeyValuePair.Create($"name {n}", new string('é', n * 100))));
        byte[] bytes = [.. Bytes(headers), 1, 2, 3];
        int start = Envelope.Read(bytes, out MessageHeaders? read);
        Assert.Equal([1, 2, 3], bytes[start..]);
        Assert.Equal(headers, read);
        Assert.Equal(2, Envelope.Read(Bytes(MessageHeaders.None), out MessageHeaders? none));
        Assert.Null(none);
    }

    [Fact]
    public void Bytes_that_break_the_format_are_told_by_that_exception_alone()
    {
        var random = new Random(20_261_126);
        byte[] good = [.. Bytes(new MessageHeaders(new("traceparent", new string('a', 55)), new("b", "c"))), 9, 9];
        int refused = 0;
        for (int round = 0; round < 20_000; round++)
        {
            byte[] bytes = good[..random.Next(good.Length + 1)];
            for (int change = random.Next(4); change > 0 && bytes.Length > 0; change--)
                bytes[random.Next(Math.Min(bytes.Length, 8))] = (byte)random.Next(256);
            try
            {
                int start = Envelope.Read(bytes, out _);
                Assert.InRange(start, 2, bytes.Length);
            }
            catch (FormatException)
            {
                refused++;
            }
        }
        Assert.InRange(refused, 1, 19_999);
    }

    [Fact]
    public void Headers_that_break_a_rule_are_refused()
    {
        Assert.Throws<ArgumentException>(() => new MessageHeaders(new KeyValuePair<string, string>("", "value")));
        Assert.Throws<ArgumentException>(() => new MessageHeaders(new("a", "1"), new("a", "2")));
        Assert.Throws<ArgumentException>(() => new MessageHeaders(new KeyValuePair<string, string>("a", "\ud800")));
        Assert.Throws<ArgumentException>(
            () => new MessageHeaders(new KeyValuePair<string, string>("a", new string('x', 4097))));
        Assert.Throws<ArgumentException>(() => new MessageHeaders(
            Enumerable.Range(0, 33).Select(static n => KeyValuePair.Create($"{n}", ""))));
    }

    private static byte[] Bytes(MessageHeaders headers)
    {
        var writer = new ArrayBufferWriter<byte>();
        Envelope.Write(writer, headers);
        return writer.WrittenSpan.ToArray();
    }

    private static string Hex(MessageHeaders headers) => Convert.ToHexString(Bytes(headers));
}
