using System.Buffers.Binary;
using System.Net;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Wire;

/// <summary>Addresses of both families as the protocol keeps them.</summary>
public sealed class NetAddressTests
{
    private static readonly NetAddress Unique = new(0xFD00_0000_0000_0000, 5);

    [Theory]
    [InlineData("0.0.0.0")]
    [InlineData("10.0.0.5")]
    [InlineData("255.255.255.255")]
    [InlineData("::1")]
    [InlineData("fd00::5")]
    [InlineData("ff15::5153:4200")]
    [InlineData("2001:db8:0:1:1:1:1:1")]
    [InlineData("2001:0:0:1::1")]
    [InlineData("1:0:0:2::")]
    [InlineData("1:2:3:4:5:6:7:8")]
    [InlineData("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")]
    public void AnAddressHasItsUsualText(string text)
    {
        NetAddress address = Parse(text);
        Assert.Equal(text, address.ToString());
        Span<char> room = stackalloc char[NetAddress.MostCharacters];
        Assert.True(address.TryFormat(room, out int length));
        Assert.Equal(text, room[..length]);
        for (int less = 0; less < text.Length; less++) Assert.False(address.TryFormat(room[..less], out _));
    }

    [Fact]
    public void DrawnAddressesAreWrittenAsTheFrameworkReadsThem()
    {
        var random = new Random(7);
        for (int round = 0; round < 5_000; round++)
        {
            var words = new byte[16];
            for (int word = 0; word < 8; word++)
                if (random.Next(2) == 0) BinaryPrimitives.WriteUInt16BigEndian(
                    words.AsSpan(2 * word), (ushort)random.Next(1 << random.Next(17)));
            NetAddress address = Of(words);
            Assert.Equal(address, Parse(address.ToString()));
        }
    }

    [Fact]
    public void AnIPv4AddressHasOneValue()
    {
        Assert.Equal((NetAddress)0x0A000005u, Parse("::ffff:10.0.0.5"));
        Assert.Equal(default, (NetAddress)0u);
        Assert.Equal(default, Parse("::"));
        Assert.False(default(NetAddress).IsIPv6);
        Assert.False(((NetAddress)1u).IsIPv6);
        Assert.True(Parse("::1").IsIPv6);
        Assert.True(Parse("::10.0.0.5").IsIPv6);
        Assert.True(((NetAddress)0xFFFFFFFFu).CompareTo(Unique) < 0);
        Assert.Equal("[fd00::5]:7", new NetEndpoint(Unique, 7).ToString());
    }

    [Theory]
    [InlineData("10.0.0.1", true, false, false)]
    [InlineData("127.9.0.1", true, false, true)]
    [InlineData("239.1.1.1", false, true, false)]
    [InlineData("0.0.0.1", false, false, false)]
    [InlineData("255.255.255.255", false, false, false)]
    [InlineData("::", false, false, false)]
    [InlineData("::1", true, false, true)]
    [InlineData("::10.0.0.5", false, false, false)]
    [InlineData("fd00::5", true, false, false)]
    [InlineData("fe80::5", true, false, false)]
    [InlineData("2001:db8::5", true, false, false)]
    [InlineData("ff02::1", false, true, false)]
    public void AnAddressIsOfAHostOfAGroupOrOfNobody(string text, bool isHost, bool isMulticast, bool isLoopback)
    {
        NetAddress address = Parse(text);
        Assert.Equal((isHost, isMulticast, isLoopback), (address.IsHost, address.IsMulticast, address.IsLoopback));
    }

    [Theory]
    [InlineData("10.77.3.9", 24, "10.77.3.0")]
    [InlineData("10.77.3.9", 32, "10.77.3.9")]
    [InlineData("10.77.3.9", 0, "0.0.0.0")]
    [InlineData("fd00:1:2:3:4:5:6:7", 64, "fd00:1:2:3::")]
    [InlineData("fd00:1:2:3:4:5:6:7", 72, "fd00:1:2:3::")]
    [InlineData("fd00:1:2:3:4:5:6:7", 40, "fd00:1::")]
    [InlineData("fd00:1:2:3:4:5:6:7", 128, "fd00:1:2:3:4:5:6:7")]
    public void ANetworkBeginsWithItsPrefix(string text, int bits, string network) =>
        Assert.Equal(network, Parse(text).NetworkOf(bits).ToString());

    [Fact]
    public void AddressesOfAPoolAreCounted()
    {
        Assert.Equal(new NetAddress(0xFD00_0000_0000_0000, 12), Unique.Plus(7));
        Assert.Equal(7, Unique.Plus(7).DistanceFrom(Unique));
        Assert.Equal(-1, Unique.DistanceFrom(Unique.Plus(7)));
        Assert.Equal(-1, Unique.DistanceFrom(0x0A000001));
        Assert.Equal(-1, ((NetAddress)0x0A000001u).DistanceFrom(Unique));
        Assert.Equal(-1, default(NetAddress).DistanceFrom(0x0A000001));
        Assert.Equal(3, ((NetAddress)0x0A000004u).DistanceFrom(0x0A000001));
    }

    private static NetAddress Parse(string text)
    {
        byte[] bytes = IPAddress.Parse(text).GetAddressBytes();
        return bytes.Length == 4 ? BinaryPrimitives.ReadUInt32BigEndian(bytes) : Of(bytes);
    }

    private static NetAddress Of(ReadOnlySpan<byte> bytes) =>
        new(BinaryPrimitives.ReadUInt64BigEndian(bytes), BinaryPrimitives.ReadUInt64BigEndian(bytes[8..]));
}
