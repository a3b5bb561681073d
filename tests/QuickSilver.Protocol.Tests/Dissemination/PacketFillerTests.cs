using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Dissemination;

public class PacketFillerTests
{
    private static readonly Epoch ServerEpoch = new(3, 4);

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(PacketRecord.MaxFiller)]
    public void FillerEndsAPacketWithoutARecord(int filler)
    {
        byte[] body = Body(filler);
        var reader = new WireReader(body);
        Assert.True(PacketRecord.TryRead(ref reader, body.Length, ServerEpoch, out PacketRecord record));
        Assert.Equal(5, record.Bytes.Length);
        Assert.False(PacketRecord.TryRead(ref reader, body.Length, ServerEpoch, out _));
        Assert.True(reader.IsAtEnd);
    }

    [Fact]
    public void FillerThatHoldsAnythingIsMalformed()
    {
        byte[] body = Body(10);
        body[^1] = 1;
        Assert.True(ReadsAsMalformed(body));
    }

    [Fact]
    public void FillerThatIsTooLongIsMalformed()
    {
        byte[] body = Body(PacketRecord.MaxFiller);
        Assert.True(ReadsAsMalformed([.. body, 0]));
    }

    [Fact]
    public void FillerWithAnotherFlagIsMalformed()
    {
        byte[] body = Body(10);
        body[^10] |= 1;
        Assert.True(ReadsAsMalformed(body));
    }

    [Fact]
    public void TheLengthOfAHeadIsWhatIsWritten()
    {
        foreach (int group in new[] { 0, 127, 128, 70_000 })
        {
            foreach (ulong number in new[] { 1UL, 127UL, 128UL, ulong.MaxValue })
            {
                foreach (StepNumber previous in new[] {
                    default, new StepNumber(ServerEpoch, 300), new StepNumber(new Epoch(200, 7), 5) })
                {
                    Check(group, number, first: true, previous, 1000, 0, 1000);
                    Check(group, number, first: true, previous, 1000, 130, 100);
                    Check(group, number, first: false, previous, 1000, 900, 100);
                }
            }
        }
    }

    private static void Check(
        int group, ulong number, bool first, StepNumber previous, int length, int offset, int part)
    {
        var writer = new WireWriter(new byte[PacketRecord.MaxOverhead]);
        PacketRecord.WriteHead(ref writer, ServerEpoch, group, number, first, previous, length, offset, part);
        int head = PacketRecord.HeadLength(
            ServerEpoch, group, number, first, previous, length, offset, fragment: part != length);
        Assert.False(writer.Overflowed);
        Assert.Equal(writer.Written, head + WireWriter.VarintLength((ulong)part));
    }

    private static byte[] Body(int filler)
    {
        var writer = new WireWriter(new byte[100]);
        PacketRecord.WriteHead(ref writer, ServerEpoch, 1, 1, first: false, default, 5, 0, 5);
        writer.WriteBytes([1, 2, 3, 4, 5]);
        var body = new byte[writer.Written + filler];
        var whole = new WireWriter(body);
        PacketRecord.WriteHead(ref whole, ServerEpoch, 1, 1, first: false, default, 5, 0, 5);
        whole.WriteBytes([1, 2, 3, 4, 5]);
        PacketRecord.WriteFiller(ref whole);
        Assert.Equal(body.Length, whole.Written);
        return body;
    }

    private static bool ReadsAsMalformed(byte[] body)
    {
        var reader = new WireReader(body);
        while (PacketRecord.TryRead(ref reader, body.Length, ServerEpoch, out _))
        {
        }
        return reader.Failed;
    }
}
