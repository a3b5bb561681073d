using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Security;

public sealed class AesSealingTests() : SealingTests(SealCipher.Aes256Gcm)
{
    [Theory]
    [InlineData(DatagramKind.Repair)]
    [InlineData(DatagramKind.LateralData)]
    [InlineData(DatagramKind.LateralRepair)]
    [InlineData(DatagramKind.LateralNak)]
    [InlineData(DatagramKind.TimedNak)]
    [InlineData(DatagramKind.TimedAsk)]
    public void SealingAndOpeningAllocateNothing(Enum kind)
    {
        var pair = new SealedPair();
        var sealer = new DatagramSealer(pair.From);
        var opener = new DatagramOpener();
        ViewKeys view = pair.To.Find(SealedPair.Tag, SealedPair.Counter)!;
        byte[] plain = SealedPair.Plain((DatagramKind)kind, body: 1_000);
        byte[] datagram = new byte[plain.Length + sealer.AddedBytes(plain)];
        void Once()
        {
            Assert.True(sealer.TrySeal(plain, datagram));
            SealedHeader.TryRead(datagram, ProtocolVersions.Spoken, out DatagramHeader header, out SealedHeader fields);
            RejectReason reason = opener.TryOpen(
                SealedPair.Reader, view, fields, ref header, datagram, out OpenedDatagram opened);
            if (reason != RejectReason.None) throw new InvalidOperationException(reason.ToString());
            opened.Mark();
        }
        for (int warm = 0; warm < 100; warm++) Once();
        Assert.Equal(0, AllocatedBytes.Of(() =>
        {
            for (int count = 0; count < 1_000; count++) Once();
        }));
    }
}
