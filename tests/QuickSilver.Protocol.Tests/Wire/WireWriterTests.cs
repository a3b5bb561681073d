using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Wire;

public class WireWriterTests
{
    [Fact]
    public void WhatDoesNotFitChangesNothing()
    {
        byte[] bytes = [0xEE, 0xEE, 0xEE];
        var writer = new WireWriter(bytes);
        writer.WriteByte(1);
        writer.WriteUInt32(2);
        writer.WriteByte(3);

        Assert.True(writer.Overflowed);
        Assert.Equal(1, writer.Written);
        Assert.Equal([1, 0xEE, 0xEE], bytes);
    }

    [Fact]
    public void RewindingTakesBackARecordThatDidNotFit()
    {
        var bytes = new byte[4];
        var writer = new WireWriter(bytes);
        writer.WriteByte(1);
        int before = writer.Written;
        writer.WriteUInt64(2);
        writer.Rewind(before);
        writer.WriteVarint(300);

        Assert.False(writer.Overflowed);
        Assert.Equal([1, 0xAC, 2, 0], bytes);
        Assert.Equal(1, writer.Remaining);
    }

    [Fact]
    public void EveryWriteIsReadBack()
    {
        var bytes = new byte[64];
        var writer = new WireWriter(bytes);
        writer.WriteByte(200);
        writer.WriteUInt32(0xDEADBEEF);
        writer.WriteUInt64(ulong.MaxValue);
        writer.WriteVarint(1 << 20);
        writer.WriteSignedVarint(-77);
        writer.WriteBytes([4, 5, 6]);
        writer.WriteBytes(default);

        var reader = new WireReader(bytes.AsSpan(0, writer.Written));
        Assert.Equal((200, 0xDEADBEEF, ulong.MaxValue), (reader.ReadByte(), reader.ReadUInt32(), reader.ReadUInt64()));
        Assert.Equal((1UL << 20, -77L), (reader.ReadVarint(), reader.ReadSignedVarint()));
        Assert.Equal([4, 5, 6], reader.ReadBytes(3).ToArray());
        Assert.True(reader.IsAtEnd);
    }

    [Fact]
    public void AReservedPartIsTheCallersToFill()
    {
        var bytes = new byte[3];
        var writer = new WireWriter(bytes);
        writer.Reserve(2).Fill(9);
        writer.WriteByte(1);

        Assert.Equal([9, 9, 1], bytes);
        Assert.True(writer.Reserve(1).IsEmpty);
        Assert.True(writer.Overflowed);
    }
}
