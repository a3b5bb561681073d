using QuickSilver.Protocol.Lateral;

namespace QuickSilver.Protocol.Tests.Lateral;

public sealed class GaloisFieldTests
{
    [Fact]
    public void ItIsAField()
    {
        for (int one = 0; one < 256; one++)
        {
            Assert.Equal(one, GaloisField.Multiply((byte)one, 1));
            Assert.Equal(one == 0 ? 0 : 1, GaloisField.Multiply((byte)one, GaloisField.Invert((byte)one)));
            for (int other = 0; other < 256; other += 7)
            {
                byte product = GaloisField.Multiply((byte)one, (byte)other);
                Assert.Equal(product, GaloisField.Multiply((byte)other, (byte)one));
                byte left = GaloisField.Multiply((byte)one, (byte)(other ^ 29));
                Assert.Equal(left, (byte)(product ^ GaloisField.Multiply((byte)one, 29)));
            }
        }
        // The standard's own example: {57} x {83} = {c1}.
        Assert.Equal(0xC1, GaloisField.Multiply(0x57, 0x83));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(31)]
    [InlineData(64)]
    [InlineData(1025)]
    public void VectorsAreAddedAsByteByByte(int length)
    {
        var random = new Random(length);
        byte[] term = new byte[length];
        random.NextBytes(term);
        foreach (byte coefficient in (byte[])[0, 1, 2, 83, 255])
        {
            byte[] sum = new byte[length + 3];
            random.NextBytes(sum);
            byte[] expected = [.. sum];
            for (int index = 0; index < length; index++)
                expected[index] ^= GaloisField.Multiply(coefficient, term[index]);
            GaloisField.AddProduct(sum, term, coefficient);
            Assert.Equal(expected, sum);
        }
    }
}
