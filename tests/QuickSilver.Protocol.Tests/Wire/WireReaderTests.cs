using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Wire;

public class WireReaderTests
{
    [Theory]
    [InlineData(0UL, "00")]
    [InlineData(127UL, "7F")]
    [InlineData(128UL, "8001")]
    [InlineData(16383UL, "FF7F")]
    [InlineData(16384UL, "808001")]
    [InlineData(ulong.MaxValue, "FFFFFFFFFFFFFFFFFF01")]
    public void AVarintIsSevenBitsAByteLowFirst(ulong value, string hex)
    {
        var bytes = new byte[10];
        var writer = new WireWriter(bytes);
        writer.WriteVarint(value);

        Assert.Equal(hex, Convert.ToHexString(bytes.AsSpan(0, writer.Written)));
        Assert.Equal(writer.Written, WireWriter.VarintLength(value));
        var reader = new WireReader(bytes.AsSpan(0, writer.Written));
        Assert.Equal(value, reader.ReadVarint());
        Assert.True(reader.IsAtEnd);
    }

    [Theory]
    [InlineData("")]
    [InlineData("80")]
    [InlineData("8000")]
    [InlineData("FF00")]
    [InlineData("80808000")]
    [InlineData("FFFFFFFFFFFFFFFFFF02")]
    [InlineData("FFFFFFFFFFFFFFFFFF00")]
    [InlineData("80808080808080808080")]
    [InlineData("8080808080808080808001")]
    public void AVarintThatIsCutPaddedOrTooLongFails(string hex)
    {
        var reader = new WireReader(Convert.FromHexString(hex));

        Assert.Equal(0UL, reader.ReadVarint());
        Assert.True(reader.Failed);
        Assert.False(reader.IsAtEnd);
    }

    [Fact]
    public void WhatFollowsAVarintDoesNotChangeHowItIsRead()
    {
        // Where eight bytes are left they are read at once; the end of a body is read byte by byte. Good varints,
        // padded ones and noise alike.
        var random = new SeededRandom(7);
        Span<byte> bytes = stackalloc byte[24];
        for (int round = 0; round < 200_000; round++)
        {
            for (int index = 0; index < bytes.Length; index++)
                bytes[index] = (byte)(random.NextUInt64() | (random.NextUInt64() & 0x80));
            int length = 1 + (int)(random.NextUInt64() % 10);
            for (int index = 0; index < length - 1; index++) bytes[index] |= 0x80;
            bytes[length - 1] &= (byte)(random.NextUInt64() & 0x7F);

            var alone = new WireReader(bytes[..length]);
            var followed = new WireReader(bytes);
            ulong expected = alone.ReadVarint();
            Assert.True(
                expected == followed.ReadVarint() && alone.Failed == followed.Failed
                    && (alone.Failed || followed.Remaining == bytes.Length - length),
                Convert.ToHexString(bytes));
        }
    }

    [Fact]
    public void EveryVarintRoundTripsInTheLengthThatIsForetold()
    {
        var random = new SeededRandom(3);
        var bytes = new byte[10];
        for (int bits = 0; bits <= 64; bits++)
        {
            for (int turn = 0; turn < 50; turn++)
            {
                ulong value = bits == 0 ? 0 : random.NextUInt64() >> (64 - bits);
                var writer = new WireWriter(bytes);
                writer.WriteVarint(value);
                var reader = new WireReader(bytes.AsSpan(0, writer.Written));
                Assert.True(
                    value == reader.ReadVarint() && reader.IsAtEnd && writer.Written == WireWriter.VarintLength(value),
                    $"{value}");
            }
        }
    }

    [Theory]
    [InlineData(0, "00")]
    [InlineData(-1, "01")]
    [InlineData(1, "02")]
    [InlineData(-64, "7F")]
    [InlineData(64, "8001")]
    [InlineData(long.MaxValue, "FEFFFFFFFFFFFFFFFF01")]
    [InlineData(long.MinValue, "FFFFFFFFFFFFFFFFFF01")]
    public void ASignedVarintIsShortForSmallMagnitudes(long value, string hex)
    {
        var bytes = new byte[10];
        var writer = new WireWriter(bytes);
        writer.WriteSignedVarint(value);

        Assert.Equal(hex, Convert.ToHexString(bytes.AsSpan(0, writer.Written)));
        Assert.Equal(value, new WireReader(bytes.AsSpan(0, writer.Written)).ReadSignedVarint());
    }

    [Fact]
    public void AValueAboveItsCapFails()
    {
        var reader = new WireReader([5, 5]);
        Assert.Equal(5UL, reader.ReadVarint(5));
        Assert.Equal(0UL, reader.ReadVarint(4));
        Assert.True(reader.Failed);
    }

    [Theory]
    [InlineData(4)]
    [InlineData(-1)]
    [InlineData(int.MinValue)]
    public void MoreBytesThanThereAreOrANegativeCountFails(int count)
    {
        var reader = new WireReader([1, 2, 3]);

        Assert.True(reader.ReadBytes(count).IsEmpty);
        Assert.True(reader.Failed);
    }

    [Fact]
    public void NothingCanBeReadAfterAFailure()
    {
        var reader = new WireReader([0x80, 0x00, 7, 7, 7, 7, 7, 7, 7, 7]);
        reader.ReadVarint();

        Assert.Equal(0, reader.Remaining);
        Assert.Equal(
            (0, 0U, 0UL, 0UL), (reader.ReadByte(), reader.ReadUInt32(), reader.ReadUInt64(), reader.ReadVarint()));
        Assert.True(reader.ReadBytes(0).IsEmpty);
        Assert.True(reader.Failed);
        Assert.False(reader.IsAtEnd);
    }

    [Fact]
    public void FixedNumbersAreLittleEndian()
    {
        var reader = new WireReader([1, 0, 0, 0x80, 2, 0, 0, 0, 0, 0, 0, 0x40, 9]);

        Assert.Equal(0x80000001, reader.ReadUInt32());
        Assert.Equal(0x4000000000000002UL, reader.ReadUInt64());
        Assert.Equal(9, reader.ReadByte());
        Assert.True(reader.IsAtEnd);
    }
}
