using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Wire;

public class BodyTests
{
    [Theory]
    [InlineData("04050001000000", "a byte after the end")]
    [InlineData("050400010000", "stable above highest")]
    [InlineData("040500000000", "no active stream")]
    [InlineData("04050081804000", "more streams than there may be")]
    [InlineData("04050001", "no drops")]
    [InlineData("0405000100", "no list of who is behind")]
    [InlineData("84000500010000", "a padded varint")]
    [InlineData("0405000100 01 05 01 09 00", "a member that the view has not")]
    [InlineData("0405000100 01 02 00 09 00", "no cause")]
    [InlineData("0405000100 01 02 06 09 00", "a cause that does not exist")]
    [InlineData("0405000100 02 02 01 09 00 02 01 09 00", "a member twice")]
    [InlineData("0405000100 02 02 01 09 00", "fewer entries than it says")]
    [InlineData("0405000100 09 00 01 09 00 01 01 09 00 02 01 09 00 03 01 09 00 04 01 09 00", "nine entries")]
    public void AnAckThatBreaksItsFormatIsRefused(string hex, string why) =>
        Assert.False(AckBody.TryRead(Bytes(hex), 5, new LagList(), out _), why);

    [Fact]
    public void AGoodAckIsReadWithThoseThatAreBehind()
    {
        var behind = new LagList();
        Assert.True(AckBody.TryRead(Bytes("0405000100 02 01 04 09 8407 04 01 8001 00"), 5, behind, out AckBody ack));
        Assert.Equal(new AckBody(4, 5, null, 1, 0), ack);
        Assert.Equal(
            [new LagEntry(1, LagCause.Silent, 9, 900), new LagEntry(4, LagCause.Losing, 128)],
            behind.Entries.ToArray());
    }

    [Theory]
    [InlineData("020100 01", "neither wide nor narrow")]
    [InlineData("01 00", "no ranges")]
    [InlineData("01 01 00 00", "an empty range")]
    [InlineData("01 01 00 01 00", "a byte after the end")]
    [InlineData("01 41", "65 ranges")]
    [InlineData("", "nothing")]
    public void ANakThatBreaksItsFormatIsRefused(string hex, string why) =>
        Assert.False(NakBody.TryRead(Bytes(hex), out _), why);

    [Theory]
    [InlineData("0900000003000000 01 00 00", "no ranges")]
    [InlineData("0900000003000000 818040 00 01 00 01", "a partition above the cap")]
    [InlineData("09000000030000", "half a stream")]
    [InlineData("0900000003000000 01 00 01 00 01 00", "a byte after the end")]
    [InlineData("0900000003000000 01 D6FF03 01 00 01", "a datagram longer than any")]
    public void APullThatBreaksItsFormatIsRefused(string hex, string why) =>
        Assert.False(PullBody.TryRead(Bytes(hex), out _), why);

    [Theory]
    [InlineData("01000000 D6FF03 01", "a datagram longer than any")]
    [InlineData("01000000 00 03", "neither with fillers nor without")]
    [InlineData("01000000 00", "no wish")]
    [InlineData("01000000 00 01 00", "a byte after the end")]
    public void APathQueryThatBreaksItsFormatIsRefused(string hex, string why) =>
        Assert.False(PathQueryBody.TryRead(Bytes(hex), out _), why);

    [Theory]
    [InlineData("01000000 00 10", "sixteen fillers")]
    [InlineData("01000000 00 02 34 35", "lengths that rise")]
    [InlineData("01000000 00 02 35 35", "one length twice")]
    [InlineData("01000000 00 01 33", "a filler without a nonce")]
    [InlineData("01000000 00 01", "no length")]
    [InlineData("01000000 00 01 35 00", "a byte after the end")]
    public void APathAnswerThatBreaksItsFormatIsRefused(string hex, string why) =>
        Assert.False(PathAnswerBody.TryRead(Bytes(hex), out _), why);

    [Theory]
    [InlineData("010000", "half a nonce")]
    [InlineData("01000000 0001", "a byte that is not zero")]
    public void AFillerThatBreaksItsFormatIsRefused(string hex, string why) =>
        Assert.False(PathFillerBody.TryRead(Bytes(hex), out _), why);

    [Theory]
    [InlineData("6400 0000", "no bytes")]
    [InlineData("3000 0000 01", "a packet that is a header only")]
    [InlineData("6400 6400 01", "a part behind the end")]
    [InlineData("6400 6300 0102", "a part across the end")]
    [InlineData("D6FF 0000 01", "a packet longer than any")]
    [InlineData("640000", "half an offset")]
    public void APartThatBreaksItsFormatIsRefused(string hex, string why) =>
        Assert.False(RepairPartBody.TryRead(Bytes(hex), out _), why);

    [Fact]
    public void NoBodyIsLongerThanItSays()
    {
        var bytes = new byte[4096];
        var ack = new WireWriter(bytes);
        var behind = new LagList();
        for (int member = 0; member < LagList.MaxEntries; member++)
            behind.Add(new LagEntry(int.MaxValue - member, LagCause.Silent, ulong.MaxValue, uint.MaxValue));
        new AckBody(
            ulong.MaxValue, ulong.MaxValue, ulong.MaxValue - 1, 1 << 20, ulong.MaxValue).WriteTo(ref ack, behind);
        Assert.InRange(ack.Written, 1, AckBody.MaxLength);
        var word = new WireWriter(new byte[CarrierWordBody.MaxLength]);
        new CarrierWordBody(ulong.MaxValue - 1).WriteTo(ref word);
        Assert.Equal(CarrierWordBody.MaxLength, word.Written);

        var ranges = new SequenceRange[NakBody.MaxRanges];
        for (int index = 0; index < ranges.Length; index++)
        {
            ulong start = (ulong)(index + 1) << 57;
            ranges[index] = new SequenceRange(start, start + (1UL << 56));
        }
        var nak = new WireWriter(bytes);
        NakBody.Write(ref nak, true, ranges);
        Assert.InRange(nak.Written, 1, NakBody.MaxLength);
        var pull = new WireWriter(bytes);
        PullBody.Write(ref pull, ulong.MaxValue, 1 << 20, DatagramHeader.MaxDatagram, ranges);
        Assert.InRange(pull.Written, 1, PullBody.MaxLength);

        var hop = new WireWriter(bytes);
        new TokenHop(
            uint.MaxValue, int.MaxValue, ulong.MaxValue, uint.MaxValue, int.MaxValue, int.MaxValue, 3, 4).WriteTo(
                ref hop, [1, 300, 70_000]);
        Assert.InRange(hop.Written, 1, TokenHop.MaxLength([1, 300, 70_000]));
    }

    private static byte[] Bytes(string hex) => Convert.FromHexString(hex.Replace(" ", "", StringComparison.Ordinal));
}
