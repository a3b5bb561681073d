using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Wire;

public class SequenceRangeListTests
{
    [Fact]
    public void RandomListsRoundTrip()
    {
        for (ulong seed = 1; seed <= 200; seed++)
        {
            var random = new SeededRandom(seed);
            var ranges = new SequenceRange[random.NextBelow(65)];
            ulong next = 1 + random.NextBelow(2);
            for (int index = 0; index < ranges.Length; index++)
            {
                ulong start = next + random.NextBelow(1UL << (int)random.NextBelow(40));
                ranges[
                    index] = new SequenceRange(start, start + 1 + random.NextBelow(1UL << (int)random.NextBelow(40)));
                next = ranges[index].End + 1;
            }
            var bytes = new byte[2000];
            var writer = new WireWriter(bytes);
            SequenceRangeList.Write(ref writer, ranges);
            var reader = new WireReader(bytes.AsSpan(0, writer.Written));
            SequenceRangeList read = SequenceRangeList.Read(ref reader, 64);

            Assert.True(reader.IsAtEnd, $"seed {seed}");
            Assert.Equal(ranges.Length, read.Count);
            int at = 0;
            foreach (SequenceRange range in read) Assert.Equal(ranges[at++], range);
            Assert.Equal(ranges.Length, at);
        }
    }

    [Theory]
    [InlineData("2 0 1 1 1", 1, "more ranges than the cap")]
    [InlineData("1 0 0", 64, "an empty range")]
    [InlineData("2 0 1 0 1", 64, "ranges that touch")]
    [InlineData("2 0 1", 64, "fewer ranges than the count says")]
    [InlineData("1 0 18446744073709551615", 64, "an end beyond the numbers")]
    [InlineData("1 18446744073709551615 1", 64, "a start beyond the numbers")]
    [InlineData("2 18446744073709551605 5 5 1", 64, "a second start beyond the numbers")]
    public void AListThatBreaksItsFormatFailsTheReaderAndIsEmpty(string varints, int cap, string why)
    {
        var bytes = new byte[100];
        var writer = new WireWriter(bytes);
        foreach (string value in varints.Split(' ')) writer.WriteVarint(ulong.Parse(value));
        var reader = new WireReader(bytes.AsSpan(0, writer.Written));

        SequenceRangeList read = SequenceRangeList.Read(ref reader, cap);

        Assert.True(reader.Failed, why);
        Assert.Equal(0, read.Count);
        Assert.False(read.GetEnumerator().MoveNext());
    }

    [Fact]
    public void TheHighestSequenceMayEndARange()
    {
        var bytes = new byte[100];
        var writer = new WireWriter(bytes);
        SequenceRangeList.Write(ref writer, [new SequenceRange(1, ulong.MaxValue)]);
        var reader = new WireReader(bytes.AsSpan(0, writer.Written));

        foreach (SequenceRange range in SequenceRangeList.Read(ref reader, 1))
            Assert.Equal(new SequenceRange(1, ulong.MaxValue), range);
        Assert.True(reader.IsAtEnd);
    }
}
