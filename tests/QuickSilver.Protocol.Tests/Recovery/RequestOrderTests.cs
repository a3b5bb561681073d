using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Repairs;
using QuickSilver.Protocol.Recovery.Repairs;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Recovery;

public sealed class RequestOrderTests
{
    [Theory]
    [InlineData(1, false)]
    [InlineData(300, false)]
    [InlineData(20_000, false)]
    [InlineData(1 << 22, true)]
    [InlineData(1L << 50, true)]
    public void ARequestPassesByTheNarrowestWayHoweverFarApartItsRangesAre(long apart, bool isCut)
    {
        var order = new RequestOrder();
        order.Begin(null!, null!, isNak: true, wide: true, 0);
        ulong start = (ulong)apart;
        int taken = 0;
        while (order.TryAdd(new SequenceRange(start, start + (ulong)apart)))
        {
            taken++;
            // Joined to the one before: that grows.
            ulong end = start + (ulong)apart;
            if (taken % 3 == 0 && !order.TryAdd(new SequenceRange(end, end + (ulong)apart))) break;
            start = end + (2 * (ulong)apart);
        }
        ReadOnlySpan<SequenceRange> ranges = order.StillMissing();
        Assert.InRange(ranges.Length, 20, NakBody.MaxRanges);
        Assert.Equal(isCut, ranges.Length < NakBody.MaxRanges);
        var writer = new WireWriter(new byte[4_096]);
        PullBody.Write(ref writer, ulong.MaxValue, 1 << 20, DatagramHeader.MaxDatagram, ranges);
        Assert.InRange(DatagramHeader.Length + writer.Written, 100, PathLadder.Floor);
    }

    [Fact]
    public void NothingElseThatIsOfOneDatagramIsLonger()
    {
        var query = new WireWriter(new byte[4_096]);
        new PathQueryBody(uint.MaxValue, DatagramHeader.MaxDatagram, WantsFillers: true).WriteTo(ref query);
        var answer = new WireWriter(new byte[4_096]);
        int[] fillers =
            [.. Enumerable.Range(0, PathAnswerBody.MaxFillers)
                .Select(static index => DatagramHeader.MaxDatagram - index)];
        PathAnswerBody.Write(ref answer, uint.MaxValue, DatagramHeader.MaxDatagram, fillers);
        int longest = new[]
        {
            AckBody.MaxLength, CarrierWordBody.MaxLength, NoteBody.Length, query.Written, answer.Written,
            TokenHop.MaxLength([]), NoteList.DatagramLength(NoteList.MostPlaces) - DatagramHeader.Length,
        }.Max();
        Assert.InRange(DatagramHeader.Length + longest, 0, PathLadder.Floor);
    }
}
