using QuickSilver.Protocol.Flow.Repairs;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Wire;

/// <summary>The bodies of ordered groups: read as written, and total whatever the bytes.</summary>
public sealed class OrderedBodyTests
{
    private static readonly RingId Ring = new(7, 300);

    [Fact]
    public void AnyBytesAreAPacketOrRefused() => Totality.Check(
        static body => OrderedHead.TryRead(body, out _, out _), Packet());

    [Fact]
    public void AnyBytesAreAPacketWithSeveralGroupsOrRefused() => Totality.Check(
        static body =>
        {
            if (!OrderedHead.TryRead(body, out _, out int at)) return false;
            Span<OrderedPlace> places = stackalloc OrderedPlace[OrderedRecord.MaxGroups];
            bool areRising = true;
            while (areRising && at < body.Length)
            {
                areRising = OrderedRecord.TryRead(body, ref at, out OrderedRecord record);
                int count = record.CopyPlaces(body, places);
                for (int index = 1; index < count; index++)
                    areRising &= places[index].Group > places[index - 1].Group && places[index].Number > 0;
            }
            return areRising;
        },
        Several(5, 300));

    [Fact]
    public void AMessageToSeveralGroupsIsReadAsWritten()
    {
        byte[] body = Several(5, 300);
        Assert.True(OrderedHead.TryRead(body, out _, out int at));
        Assert.True(OrderedRecord.TryRead(body, ref at, out OrderedRecord record));
        Assert.Equal((2, body.Length), (record.Others, at));
        var places = new OrderedPlace[OrderedRecord.MaxGroups];
        Assert.Equal(3, record.CopyPlaces(body, places));
        Assert.Equal([new(3, 17), new(5, 1), new(300, 2)], places[..3]);
        Assert.Equal("abc"u8, body.AsSpan(record.Offset, record.Length));
    }

    [Theory]
    [InlineData(3U, 5U)]
    [InlineData(2U, 5U)]
    [InlineData(5U, 5U)]
    [InlineData(9U, 8U)]
    public void GroupsThatDoNotRiseAreRefused(uint first, uint second) =>
        Assert.False(OrderedHead.TryRead(Several(first, second), out _, out _));

    [Fact]
    public void TheMostGroupsHaveRoomInTheShortestPacket()
    {
        var others = new OrderedPlace[OrderedRecord.MaxGroups - 1];
        for (int index = 0; index < others.Length; index++)
            others[index] = new OrderedPlace(uint.MaxValue - 100 + (uint)index, ulong.MaxValue);
        var writer = new WireWriter(new byte[PathLadder.Floor - DatagramHeader.Length]);
        new OrderedHead(new RingId(uint.MaxValue, uint.MaxValue), long.MaxValue, ulong.MaxValue, ulong.MaxValue)
            .WriteTo(ref writer);
        new OrderedRecord { Group = uint.MaxValue - 101, Number = ulong.MaxValue, IsFirst = true, IsLast = true }
            .WriteTo(ref writer, new byte[1], others);
        Assert.False(writer.Overflowed);
        Assert.InRange(writer.Written, 1, OrderedHead.MaxLength + OrderedRecord.OverheadOf(OrderedRecord.MaxGroups));
        var most = new OrderedPlace[OrderedRecord.MaxGroups];
        byte[] tooMany = Write((ref WireWriter room) =>
            new OrderedRecord { Group = 1, Number = 1 }.WriteTo(
                ref room, default, [.. most.Select(static (_, index) => new OrderedPlace(2 + (uint)index, 1))]));
        int at = 0;
        Assert.False(OrderedRecord.TryRead(tooMany, ref at, out _));
    }

    [Fact]
    public void AnyBytesAreATokenOrRefused() => Totality.Check(
        static body => OrderedTokenBody.TryRead(body, out OrderedTokenBody token) && token.Held <= token.Sequence,
        Token());

    [Fact]
    public void AnyBytesAreAReportOrRefused() => Totality.Check(
        static body => OrderedReportBody.TryRead(body, out OrderedReportBody report)
            && report.Stable <= report.UpTo && report.Map.Length == (report.Further + 7) / 8,
        Report());

    [Fact]
    public void AnyBytesAreAWordOrRefused() => Totality.Check(
        static body => OrderedWordBody.TryRead(body, out _), Word());

    [Fact]
    public void AnyBytesAreARequestOrRefused() => Totality.Check(
        static body => OrderedAskBody.TryRead(body, out OrderedAskBody ask) && ask.Ranges.Count > 0, Ask());

    [Fact]
    public void AnyBytesAreACallOrRefused() => Totality.Check(
        static body => OrderedCallBody.TryRead(body, out OrderedCallBody call)
            && call.Suspects <= OrderedCallBody.MaxSuspects,
        Call());

    [Fact]
    public void ACallIsReadAsWritten()
    {
        Assert.True(OrderedCallBody.TryRead(Call(), out OrderedCallBody call));
        Assert.Equal((false, 2, 7UL, 0x1_0000_0002UL), (call.IsAnswer, call.Suspects, call[0], call[1]));
        Assert.True(OrderedCallBody.TryRead([1], out call));
        Assert.True(call.IsAnswer);
        Assert.False(OrderedCallBody.TryRead([1, 0], out _));
        Assert.False(OrderedCallBody.TryRead([2, 0], out _));
    }

    [Fact]
    public void APacketIsReadAsWritten()
    {
        byte[] body = Packet();
        Assert.True(OrderedHead.TryRead(body, out OrderedHead head, out int at));
        Assert.Equal(new OrderedHead(Ring, 1000, 0x1_0000_0002, 305), head);
        Assert.True(OrderedRecord.TryRead(body, ref at, out OrderedRecord record));
        Assert.Equal((3U, 17UL, true, false, true), (record.Group, record.Number, record.IsFirst, record.IsLast,
            record.IsSafe));
        Assert.Equal("abc"u8, body.AsSpan(record.Offset, record.Length));
        Assert.True(OrderedRecord.TryRead(body, ref at, out record));
        Assert.Equal((0, body.Length), (record.Length, at));
    }

    [Fact]
    public void ATokenIsReadAsWritten()
    {
        Assert.True(OrderedTokenBody.TryRead(Token(), out OrderedTokenBody token));
        Assert.Equal((Ring, 9UL, 40UL, 30UL, 5UL, 12U, 301UL),
            (token.Ring, token.Hop, token.Sequence, token.Held, token.LoweredBy, token.Flow, token.Step));
        Assert.Equal(1, token.Asked.Count);
    }

    [Fact]
    public void AReportOfARingThatIsNotOlderIsRefused()
    {
        byte[] body = Write(static (ref WireWriter writer) =>
            new OrderedReportBody { Ring = Ring, Next = Ring }.WriteTo(ref writer));
        Assert.False(OrderedReportBody.TryRead(body, out _));
    }

    [Fact]
    public void AReportThatAllHoldMoreThanItsMemberIsRefused()
    {
        byte[] body = Write(static (ref WireWriter writer) =>
            new OrderedReportBody { Ring = Ring, Next = new RingId(8, 1), UpTo = 3, Stable = 4 }.WriteTo(ref writer));
        Assert.False(OrderedReportBody.TryRead(body, out _));
    }

    private static byte[] Packet() => Write(static (ref WireWriter writer) =>
    {
        new OrderedHead(Ring, 1000, 0x1_0000_0002, 305).WriteTo(ref writer);
        new OrderedRecord { Group = 3, Number = 17, IsFirst = true, IsSafe = true }.WriteTo(ref writer, "abc"u8);
        new OrderedRecord { Group = 4, Number = 1, IsFirst = true, IsLast = true }.WriteTo(ref writer, default);
    });

    private static byte[] Several(uint first, uint second) => Write((ref WireWriter writer) =>
    {
        new OrderedHead(Ring, 1000, 0x1_0000_0002, 305).WriteTo(ref writer);
        new OrderedRecord { Group = 3, Number = 17, IsFirst = true, IsLast = true }
            .WriteTo(ref writer, "abc"u8, [new OrderedPlace(first, 1), new OrderedPlace(second, 2)]);
    });

    private static byte[] Token() => Write(static (ref WireWriter writer) =>
        new OrderedTokenBody
        {
            Ring = Ring,
            Hop = 9,
            Sequence = 40,
            Held = 30,
            LoweredBy = 5,
            Flow = 12,
            Step = 301,
        }.WriteTo(ref writer, [new SequenceRange(31, 33)]));

    private static byte[] Report() => Write(static (ref WireWriter writer) =>
        new OrderedReportBody
        {
            Ring = Ring,
            Next = new RingId(8, 1),
            IsComplete = true,
            IsConcluded = true,
            UpTo = 12,
            Stable = 11,
            Further = 9,
            Map = new byte[] { 0xFE, 1 },
            Members = 3,
            Survivors = new byte[] { 5 },
        }.WriteTo(ref writer));

    private static byte[] Call() => Write(static (ref WireWriter writer) =>
        OrderedCallBody.WriteCall(ref writer, [7, 0x1_0000_0002]));

    private static byte[] Word() =>
        Write(static (ref WireWriter writer) => new OrderedWordBody(Ring, 200).WriteTo(ref writer));

    private static byte[] Ask() => Write(static (ref WireWriter writer) =>
        OrderedAskBody.Write(ref writer, Ring, [new SequenceRange(3, 5), new SequenceRange(9, 10)]));

    private static byte[] Write(BodyWriter write)
    {
        byte[] room = new byte[512];
        var writer = new WireWriter(room);
        write(ref writer);
        return room[..writer.Written];
    }

    private delegate void BodyWriter(ref WireWriter writer);
}
