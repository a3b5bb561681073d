using System.Buffers.Binary;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Wire;

/// <summary>What a hybrid packet stands for in each region, and what is refused.</summary>
public class HybridPacketTests
{
    private static readonly Epoch ViewEpoch = WireSamples.ServerEpoch;

    [Fact]
    public void EachRegionsPacketIsAsIfItHadBeenSentThere()
    {
        byte[] hybrid = WireSamples.Hybrid();
        for (int index = 0; index < WireSamples.HybridRegions.Length; index++)
        {
            HybridRegion region = WireSamples.HybridRegions[index];
            byte[] packet = Derive(hybrid, index);

            Assert.Equal(RejectReason.None, DatagramHeader.TryRead(packet, out DatagramHeader header));
            Assert.True(header.HasPayloadChecksum && header.PayloadIsIntact(packet));
            Assert.Equal(
                (DatagramKind.Data, region.ViewTag, region.ViewCounter, region.Sequence, region.Urgency),
                (header.Kind, header.ViewTag, header.ViewCounter, header.Sequence, header.Urgency));
            var place = new byte[256];
            var expected = new WireWriter(place);
            expected.WriteVarint(region.Step);
            PacketRecord.WriteHead(
                ref expected, ViewEpoch, region.GroupIndex, 1000, region.IsFirst, region.PreviousStep(ViewEpoch),
                messageLength: 5, offset: 0, length: 5);
            expected.WriteBytes("hello"u8);
            Assert.Equal(
                place[..expected.Written], packet.AsSpan(DatagramHeader.Length, expected.Written).ToArray());
        }
    }

    [Fact]
    public void APieceOfALongMessageStaysOne()
    {
        var bytes = new byte[64];
        var records = new WireWriter(bytes);
        PacketRecord.WriteHead(ref records, default, 0, 7, false, default, 4, 0, 4, isPiece: true);
        records.WriteBytes("long"u8);
        byte[] hybrid = WireSamples.Hybrid();
        DatagramHeader.TryRead(hybrid, out DatagramHeader header);
        var place = new byte[256];
        int length = HybridPacket.Derive(
            header, WireSamples.HybridRegions[1], ViewEpoch, bytes.AsSpan(0, records.Written), place);

        var reader = new WireReader(place.AsSpan(DatagramHeader.Length, length - DatagramHeader.Length));
        reader.ReadVarint();
        Assert.True(PacketRecord.TryRead(ref reader, length, ViewEpoch, out PacketRecord record));
        Assert.True(record is { IsPiece: true, IsFirst: true, Number: 7 } && reader.IsAtEnd);
    }

    [Fact]
    public void APayloadThatWasDamagedIsNobodysPacket()
    {
        byte[] hybrid = WireSamples.Hybrid();
        hybrid[hybrid.AsSpan().IndexOf("hello"u8)] ^= 1;

        byte[] packet = Derive(hybrid, 0);

        DatagramHeader.TryRead(packet, out DatagramHeader header);
        Assert.False(header.PayloadIsIntact(packet));
    }

    [Fact]
    public void AListThatWasDamagedIsRefused()
    {
        byte[] hybrid = WireSamples.Hybrid();
        for (int index = HybridPacket.ListOffset; index < HybridPacket.RegionsOffset + 47; index++)
        {
            foreach (byte bit in new byte[] { 1, 0x10, 0x80 })
            {
                hybrid[index] ^= bit;
                Assert.Equal(RejectReason.PayloadChecksum, Read(hybrid));
                hybrid[index] ^= bit;
            }
        }
        Assert.Equal(RejectReason.None, Read(hybrid));
    }

    [Theory]
    [InlineData(8)]
    [InlineData(16)]
    [InlineData(20)]
    [InlineData(32)]
    public void AHeaderThatSaysMoreThanItShouldIsRefused(int offset)
    {
        byte[] hybrid = WireSamples.Hybrid();
        hybrid[offset] ^= 4;
        bool isCluster = offset == 8;

        Assert.Equal(isCluster ? RejectReason.None : RejectReason.Malformed, Read(Sealed(hybrid)));
    }

    [Fact]
    public void RecordsOfAnotherGroupOrMarkedAsFirstAreRefused()
    {
        foreach ((int at, byte value) in new[] { (0, (byte)1), (1, (byte)3) })
        {
            byte[] hybrid = WireSamples.Hybrid();
            int records = hybrid.AsSpan().IndexOf("hello"u8) - 5;
            hybrid[records + at] = value;
            Assert.Equal(0, HybridPacket.Derive(hybrid, 0, ViewEpoch, new byte[4096]));
        }
    }

    [Fact]
    public void APlaceThatIsTooShortGetsNothing()
    {
        byte[] hybrid = WireSamples.Hybrid();
        int length = Derive(hybrid, 1).Length;
        for (int room = 0; room < length; room++)
            Assert.Equal(0, HybridPacket.Derive(hybrid, 1, ViewEpoch, new byte[room]));
        Assert.Equal(length, HybridPacket.Derive(hybrid, 1, ViewEpoch, new byte[length]));
    }

    [Fact]
    public void AnEpochIsWrittenOnlyWhereItIsNotTheViews()
    {
        byte[] hybrid = WireSamples.Hybrid();
        Assert.Equal(0, HybridPacket.Derive(hybrid, 1, WireSamples.OtherReign, new byte[4096]));
    }

    private static byte[] Derive(byte[] hybrid, int region)
    {
        var place = new byte[DatagramHeader.MaxDatagram];
        int length = HybridPacket.Derive(hybrid, region, ViewEpoch, place);
        Assert.True(length > 0);
        return place[..length];
    }

    // The header with a checksum that fits, and that of the list as it was.
    private static byte[] Sealed(byte[] hybrid)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(
            hybrid.AsSpan(40), Crc32C.Of(hybrid.AsSpan(0, 40), hybrid.AsSpan(44, 4)));
        return hybrid;
    }

    private static RejectReason Read(byte[] hybrid)
    {
        Assert.Equal(RejectReason.None, DatagramHeader.TryRead(Sealed(hybrid), out DatagramHeader header));
        return HybridPacket.TryRead(header, hybrid, out _, out _);
    }
}
