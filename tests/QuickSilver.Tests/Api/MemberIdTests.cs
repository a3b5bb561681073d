using System.Net;
using QuickSilver.Protocol.Tests;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Tests.Api;

public sealed class MemberIdTests
{
    private static readonly MemberId Id = new(new NetEndpoint(0x0A000005, 15_001), 7);

    [Fact]
    public void It_is_written_as_address_port_and_incarnation()
    {
        Assert.Equal("10.0.0.5:15001/7", Id.ToString());
        Assert.Equal("10.0.0.5:15001/7", $"{Id:anything}");
        Assert.Equal(
            "255.255.255.255:65535/18446744073709551615",
            new MemberId(new NetEndpoint(uint.MaxValue, ushort.MaxValue), ulong.MaxValue).ToString());
    }

    [Fact]
    public void It_formats_into_a_span_without_allocating_and_refuses_a_short_one()
    {
        char[] room = new char[16];
        Assert.True(Id.TryFormat(room, out int written, default, null));
        Assert.Equal("10.0.0.5:15001/7", new string(room, 0, written));
        Assert.False(Id.TryFormat(room.AsSpan(0, 15), out written, default, null));
        Assert.Equal(0, written);

        Assert.Equal(0, AllocatedBytes.Of(() =>
        {
            for (int index = 0; index < 100; index++) Id.TryFormat(room, out _, default, null);
        }));
    }

    [Fact]
    public void It_tells_its_address() => Assert.Equal(new IPEndPoint(IPAddress.Parse("10.0.0.5"), 15_001), Id.Address);

    [Fact]
    public void It_is_ordered_by_address_then_port_then_incarnation()
    {
        MemberId[] sorted =
        [
            new(new NetEndpoint(1, 5), 9),
            new(new NetEndpoint(2, 3), 4),
            new(new NetEndpoint(2, 3), 5),
            new(new NetEndpoint(2, 4), 1),
            new(new NetEndpoint(0xC0000000, 1), 1),
        ];
        for (int left = 0; left < sorted.Length; left++)
        {
            for (int right = 0; right < sorted.Length; right++)
            {
                Assert.Equal(left.CompareTo(right), sorted[left].CompareTo(sorted[right]));
                Assert.Equal(left == right, sorted[left] == sorted[right]);
                Assert.Equal(left != right, sorted[left] != sorted[right]);
                Assert.Equal(left < right, sorted[left] < sorted[right]);
                Assert.Equal(left <= right, sorted[left] <= sorted[right]);
                Assert.Equal(left > right, sorted[left] > sorted[right]);
                Assert.Equal(left >= right, sorted[left] >= sorted[right]);
                Assert.Equal(left == right, sorted[left].Equals((object)sorted[right]));
                if (left == right) Assert.Equal(sorted[left].GetHashCode(), sorted[right].GetHashCode());
            }
        }
    }
}
