using QuickSilver.Fuzz.Inputs;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Wire;

/// <summary>Reading equal messages as runs is reading them one by one, only quicker.</summary>
public class PacketRunTests
{
    private const int Inputs = 40_000;

    [Theory]
    [InlineData(1, 60, 1000)]
    [InlineData(120, 20, 0)]
    [InlineData(16_370, 300, 3)]
    [InlineData((1L << 28) - 5, 30, 130)]
    [InlineData(long.MaxValue - 3, 7, 200)]
    public void EqualMessagesAreOneRunUntilAVarintGrows(long first, int count, int length)
    {
        byte[] body = Equal(7, (ulong)first, count, length);
        var reader = new WireReader(body);
        ulong number = (ulong)first;
        int runs = 0;
        while (PacketRecord.TryReadRun(ref reader, body.Length, WireSamples.Reign, out PacketRecord run))
        {
            Assert.Equal(number, run.Number);
            number += (ulong)run.Count;
            runs++;
        }
        int growths = WireWriter.VarintLength((ulong)(first + count - 1)) - WireWriter.VarintLength((ulong)first);

        Assert.True(reader.IsAtEnd);
        Assert.Equal((ulong)(first + count), number);
        Assert.InRange(runs, 1, 1 + growths);
        AssertSame(body);
    }

    [Fact]
    public void RunsEndWhereAnythingElseChanges()
    {
        var writer = new WireWriter(new byte[400]);
        foreach ((int group, ulong number, int length) in new[] { (3, 5UL, 4), (3, 6UL, 4), (3, 8UL, 4), (2, 9UL, 4), (2, 10UL, 5), (2, 11UL, 5), (2, 11UL, 5) })
            Write(ref writer, group, number, length, length);
        Write(ref writer, 2, 12, 5, 9);
        Write(ref writer, 2, 13, 5, 5);
        Write(ref writer, 2, 14, 5, 5, first: true);
        Write(ref writer, 2, 15, 5, 5);
        byte[] body = Sample(writer);

        Assert.Equal([2, 1, 1, 2, 1, 1, 1, 2], AssertSame(body));
    }

    [Fact]
    public void TheHighestNumberHasNoNext() => Assert.Equal([2, 1], AssertSame([.. Equal(1, ulong.MaxValue - 1, 2, 6), .. Equal(1, 1, 1, 6)]));

    [Fact]
    public void DamagedPacketsGiveTheSameAsRunsAndOneByOne()
    {
        byte[][] valid =
        [
            Equal(0, 125, 12, 20), [.. Equal(4, 1, 5, 3), .. Equal(4, 6, 5, 9), 8, 0, 0], [.. Equal(300, 16_380, 9, 0), .. Equal(1, 1, 3, 200)],
            Equal(2, ulong.MaxValue - 9, 10, 2),
        ];
        var mutator = new Mutator(77, valid);
        int runs = 0;
        for (int input = 0; input < Inputs; input++) runs += AssertSame(mutator.Next().ToArray()).Count(static count => count > 1);
        Assert.InRange(runs, Inputs / 4, int.MaxValue);
    }

    /// <summary>Reads a body both ways, to its end or its first fault, and gives the lengths of the runs.</summary>
    private static List<int> AssertSame(byte[] body)
    {
        var byRun = new WireReader(body);
        var byRecord = new WireReader(body);
        List<int> counts = [];
        while (PacketRecord.TryReadRun(ref byRun, body.Length, WireSamples.Reign, out PacketRecord run))
        {
            counts.Add(run.Count);
            for (int index = 0; index < run.Count; index++)
            {
                Assert.True(PacketRecord.TryRead(ref byRecord, body.Length, WireSamples.Reign, out PacketRecord record));
                Assert.Equal((run.GroupIndex, run.Number + (ulong)index, run.IsFragment), (record.GroupIndex, record.Number, record.IsFragment));
                Assert.Equal((run.MessageLength, run.FragmentOffset), (record.MessageLength, record.FragmentOffset));
                Assert.Equal(run.BytesOffset + (index * run.Distance), record.BytesOffset);
                Assert.Equal(run.Bytes.Length, record.Bytes.Length);
                Assert.Equal((run.IsFirst && index == 0, index == 0 ? run.PreviousStep : default), (record.IsFirst, record.PreviousStep));
            }
        }
        Assert.False(PacketRecord.TryRead(ref byRecord, body.Length, WireSamples.Reign, out _));
        Assert.Equal((byRecord.Failed, byRecord.Remaining), (byRun.Failed, byRun.Remaining));
        return counts;
    }

    private static byte[] Equal(int group, ulong first, int count, int length)
    {
        var writer = new WireWriter(new byte[(length + 30) * count]);
        for (int index = 0; index < count; index++) Write(ref writer, group, first + (ulong)index, length, length);
        return Sample(writer);
    }

    private static void Write(ref WireWriter writer, int group, ulong number, int length, int messageLength, bool first = false)
    {
        PacketRecord.WriteHead(ref writer, WireSamples.Reign, group, number, first, default, messageLength, 0, length);
        writer.Reserve(length).Fill((byte)number);
    }

    private static byte[] Sample(WireWriter writer)
    {
        Assert.False(writer.Overflowed);
        int written = writer.Written;
        writer.Rewind(0);
        return writer.Reserve(written).ToArray();
    }
}
