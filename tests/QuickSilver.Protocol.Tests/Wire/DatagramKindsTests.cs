using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Wire;

public class DatagramKindsTests
{
    [Theory]
    [InlineData(DatagramKind.Token, PriorityClass.Token)]
    [InlineData(DatagramKind.TokenAck, PriorityClass.Token)]
    [InlineData(DatagramKind.Ack, PriorityClass.Token)]
    [InlineData(DatagramKind.Nak, PriorityClass.Request)]
    [InlineData(DatagramKind.Pull, PriorityClass.Request)]
    [InlineData(DatagramKind.Repair, PriorityClass.Repair)]
    [InlineData(DatagramKind.Beacon, PriorityClass.Data)]
    [InlineData(DatagramKind.Data, PriorityClass.Data)]
    [InlineData(DatagramKind.Note, PriorityClass.Data)]
    [InlineData(DatagramKind.RepairNote, PriorityClass.Repair)]
    [InlineData(DatagramKind.Probe, PriorityClass.Data)]
    [InlineData(DatagramKind.CarrierProbe, PriorityClass.Data)]
    [InlineData(DatagramKind.CarrierWord, PriorityClass.Request)]
    [InlineData(DatagramKind.PathQuery, PriorityClass.Request)]
    [InlineData(DatagramKind.PathAnswer, PriorityClass.Request)]
    [InlineData(DatagramKind.PathFiller, PriorityClass.Data)]
    [InlineData(DatagramKind.RepairPart, PriorityClass.Repair)]
    [InlineData(DatagramKind.LateralData, PriorityClass.Data)]
    [InlineData(DatagramKind.LateralRepair, PriorityClass.Data)]
    [InlineData(DatagramKind.LateralNak, PriorityClass.Request)]
    [InlineData(DatagramKind.LateralResend, PriorityClass.Repair)]
    [InlineData(DatagramKind.LateralSession, PriorityClass.Data)]
    [InlineData(DatagramKind.TimedData, PriorityClass.Data)]
    [InlineData(DatagramKind.TimedRepair, PriorityClass.Repair)]
    [InlineData(DatagramKind.TimedNak, PriorityClass.Repair)]
    [InlineData(DatagramKind.TimedGone, PriorityClass.Repair)]
    [InlineData(DatagramKind.TimedStatus, PriorityClass.Data)]
    [InlineData(DatagramKind.TimedEcho, PriorityClass.Repair)]
    [InlineData(DatagramKind.OrderedData, PriorityClass.Data)]
    [InlineData(DatagramKind.OrderedRepair, PriorityClass.Repair)]
    [InlineData(DatagramKind.OrderedToken, PriorityClass.Token)]
    [InlineData(DatagramKind.OrderedWord, PriorityClass.Token)]
    [InlineData(DatagramKind.OrderedReport, PriorityClass.Repair)]
    [InlineData(DatagramKind.OrderedAsk, PriorityClass.Repair)]
    [InlineData(DatagramKind.OrderedCall, PriorityClass.Request)]
    [InlineData((DatagramKind)99, PriorityClass.Data)]
    public void EachKindHasItsClassAlsoInARead(Enum kind, Enum expected)
    {
        byte[] read = WireSamples.Datagram(WireSamples.Header((DatagramKind)kind));

        Assert.Equal((PriorityClass)expected, DatagramKinds.PriorityOf((DatagramKind)kind));
        Assert.Equal((PriorityClass)expected, DatagramKinds.PriorityOfRead(read));
        Assert.Equal(PriorityClass.Data, DatagramKinds.PriorityOfRead(read.AsSpan(..^1)));
    }

    [Fact]
    public void TokensAndWhatAsksOrAnswersSendersAreControl() => Assert.Equal(
        [
            DatagramKind.Token, DatagramKind.TokenAck, DatagramKind.Ack, DatagramKind.Nak, DatagramKind.Pull,
            DatagramKind.PathQuery,
            DatagramKind.PathAnswer, DatagramKind.CarrierWord, DatagramKind.LateralNak,
            DatagramKind.OrderedToken, DatagramKind.OrderedWord, DatagramKind.OrderedCall,
        ],
        Enum.GetValues<DatagramKind>().Where(DatagramKinds.IsControl));

    [Fact]
    public void OnlyDataAndRepairsCarryPackets() =>
        Assert.Equal(
            [DatagramKind.Repair, DatagramKind.Data],
            Enum.GetValues<DatagramKind>().Where(DatagramKinds.CarriesPacket));

    [Fact]
    public void NotesStandForThePacketsThatTheyTellOf()
    {
        Assert.Equal(
            [DatagramKind.Note, DatagramKind.RepairNote], Enum.GetValues<DatagramKind>().Where(DatagramKinds.IsNote));
        foreach (DatagramKind kind in Enum.GetValues<DatagramKind>())
        {
            DatagramKind packet = DatagramKinds.PacketOf(kind);
            Assert.Equal(
                DatagramKinds.IsNote(kind) || DatagramKinds.CarriesPacket(kind), DatagramKinds.CarriesPacket(packet));
            if (DatagramKinds.IsNote(kind))
                Assert.Equal(DatagramKinds.PriorityOf(kind), DatagramKinds.PriorityOf(packet));
            else Assert.Equal(kind, packet);
        }
    }
}
