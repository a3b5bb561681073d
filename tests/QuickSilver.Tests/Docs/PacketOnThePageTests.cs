using System.Globalization;
using System.Text.RegularExpressions;
using QuickSilver.Protocol.Wire;
using QuickSilver.Tests.Repository;

namespace QuickSilver.Tests.Docs;

/// <summary>The packet that docs/protocol.md shows byte by byte is the one that the codec writes.</summary>
public sealed partial class PacketOnThePageTests
{
    private static readonly Epoch Reign = new(3, 0x1122334455667788);

    [Fact]
    public void The_packet_on_the_page_is_what_the_codec_writes()
    {
        byte[] written = Write();
        Assert.True(
            written.AsSpan().SequenceEqual(ReadPage()),
            $"the codec writes {Convert.ToHexStringLower(written)}: correct the table");
    }

    [Fact]
    public void The_packet_on_the_page_is_read()
    {
        byte[] datagram = ReadPage();
        Assert.Equal(RejectReason.None, DatagramHeader.TryRead(datagram, out DatagramHeader header));
        Assert.True(header.PayloadIsIntact(datagram));
        var reader = new WireReader(datagram.AsSpan(DatagramHeader.Length));
        Assert.Equal(1UL, reader.ReadVarint());
        Assert.True(PacketRecord.TryRead(ref reader, datagram.Length, Reign, out PacketRecord message));
        Assert.Equal((5, 1000UL, 1), (message.GroupIndex, message.Number, message.Count));
        Assert.True(PacketRecord.TryRead(ref reader, datagram.Length, Reign, out PacketRecord batch));
        Assert.Equal((2, 41UL, 43UL, 3), (batch.GroupIndex, batch.Number, batch.Highest, batch.Count));
        Assert.True(reader.IsAtEnd);
    }

    private static byte[] ReadPage()
    {
        string page = File.ReadAllText(SourceTree.PathOf("docs/protocol.md"));
        var packet = new List<byte>();
        foreach (Match row in Row().Matches(page))
        {
            Assert.Equal(packet.Count, int.Parse(row.Groups[1].ValueSpan, CultureInfo.InvariantCulture));
            packet.AddRange(Convert.FromHexString(row.Groups[2].Value.Replace(" ", "", StringComparison.Ordinal)));
        }
        Assert.NotEmpty(packet);
        return [.. packet];
    }

    private static byte[] Write()
    {
        byte[] datagram = new byte[256];
        var body = new WireWriter(datagram.AsSpan(DatagramHeader.Length));
        body.WriteVarint(1);
        PacketRecord.WriteHead(ref body, Reign, 5, 1000, first: false, default, 5, 0, 5);
        body.WriteBytes("hello"u8);
        PacketRecord.WriteHead(ref body, Reign, 2, 41, first: false, default, 3, 0, 3, count: 3);
        body.WriteBytes("abcdefghi"u8);
        var view = new ViewNumber(Reign, 7);
        var header = new DatagramHeader
        {
            Kind = DatagramKind.Data,
            Flags = DatagramFlags.PayloadChecksum | DatagramFlags.FeedbackWanted,
            Cluster = 0x0102030405060708,
            ViewTag = view.Tag,
            ViewCounter = view.Counter,
            Sender = new NodeNumber(Reign, 9).Key,
            Sequence = 4660,
        };
        datagram = datagram[..(DatagramHeader.Length + body.Written)];
        header.WriteTo(datagram);
        return datagram;
    }

    [GeneratedRegex(@"^\| (\d+) \| `((?:[0-9a-f]{2} ?)+)` \|", RegexOptions.Multiline)]
    private static partial Regex Row();
}
