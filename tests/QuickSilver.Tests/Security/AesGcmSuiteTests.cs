using System.Text;
using QuickSilver.Protocol.Security;
using QuickSilver.Security;

namespace QuickSilver.Tests.Security;

public sealed class AesGcmSuiteTests
{
    private static readonly byte[] Key = new byte[ICryptoSuite.KeyBytes];
    private static readonly byte[] Nonce = new byte[ICryptoSuite.NonceBytes];

    // RFC 5869, appendix A.1.
    [Fact]
    public void Keys_are_derived_as_the_standard_says()
    {
        byte[] key = Convert.FromHexString("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5");
        byte[] derived = new byte[42];
        new AesGcmSuite().Expand(key, Convert.FromHexString("f0f1f2f3f4f5f6f7f8f9"), derived);
        Assert.Equal(
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
            Convert.ToHexStringLower(derived));
    }

    // RFC 4231, section 4.3.
    [Fact]
    public void Codes_are_made_as_the_standard_says()
    {
        byte[] mac = new byte[32];
        new AesGcmSuite().Mac(Encoding.ASCII.GetBytes("Jefe"), Encoding.ASCII.GetBytes("what do ya want for nothing?"),
            mac);
        Assert.Equal(
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843", Convert.ToHexStringLower(mac));
    }

    // The 13th test case of the specification of GCM.
    [Fact]
    public void An_empty_text_has_the_tag_of_the_specification()
    {
        using ISealingKey key = new AesGcmSuite(isChaCha: false).MakeKey(Key);
        byte[] tag = new byte[ICryptoSuite.TagBytes];
        key.Seal(Nonce, [], [], [], tag);
        Assert.Equal("530f8afbc74536b9a963b4f1c4cb738b", Convert.ToHexStringLower(tag));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void What_is_sealed_opens_in_place_and_a_changed_bit_does_not(bool isChaCha)
    {
        var suite = new AesGcmSuite(isChaCha);
        byte[] secret = new byte[ICryptoSuite.KeyBytes];
        suite.Fill(secret);
        Assert.NotEqual(Key, secret);
        using ISealingKey key = suite.MakeKey(secret);
        byte[] text = Encoding.ASCII.GetBytes("pay mallory nothing");
        byte[] associated = [1, 2, 3];
        for (int changed = -1; changed < text.Length + ICryptoSuite.TagBytes + associated.Length; changed++)
        {
            byte[] bytes = [.. text];
            byte[] tag = new byte[ICryptoSuite.TagBytes];
            byte[] other = [.. associated];
            key.Seal(Nonce, other, bytes, bytes, tag);
            Assert.NotEqual(text, bytes);
            if (changed >= text.Length + tag.Length) other[changed - text.Length - tag.Length] ^= 1;
            else if (changed >= text.Length) tag[changed - text.Length] ^= 1;
            else if (changed >= 0) bytes[changed] ^= 1;
            Assert.Equal(changed < 0, key.TryOpen(Nonce, other, bytes, tag, bytes));
            if (changed < 0) Assert.Equal(text, bytes);
        }
    }

    [Fact]
    public void A_supplied_source_fills_secrets()
    {
        var suite = new AesGcmSuite(fill: static bytes => Array.Fill(bytes, (byte)7));
        byte[] secret = new byte[3];
        suite.Fill(secret);
        Assert.Equal([7, 7, 7], secret);
    }
}
