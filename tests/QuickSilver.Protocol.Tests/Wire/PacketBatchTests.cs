using QuickSilver.Fuzz.Inputs;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Wire;

/// <summary>Messages of one length that share a head.</summary>
public class PacketBatchTests
{
    private const int Inputs = 40_000;

    [Theory]
    [InlineData(2, 1)]
    [InlineData(3, 1000)]
    [InlineData(900, 64)]
    [InlineData(PacketRecord.MaxCount, 1)]
    public void ABatchIsReadAsItWasWritten(int count, int length)
    {
        byte[] bytes = new byte[count * length];
        for (int index = 0; index < bytes.Length; index++) bytes[index] = (byte)(index * 7);
        byte[] body = [.. Batch(7, 5, count, bytes), .. Single(7, 5 + (ulong)count, 9)];
        var reader = new WireReader(body);

        Assert.True(PacketRecord.TryRead(ref reader, body.Length, WireSamples.ServerEpoch, out PacketRecord batch));
        Assert.Equal((7, 5UL, count, length), (batch.GroupIndex, batch.Number, batch.Count, batch.MessageLength));
        Assert.Equal((4UL + (ulong)count, false, false), (batch.Highest, batch.IsFirst, batch.IsFragment));
        Assert.True(batch.Bytes.SequenceEqual(bytes));
        Assert.True(body.AsSpan(batch.BytesOffset, bytes.Length).SequenceEqual(bytes));
        Assert.True(PacketRecord.TryRead(ref reader, body.Length, WireSamples.ServerEpoch, out PacketRecord next));
        Assert.Equal((batch.Highest + 1, 1), (next.Number, next.Count));
        Assert.True(reader.IsAtEnd);
    }

    [Fact]
    public void ABatchCoversItsNumbersAndNoOther()
    {
        byte[] body = Batch(0, 10, 3, new byte[6]);
        var reader = new WireReader(body);
        Assert.True(PacketRecord.TryRead(ref reader, body.Length, WireSamples.ServerEpoch, out PacketRecord batch));
        Assert.Equal([10UL, 11UL, 12UL], Covered(batch));
        body = Single(0, 10, 3);
        reader = new WireReader(body);
        Assert.True(PacketRecord.TryRead(ref reader, body.Length, WireSamples.ServerEpoch, out batch));
        Assert.Equal([10UL], Covered(batch));
    }

    [Fact]
    public void WhateverIsAcceptedHasTheBytesOfAllItsMessages()
    {
        byte[][] valid =
        [
            Batch(0, 125, 12, new byte[240]),
            [.. Batch(4, 1, 5, new byte[15]), .. Single(4, 6, 9), 8, 0, 0],
            Batch(300, 16_380, 900, new byte[900]),
        ];
        var mutator = new Mutator(77, valid);
        int batches = 0;
        for (int input = 0; input < Inputs; input++)
        {
            byte[] body = mutator.Next().ToArray();
            var reader = new WireReader(body);
            while (PacketRecord.TryRead(ref reader, body.Length, WireSamples.ServerEpoch, out PacketRecord record))
            {
                if (record.Count == 1) continue;
                batches++;
                Assert.InRange(record.Count, 2, body.Length);
                Assert.Equal(record.Count * record.MessageLength, record.Bytes.Length);
                Assert.True(body.AsSpan(record.BytesOffset, record.Bytes.Length).SequenceEqual(record.Bytes));
            }
        }
        Assert.InRange(batches, Inputs / 10, int.MaxValue);
    }

    private static List<ulong> Covered(in PacketRecord record)
    {
        List<ulong> covered = [];
        foreach (ulong number in new[] { 0UL, 1UL, 9UL, 10UL, 11UL, 12UL, 13UL, ulong.MaxValue })
        {
            if (record.Covers(number)) covered.Add(number);
        }
        return covered;
    }

    private static byte[] Batch(int group, ulong number, int count, byte[] bytes) =>
        Written(
            bytes.Length + 30,
            (ref WireWriter writer) => WireSamples.WriteBatch(ref writer, group, number, count, bytes));

    private static byte[] Single(int group, ulong number, int length) =>
        Written(
            length + 30,
            (ref WireWriter writer) => WireSamples.WriteRecord(ref writer, group, number, new byte[length]));

    private static byte[] Written(int capacity, WireSamples.BodyWriter body)
    {
        var bytes = new byte[capacity];
        var writer = new WireWriter(bytes);
        body(ref writer);
        Assert.False(writer.Overflowed);
        return bytes[..writer.Written];
    }
}
