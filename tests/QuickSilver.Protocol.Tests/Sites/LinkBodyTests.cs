using QuickSilver.Protocol.Sites;
using QuickSilver.Protocol.Sites.Frames;
using QuickSilver.Protocol.Tests.Wire;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Sites;

/// <summary>The formats of links: byte by byte, one form for one meaning, and total.</summary>
public class LinkBodyTests
{
    private static readonly HelloBody Hello =
        new(0x1122334455667788, 3, 0x0A, 8192, 5, 4, TimeSpan.FromMilliseconds(1));

    private static readonly RecordHead Head = new()
    {
        Kind = RecordKind.Message,
        Root = 2,
        Tree = 0x0102030405060708,
        Hops = 9,
        Targets = SiteSet.Of(1).With(70),
        Stream = new StreamId(2, 0x0B, 300),
        Number = 1000,
        Lowest = 990,
    };

    private delegate void Writing(ref WireWriter writer);

    [Fact]
    public void EachFormatIsAsItsTableSays()
    {
        Equal("51 4C 01 02 0100000000000000 0200000000000000", Bytes(
            static (ref WireWriter writer) => new LinkHeader(LinkKind.Data, 1, 2).Write(ref writer)));
        Equal("8877665544332211 03 0A00000000000000 8040 05 04 E807", Bytes(
            static (ref WireWriter writer) => Hello.Write(ref writer)));
        Equal("0A 02 D00F D00F 0C 07 01 0A 01", Feedback());
        Equal("01 02 0807060504030201 09 09 020000000000000040 02 0B00000000000000 AC02 E807 0A", Bytes(
            static (ref WireWriter writer) => Head.Write(ref writer)));
        Equal("02 03 0A00000000000000 05 02 01 0A 04 F403 00 02 07 02", State());
        Equal("0B00000000000000 02 01 05 02 06", Held());
        Equal("8877665544332211 03 0A00000000000000 8040 05 04 E807 AC02", Bytes(
            static (ref WireWriter writer) => (Hello with { Rebuilt = 300 }).Write(ref writer)));
        Equal("AC02 08 0300 010203", Parity());
    }

    [Fact]
    public void WhatIsWrittenIsRead()
    {
        Assert.True(HelloBody.TryRead(HelloBytes(), out HelloBody hello));
        Assert.Equal(Hello, hello);
        Assert.True(HelloBody.TryRead(RebuiltBytes(), out hello));
        Assert.Equal(300UL, hello.Rebuilt);
        Assert.True(ParityBody.TryRead(Parity(), out ParityBody parity));
        Assert.Equal((300UL, 307UL, 8, (ushort)3), (parity.First, parity.Last, parity.Count, parity.Lengths));
        Assert.Equal([1, 2, 3], parity.Parity.ToArray());
        var reader = new WireReader(Bytes(static (ref WireWriter writer) => Head.Write(ref writer)));
        Assert.True(RecordHead.TryRead(ref reader, out RecordHead head));
        Assert.Equal(Head, head);
        Assert.True(LinkStateBody.TryRead(State(), out LinkStateBody state));
        Assert.Equal([(1, 10u), (4, 500u)], state.CopyLinks());
        Assert.Equal([7u, 9u], state.CopyGroups());
        Assert.True(LinkFeedback.TryRead(Feedback(), out LinkFeedback feedback));
        Assert.Equal((10UL, 12UL, 2000UL), (feedback.Cumulative, feedback.Highest, feedback.Bytes));
        Assert.Equal((12UL, TimeSpan.FromMicroseconds(7)), (feedback.Echo, feedback.Held));
    }

    [Fact]
    public void ASiteWithManyGroupsSaysThatAnyMayBeThere()
    {
        uint[] groups = [.. Enumerable.Range(1, LinkStateBody.MostGroups + 1).Select(static group => (uint)group)];
        byte[] bytes = Bytes((ref WireWriter writer) => LinkStateBody.Write(ref writer, 3, 10, 5, [], groups));
        Assert.True(LinkStateBody.TryRead(bytes, out LinkStateBody state));
        Assert.True(state.HasAnyGroup);
        Assert.Empty(state.CopyGroups());
    }

    [Fact]
    public void EachTruncationIsRefused()
    {
        Truncate(Bytes(static (ref WireWriter writer) => new LinkHeader(LinkKind.Data, 1, 2).Write(ref writer)), static
            bytes => LinkHeader.TryRead(bytes, out _) == RejectReason.None);
        Truncate(HelloBytes(), static bytes => HelloBody.TryRead(bytes, out _));
        Truncate(
            Parity(), static bytes => ParityBody.TryRead(bytes, out ParityBody parity) && parity.Parity.Length == 3);
        Truncate(Feedback(), static bytes => LinkFeedback.TryRead(bytes, out _));
        Truncate(Data(1), static bytes => LinkDataBody.TryRead(bytes, out _));
        Truncate(Linger(), static bytes => LingerBody.TryRead(bytes, out _));
        Truncate(State(), static bytes => LinkStateBody.TryRead(bytes, out _));
        Truncate(Held(), static bytes => HeldList.TryRead(bytes, out _));
        Truncate(Bytes(static (ref WireWriter writer) => Head.Write(ref writer)), ReadHead);
    }

    [Fact]
    public void AnyBytesAreReadOrRefused()
    {
        // Fields that may have any value are compared: else most of the damaged inputs would be right.
        Totality.Check(
            static input => HelloBody.TryRead(input, out HelloBody hello) && hello.Node == Hello.Node
                && hello.Configuration == Hello.Configuration,
            Bytes(static (ref WireWriter writer) => Hello.Write(ref writer)));
        Totality.Check(
            static input => HelloBody.TryRead(input, out HelloBody hello) && hello.Node == Hello.Node
                && hello.Configuration == Hello.Configuration && hello.Rebuilt == 300,
            RebuiltBytes());
        Totality.Check(
            static input => ParityBody.TryRead(input, out ParityBody parity) && parity.Lengths == 3
                && parity.Parity.SequenceEqual((byte[])[1, 2, 3]),
            Parity());
        Totality.Check(static input => LinkFeedback.TryRead(input, out _), Feedback());
        Totality.Check(static input => LinkDataBody.TryRead(input, out _) && input.Length < 20, Data(1));
        Totality.Check(static input => LingerBody.TryRead(input, out _), Linger());
        Totality.Check(
            static input => LinkStateBody.TryRead(input, out LinkStateBody state) && state.Node == 10, State());
        Totality.Check(static input => HeldList.TryRead(input, out HeldList held) && held.Origin == 11, Held());
        Totality.Check(
            static input =>
            {
                var reader = new WireReader(input);
                return RecordHead.TryRead(ref reader, out RecordHead head) && reader.IsAtEnd
                    && head.Tree == Head.Tree && head.Stream == Head.Stream;
            },
            Bytes(static (ref WireWriter writer) => Head.Write(ref writer)));
    }

    [Fact]
    public void ThereIsOneFormForOneMeaning()
    {
        foreach (byte[] bytes in (byte[][])[HelloBytes(), RebuiltBytes()])
        {
            Totality.CheckOneForm(
                static input => HelloBody.TryRead(input, out HelloBody read)
                    ? Bytes((ref WireWriter writer) => read.Write(ref writer)) : null,
                bytes);
        }
        Totality.CheckOneForm(
            static input =>
            {
                if (!ParityBody.TryRead(input, out ParityBody read)) return null;
                var written = new byte[input.Length + 16];
                var writer = new WireWriter(written);
                read.Write(ref writer);
                return written[..writer.Written];
            },
            Parity());
        Totality.CheckOneForm(
            static input =>
            {
                var reader = new WireReader(input);
                if (!RecordHead.TryRead(ref reader, out RecordHead read) || !reader.IsAtEnd) return null;
                return Bytes((ref WireWriter writer) => read.Write(ref writer));
            },
            Bytes(static (ref WireWriter writer) => Head.Write(ref writer)));
    }

    private static bool ReadHead(byte[] bytes)
    {
        var reader = new WireReader(bytes);
        return RecordHead.TryRead(ref reader, out _);
    }

    private static byte[] HelloBytes() => Bytes(static (ref WireWriter writer) => Hello.Write(ref writer));

    private static byte[] RebuiltBytes() =>
        Bytes(static (ref WireWriter writer) => (Hello with { Rebuilt = 300 }).Write(ref writer));

    private static byte[] Parity() => Bytes(static (ref WireWriter writer) => new ParityBody
    {
        First = 300,
        Count = 8,
        Lengths = 3,
        Parity = [1, 2, 3],
    }.Write(ref writer));

    private static byte[] Feedback() => Bytes(WriteFeedback);

    private static byte[] Data(int length) => [.. Bytes(static (ref WireWriter writer) =>
    {
        WriteFeedback(ref writer);
        writer.WriteVarint(5);
    }), .. new byte[length]];

    private static byte[] Linger() => Bytes(static (ref WireWriter writer) =>
    {
        WriteFeedback(ref writer);
        writer.WriteVarint(5);
    });

    private static byte[] State() => Bytes(
        static (ref WireWriter writer) => LinkStateBody.Write(ref writer, 3, 10, 5, [(1, 10), (4, 500)], [7, 9]));

    private static byte[] Held() => Bytes(
        static (ref WireWriter writer) => HeldList.Write(ref writer, 11, [(1, 5), (3, 6)]));

    private static void WriteFeedback(ref WireWriter writer) => new LinkFeedback
    {
        Cumulative = 10,
        Highest = 12,
        Bytes = 2000,
        Time = TimeSpan.FromMilliseconds(2),
        Echo = 12,
        Held = TimeSpan.FromMicroseconds(7),
    }.Write(ref writer, [new SequenceRange(11, 12)]);

    private static void Truncate(byte[] whole, Func<byte[], bool> reads)
    {
        Assert.True(reads(whole));
        for (int length = 0; length < whole.Length; length++) Assert.False(reads(whole[..length]), $"{length} bytes");
    }

    private static void Equal(string expected, byte[] bytes) =>
        Assert.Equal(expected.Replace(" ", "", StringComparison.Ordinal), Convert.ToHexString(bytes));

    private static byte[] Bytes(Writing write)
    {
        Span<byte> buffer = stackalloc byte[2000];
        var writer = new WireWriter(buffer);
        write(ref writer);
        Assert.False(writer.Overflowed);
        return buffer[..writer.Written].ToArray();
    }
}
