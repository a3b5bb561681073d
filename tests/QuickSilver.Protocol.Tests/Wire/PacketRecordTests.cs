using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Wire;

public class PacketRecordTests
{
    [Theory]
    [InlineData("00 05 00 00", "message number 0")]
    [InlineData("04 05 01 01 05 1122334455667788 00", "an epoch without a previous step")]
    [InlineData("05 05 01 00 02 1122334455667788 00", "the epoch of no step")]
    [InlineData("05 05 01 01 03 8877665544332211 00", "the view's own epoch spelled out")]
    [InlineData("08 05", "filler that is not zero")]
    [InlineData("09 05 01 01 00", "filler with another bit")]
    [InlineData("40 05 01 00", "an unknown bit")]
    [InlineData("30 05 01 01 02 00 61 61", "a batch of pieces")]
    [InlineData("10 05 01 01 0100 41", "a batch of one message")]
    [InlineData("10 05 01 01 0000", "a batch of none")]
    [InlineData("10 05 01 00 FFFF", "a batch of empty messages")]
    [InlineData("10 05 01 01 0300 4142", "fewer bytes than the messages of a batch have")]
    [InlineData("10 05 01 808004 FFFF 4142", "a batch of 4 GB")]
    [InlineData("10 05 01 01 02", "a count cut short")]
    [InlineData("11 05 01 00 01 0200 4142", "a batch of first messages")]
    [InlineData("12 05 01 04 00 01 0200 4142", "a batch of fragments")]
    [InlineData("00 808040 01 00", "a group above the cap")]
    [InlineData("00 05 01 02 41", "fewer bytes than the length says")]
    [InlineData("02 05 01 0A 00 00", "an empty fragment")]
    [InlineData("02 05 01 02 00 02 4142", "a fragment that is the whole message")]
    [InlineData("02 05 01 04 03 02 4142", "a fragment beyond its message")]
    [InlineData("02 05 01 8180808001 00 01 41", "a message above the cap")]
    [InlineData("00 05 8100 00", "a padded number")]
    public void ARecordThatBreaksTheFormatFailsTheReader(string hex, string why)
    {
        byte[] body = Convert.FromHexString(hex.Replace(" ", "", StringComparison.Ordinal));
        var reader = new WireReader(body);

        Assert.False(
            PacketRecord.TryRead(ref reader, body.Length, WireSamples.ServerEpoch, out PacketRecord record), why);
        Assert.True(reader.Failed, why);
        Assert.True(record.Bytes.IsEmpty);
    }

    [Fact]
    public void TheEndOfAPacketIsNoFailure()
    {
        var reader = new WireReader([]);

        Assert.False(PacketRecord.TryRead(ref reader, DatagramHeader.Length, WireSamples.ServerEpoch, out _));
        Assert.True(reader.IsAtEnd);
    }

    [Fact]
    public void FillerUpToItsCapEndsAPacket()
    {
        for (int length = 1; length <= PacketRecord.MaxFiller + 1; length++)
        {
            var bytes = new byte[length];
            bytes[0] = 8;
            var reader = new WireReader(bytes);
            Assert.False(
                PacketRecord.TryRead(ref reader, DatagramHeader.Length + length, WireSamples.ServerEpoch, out _));
            Assert.Equal(length <= PacketRecord.MaxFiller, reader.IsAtEnd);
        }
    }

    [Fact]
    public void HeadsHaveTheLengthThatIsForetoldAndNoMoreThanTheCap()
    {
        var random = new SeededRandom(11);
        var bytes = new byte[200];
        for (int turn = 0; turn < 5000; turn++)
        {
            int group = (int)random.NextBelow(1UL << (int)random.NextBelow(20));
            ulong number = 1 + (random.NextUInt64() >> (1 + (int)random.NextBelow(60)));
            bool first = random.NextBelow(2) == 0;
            StepNumber previous = random.NextBelow(3) switch
            {
                0 => default,
                1 => new StepNumber(WireSamples.ServerEpoch, 1 + (random.NextUInt64() >> (int)random.NextBelow(63))),
                _ =>
                    new StepNumber(
                        new Epoch(random.NextUInt64(), random.NextUInt64()), 1 + random.NextBelow(ulong.MaxValue)),
            };
            bool fragment = random.NextBelow(2) == 0;
            int length = 1 + (int)random.NextBelow(1000);
            int total = fragment ? length + 1 + (int)random.NextBelow(1 << 20) : length;
            int offset = fragment ? (int)random.NextBelow((ulong)(total - length)) : 0;

            var writer = new WireWriter(bytes);
            PacketRecord.WriteHead(
                ref writer, WireSamples.ServerEpoch, group, number, first, previous, total, offset, length);
            int head = PacketRecord.HeadLength(
                WireSamples.ServerEpoch, group, number, first, previous, total, offset, fragment);

            Assert.Equal(head + WireWriter.VarintLength((ulong)length), writer.Written);
            Assert.InRange(writer.Written, 1, PacketRecord.MaxOverhead);
        }
    }
}
