using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Wire;

public class Crc32CTests
{
    [Fact]
    public void MatchesThePublishedCheckValues()
    {
        Assert.Equal(0xE3069283, Crc32C.Of("123456789"u8));
        Assert.Equal(0x8A9136AA, Crc32C.Of(new byte[32]));
        Assert.Equal(0U, Crc32C.Of([]));
    }

    [Fact]
    public void AgreesWithTheDefinitionForEveryLengthAndSplit()
    {
        var random = new SeededRandom(2);
        for (int length = 0; length < 70; length++)
        {
            var bytes = new byte[length];
            for (int index = 0; index < length; index++) bytes[index] = (byte)random.NextUInt64();
            uint expected = BitByBit(bytes);

            Assert.Equal(expected, Crc32C.Of(bytes));
            for (int split = 0; split <= length; split++)
                Assert.Equal(expected, Crc32C.Of(bytes.AsSpan(0, split), bytes.AsSpan(split)));
        }
    }

    [Fact]
    public void LongPiecesAreTheSameCutIntoLanesOrNot()
    {
        // From the first length that has lanes past the first that needs several rounds of them, and far beyond.
        var random = new SeededRandom(3);
        var bytes = new byte[60_000];
        for (int index = 0; index < bytes.Length; index++) bytes[index] = (byte)random.NextUInt64();

        for (int length = 70; length < 700; length++) AssertLength(length);
        for (int length = 3060; length < 3200; length++) AssertLength(length);
        for (int round = 0; round < 50; round++) AssertLength((int)(random.NextUInt64() % (ulong)bytes.Length));

        void AssertLength(int length)
        {
            uint expected = BitByBit(bytes[..length]);
            Assert.True(expected == Crc32C.Of(bytes.AsSpan(0, length)), $"{length} bytes");
            int split = (int)(random.NextUInt64() % ((ulong)length + 1));
            Assert.True(
                expected == Crc32C.Of(bytes.AsSpan(0, split), bytes.AsSpan(split, length - split)),
                $"{length} bytes, cut at {split}");
        }
    }

    private static uint BitByBit(byte[] bytes)
    {
        uint crc = ~0u;
        foreach (byte value in bytes)
        {
            crc ^= value;
            for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78u : 0);
        }
        return ~crc;
    }
}
