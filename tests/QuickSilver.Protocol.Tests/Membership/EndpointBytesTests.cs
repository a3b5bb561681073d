using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>Endpoints of both families in frames.</summary>
public sealed class EndpointBytesTests
{
    private static readonly NetEndpoint Far =
        new(new NetAddress(0xFD00_1122_3344_5566, 0x7788_99AA_BBCC_DDEE), 15_001);

    [Fact]
    public void AnEndpointHasItsBytes()
    {
        Assert.Equal("0500000A" + "9975", Hex(new NetEndpoint(0x0A000005, 15_001)));
        Assert.Equal("0000000000", Hex(default));
        Assert.Equal("EEDDCCBB" + "99F504" + "AA998877" + "66554433221100FD", Hex(Far));
    }

    [Fact]
    public void EveryEndpointIsReadAsItWasWritten()
    {
        NetEndpoint[] all =
        [
            default, new(0, 1), new(uint.MaxValue, ushort.MaxValue), new(0x0A000005, 0), Far, Far with { Port = 0 },
            Far with { Port = ushort.MaxValue }, new(new NetAddress(0, 1), 1),
            new(new NetAddress(ulong.MaxValue, ulong.MaxValue), 1), new(new NetAddress(0, 0xFFFE_0A00_0005), 1),
        ];
        foreach (NetEndpoint endpoint in all)
        {
            byte[] bytes = Write(endpoint);
            var reader = new WireReader(bytes);
            Assert.Equal(endpoint, FrameFields.ReadEndpoint(ref reader));
            Assert.True(reader.IsAtEnd);
            for (int length = 0; length < bytes.Length; length++) Assert.True(Fails(bytes[..length]));
        }
    }

    [Theory]
    [InlineData("00000000" + "99F504" + "00000000" + "0000000000000000")]
    [InlineData("0500000A" + "99F504" + "FFFF0000" + "0000000000000000")]
    [InlineData("EEDDCCBB" + "808008" + "AA998877" + "66554433221100FD")]
    public void AnIPv4AddressInTheFormOfIPv6AndAPortBeyondAllAreMalformed(string hex) =>
        Assert.True(Fails(Convert.FromHexString(hex)));

    private static bool Fails(byte[] bytes)
    {
        var reader = new WireReader(bytes);
        FrameFields.ReadEndpoint(ref reader);
        return reader.Failed;
    }

    private static byte[] Write(NetEndpoint endpoint) => new FrameBuilder().Begin().WriteEndpoint(endpoint).ToArray();

    private static string Hex(NetEndpoint endpoint) => Convert.ToHexString(Write(endpoint));
}
