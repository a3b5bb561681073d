using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Security;

/// <summary>The bytes of sealed datagrams, with the secret 0, 1, … 31.</summary>
public sealed class SealedBytesTests
{
    [Theory]
    [InlineData("data", DatagramKind.Data, DatagramFlags.None)]
    [InlineData("token", DatagramKind.Token, DatagramFlags.None)]
    [InlineData("beacon", DatagramKind.Beacon, DatagramFlags.Final)]
    [InlineData("nak", DatagramKind.Nak, DatagramFlags.None)]
    [InlineData("repair", DatagramKind.Repair, DatagramFlags.FromPeer)]
    [InlineData("lateral-data", DatagramKind.LateralData, DatagramFlags.None)]
    [InlineData("lateral-repair", DatagramKind.LateralRepair, DatagramFlags.None)]
    [InlineData("lateral-nak", DatagramKind.LateralNak, DatagramFlags.None)]
    [InlineData("timed-data", DatagramKind.TimedData, DatagramFlags.None)]
    [InlineData("timed-nak", DatagramKind.TimedNak, DatagramFlags.None)]
    [InlineData("timed-ask", DatagramKind.TimedAsk, DatagramFlags.None)]
    public void TheBytesAreThoseOfTheFile(string name, Enum kind, Enum flags)
    {
        Check(name, SealCipher.Aes256Gcm, (DatagramKind)kind, (DatagramFlags)flags);
        Check($"{name}-aegis", SealCipher.Aegis128L, (DatagramKind)kind, (DatagramFlags)flags);
    }

    private static void Check(string name, SealCipher cipher, DatagramKind kind, DatagramFlags flags)
    {
        var pair = new SealedPair(cipher);
        ulong sender = kind is DatagramKind.Repair ? SealedPair.Third : SealedPair.Writer;
        byte[] plain = SealedPair.Plain(kind, sender, flags: flags);
        byte[] datagram = SealedPair.Seal(pair.From, plain)!;
        string path = Path.Combine(AppContext.BaseDirectory, "Security", "Golden", $"{name}.hex");
        string golden = string.Concat(File.ReadLines(path).Select(static line => line.Split('#')[0]))
            .Replace(" ", "", StringComparison.Ordinal);
        Assert.True(golden == Convert.ToHexStringLower(datagram), $"{name}: {Convert.ToHexStringLower(datagram)}");
        Assert.Equal(RejectReason.None, pair.Open(Convert.FromHexString(golden), out _));
    }
}
