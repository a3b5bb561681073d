using System.Buffers.Binary;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Wire;

public class DatagramHeaderTests
{
    private const int LengthOffset = 6;

    private static readonly byte[] Data = GoldenFile.Read("data");
    private static readonly byte[] Ack = GoldenFile.Read("ack");

    [Fact]
    public void LessThanAHeaderIsTooShort()
    {
        for (int length = 0; length < DatagramHeader.Length; length++)
            Assert.Equal(RejectReason.TooShort, Read(Data[..length]));
    }

    [Fact]
    public void AnotherMagicIsAnotherProduct() => Assert.Equal(RejectReason.WrongMagic, Read(With(Data, 1, 0x50)));

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(2 | DatagramHeader.SealedBit)]
    public void AnotherVersionIsRefused(byte version) =>
        Assert.Equal(RejectReason.WrongVersion, Read(With(Data, 2, version)));

    [Theory]
    [InlineData(0)]
    [InlineData(DatagramHeader.Length - 1)]
    [InlineData(104)]
    [InlineData(ushort.MaxValue)]
    public void ALengthShorterThanAHeaderOrLongerThanTheReadIsRefused(ushort length) =>
        Assert.Equal(RejectReason.WrongLength, Read(WithLength(Data, length)));

    [Fact]
    public void ALengthBeyondTheLongestDatagramIsRefusedEvenIfTheReadIsLongEnough()
    {
        var read = new byte[70_000];
        Data.CopyTo(read, 0);

        Assert.Equal(RejectReason.WrongLength, Read(WithLength(read, DatagramHeader.MaxDatagram + 1)));
        Assert.Equal(RejectReason.HeaderChecksum, Read(WithLength(read, DatagramHeader.MaxDatagram)));
    }

    [Fact]
    public void ADamagedHeaderOrControlBodyFailsItsChecksum()
    {
        Assert.Equal(RejectReason.HeaderChecksum, Read(With(Data, 20, 8)));
        Assert.Equal(RejectReason.HeaderChecksum, Read(With(Ack, DatagramHeader.Length, 1)));
    }

    [Fact]
    public void AnySingleDamagedBitIsFound()
    {
        foreach (string name in GoldenFile.Names)
        {
            byte[] datagram = GoldenFile.Read(name);
            DatagramHeader.TryRead(datagram, out DatagramHeader header);
            bool payloadIsGuarded = (header.Flags & DatagramFlags.PayloadChecksum) != 0;
            bool isPacket = DatagramKinds.HasOwnChecksum(header.Kind);
            for (int bit = 0; bit < datagram.Length * 8; bit++)
            {
                if (isPacket && !payloadIsGuarded && bit / 8 >= DatagramHeader.Length) continue;
                datagram[bit / 8] ^= (byte)(1 << (bit % 8));
                bool accepted = DatagramHeader.TryRead(datagram, out DatagramHeader read) == RejectReason.None
                    && (read.Kind == DatagramKind.Hybrid
                        ? IsAnyonesPacket(datagram)
                        : !DatagramKinds.HasOwnChecksum(read.Kind) || read.PayloadIsIntact(datagram));
                Assert.False(accepted, $"{name}, bit {bit}");
                datagram[bit / 8] ^= (byte)(1 << (bit % 8));
            }
        }
    }

    // True when a member of one of the regions would take the packet.
    private static bool IsAnyonesPacket(byte[] hybrid)
    {
        var place = new byte[DatagramHeader.MaxDatagram];
        for (int region = 0; region < WireSamples.HybridRegions.Length; region++)
        {
            int length = HybridPacket.Derive(hybrid, region, WireSamples.ServerEpoch, place);
            if (length == 0) continue;
            DatagramHeader.TryRead(place, out DatagramHeader header);
            if (header.PayloadIsIntact(place)) return true;
        }
        return false;
    }

    [Fact]
    public void TheTailOfAnotherPacketIsNotTakenForThisOnes()
    {
        var firstHeader = new DatagramHeader
        {
            Kind = DatagramKind.Data,
            Flags = DatagramFlags.PayloadChecksum,
            Sequence = 1
        };
        byte[] one = WireSamples.Datagram(firstHeader, (ref WireWriter body) => body.WriteBytes([1, 2, 3]));
        byte[] other = WireSamples.Datagram(
            firstHeader with { Sequence = 2 }, (ref WireWriter body) => body.WriteBytes([4, 5, 6]));
        for (int cut = 1; cut < one.Length; cut++)
        {
            byte[] spliced = [.. one[..cut], .. other[cut..]];
            bool differs = !spliced.AsSpan().SequenceEqual(one) && !spliced.AsSpan().SequenceEqual(other);
            bool accepted = DatagramHeader.TryRead(spliced, out DatagramHeader header) == RejectReason.None
                && header.PayloadIsIntact(spliced);
            Assert.False(differs && accepted, $"cut at {cut}");
        }
    }

    [Fact]
    public void AReadOfManyDatagramsIsWalkedByTheirLengths()
    {
        byte[] read = [.. Ack, .. Data, .. GoldenFile.Read("beacon"), 1, 2, 3];
        var kinds = new List<DatagramKind>();
        ReadOnlySpan<byte> rest = read;
        while (DatagramHeader.TryRead(rest, out DatagramHeader header) == RejectReason.None)
        {
            kinds.Add(header.Kind);
            rest = rest[header.TotalLength..];
        }

        Assert.Equal([DatagramKind.Ack, DatagramKind.Data, DatagramKind.Beacon], kinds);
        Assert.Equal(3, rest.Length);
    }

    [Fact]
    public void TheIgnorableBitStandsApartFromTheKind()
    {
        DatagramHeader header = WireSamples.Header((DatagramKind)0x5A);
        header.Ignorable = true;
        byte[] datagram = WireSamples.Datagram(header);

        Assert.Equal(0x5A | 0x80, datagram[DatagramHeader.KindOffset]);
        Assert.Equal(RejectReason.None, DatagramHeader.TryRead(datagram, out DatagramHeader read));
        Assert.Equal(((DatagramKind)0x5A, true), (read.Kind, read.Ignorable));
    }

    [Fact]
    public void ARepairKeepsPayloadAndItsChecksumButNotTheWishForFeedback()
    {
        byte[] repair = [.. Data];
        DatagramHeader.MarkAsRepair(repair);

        Assert.Equal(RejectReason.None, DatagramHeader.TryRead(repair, out DatagramHeader header));
        Assert.Equal((DatagramKind.Repair, DatagramFlags.PayloadChecksum), (header.Kind, header.Flags));
        Assert.True(header.PayloadIsIntact(repair));
        Assert.True(repair.AsSpan(44).SequenceEqual(Data.AsSpan(44)));

        repair[^1] ^= 1;
        Assert.False(header.PayloadIsIntact(repair));
    }

    [Fact]
    public void WritingAndReadingAllocateNothing()
    {
        byte[] datagram = [.. Data];
        DatagramHeader header = WireSamples.Header(DatagramKind.Data, DatagramFlags.PayloadChecksum, 5);
        void RoundTrip()
        {
            for (int turn = 0; turn < 100; turn++)
            {
                header.WriteTo(datagram);
                RejectReason reason = DatagramHeader.TryRead(datagram, out DatagramHeader read);
                if (reason != RejectReason.None || !read.PayloadIsIntact(datagram)) Assert.Fail("not read");
            }
        }
        RoundTrip();

        Assert.Equal(0, AllocatedBytes.Of(RoundTrip));
    }

    private static RejectReason Read(ReadOnlySpan<byte> read) => DatagramHeader.TryRead(
        read, ProtocolVersions.Spoken, out _);

    private static byte[] With(byte[] datagram, int offset, byte value)
    {
        byte[] changed = [.. datagram];
        changed[offset] = value;
        return changed;
    }

    private static byte[] WithLength(byte[] datagram, ushort length)
    {
        byte[] changed = [.. datagram];
        BinaryPrimitives.WriteUInt16LittleEndian(changed.AsSpan(LengthOffset), length);
        return changed;
    }
}
