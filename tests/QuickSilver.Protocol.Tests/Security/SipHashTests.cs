using System.Buffers.Binary;
using QuickSilver.Protocol.Security;

namespace QuickSilver.Protocol.Tests.Security;

public sealed class SipHashTests
{
    // Outputs of the reference implementation for the inputs 0, 1, … of each length, with the key 0, 1, … 15.
    [Theory]
    [InlineData(0, "310e0edd47db6f72")]
    [InlineData(1, "fd67dc93c539f874")]
    [InlineData(2, "5a4fa9d909806c0d")]
    [InlineData(3, "2d7efbd796666785")]
    [InlineData(4, "b7877127e09427cf")]
    [InlineData(5, "8da699cd64557618")]
    [InlineData(6, "cee3fe586e46c9cb")]
    [InlineData(7, "37d1018bf50002ab")]
    [InlineData(8, "6224939a79f5f593")]
    [InlineData(9, "b0e4a90bdf82009e")]
    [InlineData(10, "f3b9dd94c5bb5d7a")]
    [InlineData(11, "a7ad6b22462fb3f4")]
    [InlineData(12, "fbe50e86bc8f1e75")]
    [InlineData(13, "903d84c02756ea14")]
    [InlineData(14, "eef27a8e90ca23f7")]
    [InlineData(15, "e545be4961ca29a1")]
    [InlineData(63, "724506eb4c328a95")]
    public void The_hash_is_that_of_the_reference(int length, string expected)
    {
        var hash = new SipHash(Count(SipHash.KeyBytes));
        byte[] bytes = new byte[sizeof(ulong)];
        BinaryPrimitives.WriteUInt64LittleEndian(bytes, hash.Of(Count(length)));
        Assert.Equal(expected, Convert.ToHexStringLower(bytes));
    }

    private static byte[] Count(int length) => [.. Enumerable.Range(0, length).Select(static index => (byte)index)];
}
