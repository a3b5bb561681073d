using System.Text;
using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Tests;
using QuickSilver.Protocol.Wire;
using QuickSilver.Security;

namespace QuickSilver.Tests.Security;

public sealed class CipherSuiteTests
{
    private static readonly byte[] Key = new byte[ICryptoSuite.KeyBytes];
    private static readonly byte[] Nonce = new byte[ICryptoSuite.NonceBytes];
    private readonly CipherSuite _suite = new(CipherSuite.OfPlatform);

    public static TheoryData<Enum> Ciphers =>
        [SealCipher.Aegis128L, SealCipher.Aes256Gcm, SealCipher.ChaCha20Poly1305];

    // RFC 5869, appendix A.1.
    [Fact]
    public void Keys_are_derived_as_the_standard_says()
    {
        byte[] key = Convert.FromHexString("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5");
        byte[] derived = new byte[42];
        _suite.Expand(key, Convert.FromHexString("f0f1f2f3f4f5f6f7f8f9"), derived);
        Assert.Equal(
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
            Convert.ToHexStringLower(derived));
    }

    // RFC 4231, section 4.3.
    [Fact]
    public void Codes_are_made_as_the_standard_says()
    {
        byte[] mac = new byte[32];
        _suite.Mac(Encoding.ASCII.GetBytes("Jefe"), Encoding.ASCII.GetBytes("what do ya want for nothing?"), mac);
        Assert.Equal(
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843", Convert.ToHexStringLower(mac));
    }

    // The 13th test case of the specification of GCM.
    [Fact]
    public void An_empty_text_has_the_tag_of_the_specification()
    {
        using ISealingKey key = _suite.MakeKey(SealCipher.Aes256Gcm, Key);
        byte[] tag = new byte[SealedHeader.LeastTagBytes];
        key.Seal(Nonce, [], [], [], tag);
        Assert.Equal("530f8afbc74536b9a963b4f1c4cb738b", Convert.ToHexStringLower(tag));
    }

    // The first test vector of draft-irtf-cfrg-aegis-aead for AEGIS-128L. The nonce is masked by the key's second half.
    [Fact]
    public void Aegis_is_that_of_the_specification()
    {
        SkipWithout(SealCipher.Aegis128L);
        byte[] secret = Convert.FromHexString("10010000000000000000000000000000" + "10000200000000000000000000000000");
        using ISealingKey key = _suite.MakeKey(SealCipher.Aegis128L, secret);
        byte[] text = new byte[16];
        byte[] tag = new byte[SealedHeader.MostTagBytes];
        key.Seal(Nonce, [], text, text, tag);
        Assert.Equal("c1c0e58bd913006feba00f4b3cc3594e", Convert.ToHexStringLower(text));
        Assert.Equal(
            "25835bfbb21632176cf03840687cb968cace4617af1bd0f7d064c639a5c79ee4", Convert.ToHexStringLower(tag));
    }

    [Theory]
    [MemberData(nameof(Ciphers))]
    public void What_is_sealed_opens_in_place_and_a_changed_bit_does_not(Enum cipher)
    {
        SkipWithout((SealCipher)cipher);
        byte[] secret = new byte[ICryptoSuite.KeyBytes];
        _suite.Fill(secret);
        Assert.NotEqual(Key, secret);
        using ISealingKey key = _suite.MakeKey((SealCipher)cipher, secret);
        int tagBytes = SealCiphers.TagBytesOf((SealCipher)cipher);
        byte[] text = Encoding.ASCII.GetBytes("pay mallory nothing");
        byte[] associated = [1, 2, 3];
        for (int changed = -1; changed < text.Length + tagBytes + associated.Length; changed++)
        {
            byte[] bytes = [.. text];
            byte[] tag = new byte[tagBytes];
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

    [Theory]
    [MemberData(nameof(Ciphers))]
    public void Texts_of_each_length_open_and_a_tag_alone_is_checked(Enum cipher)
    {
        SkipWithout((SealCipher)cipher);
        using ISealingKey key = _suite.MakeKey((SealCipher)cipher, Key);
        byte[] tag = new byte[SealCiphers.TagBytesOf((SealCipher)cipher)];
        foreach (int length in (int[])[0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 1_332, 60_000])
        {
            byte[] text = [.. Enumerable.Range(0, length).Select(static index => (byte)index)];
            byte[] bytes = [.. text];
            key.Seal(Nonce, text, bytes, bytes, tag);
            Assert.True(key.TryOpen(Nonce, text, bytes, tag, bytes));
            Assert.Equal(text, bytes);
            tag[^1] ^= 1;
            Assert.False(key.TryOpen(Nonce, text, bytes, tag, bytes));
        }
    }

    [Theory]
    [MemberData(nameof(Ciphers))]
    public void Sealing_and_opening_allocate_nothing(Enum cipher)
    {
        SkipWithout((SealCipher)cipher);
        using ISealingKey key = _suite.MakeKey((SealCipher)cipher, Key);
        byte[] text = new byte[1_000];
        byte[] tag = new byte[SealCiphers.TagBytesOf((SealCipher)cipher)];
        Once();
        Assert.Equal(0, AllocatedBytes.Of(Often));

        void Often()
        {
            for (int count = 0; count < 1_000; count++) Once();
        }

        void Once()
        {
            key.Seal(Nonce, Key, text, text, tag);
            if (!key.TryOpen(Nonce, Key, text, tag, text)) throw new InvalidOperationException("it does not open");
        }
    }

    [Fact]
    public void A_key_that_was_disposed_of_seals_nothing()
    {
        SkipWithout(SealCipher.Aegis128L);
        ISealingKey key = _suite.MakeKey(SealCipher.Aegis128L, Key);
        key.Dispose();
        byte[] tag = new byte[SealedHeader.MostTagBytes];
        Assert.Throws<ObjectDisposedException>(() => key.Seal(Nonce, [], [], [], tag));
        using ISealingKey other = _suite.MakeKey(SealCipher.Aegis128L, Key);
        Assert.Throws<ArgumentException>(() => other.Seal(Nonce, [], [], [], new byte[16]));
    }

    [Fact]
    public void A_supplied_source_fills_secrets()
    {
        var suite = new CipherSuite(default, fill: static bytes => Array.Fill(bytes, (byte)7));
        byte[] secret = new byte[3];
        suite.Fill(secret);
        Assert.Equal([7, 7, 7], secret);
    }

    private static void SkipWithout(SealCipher cipher) =>
        Assert.SkipUnless(CipherSuite.OfPlatform.Contains(cipher), $"this platform has no {cipher}");
}
