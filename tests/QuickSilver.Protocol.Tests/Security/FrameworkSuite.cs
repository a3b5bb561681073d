using System.Security.Cryptography;
using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Security;

/// <summary>
/// The framework's cryptography, and AEGIS as the specification has it; secrets are 0, 1, 2, ….
/// </summary>
internal sealed class FrameworkSuite : ICryptoSuite
{
    public int KeysOut { get; private set; }

    public SealCiphers Ciphers { get; init; } = SealCiphers.Of(SealCipher.Aes256Gcm, SealCipher.Aegis128L);

    public ISealingKey MakeKey(SealCipher cipher, ReadOnlySpan<byte> key)
    {
        Assert.True(Ciphers.Contains(cipher));
        KeysOut++;
        return cipher == SealCipher.Aegis128L
            ? new AegisKey(this, key.ToArray())
            : new Key(this, new AesGcm(key, SealedHeader.LeastTagBytes));
    }

    public void Mac(ReadOnlySpan<byte> key, ReadOnlySpan<byte> data, Span<byte> mac) =>
        HMACSHA256.HashData(key, data, mac);

    public void Expand(ReadOnlySpan<byte> key, ReadOnlySpan<byte> info, Span<byte> derived) =>
        HKDF.Expand(HashAlgorithmName.SHA256, key, derived, info);

    public void Fill(Span<byte> secret)
    {
        for (int index = 0; index < secret.Length; index++) secret[index] = (byte)index;
    }

    private sealed class Key(FrameworkSuite suite, AesGcm key) : ISealingKey
    {
        public void Seal(
            ReadOnlySpan<byte> nonce,
            ReadOnlySpan<byte> associated,
            ReadOnlySpan<byte> plaintext,
            Span<byte> ciphertext,
            Span<byte> tag) =>
            key.Encrypt(nonce, plaintext, ciphertext, tag, associated);

        public bool TryOpen(
            ReadOnlySpan<byte> nonce,
            ReadOnlySpan<byte> associated,
            ReadOnlySpan<byte> ciphertext,
            ReadOnlySpan<byte> tag,
            Span<byte> plaintext)
        {
            try
            {
                key.Decrypt(nonce, ciphertext, tag, plaintext, associated);
                return true;
            }
            catch (AuthenticationTagMismatchException)
            {
                return false;
            }
        }

        public void Dispose()
        {
            suite.KeysOut--;
            key.Dispose();
        }
    }

    // Half of the bytes are the cipher's key, the other half masks the nonces.
    private sealed class AegisKey(FrameworkSuite suite, byte[] key) : ISealingKey
    {
        public void Seal(
            ReadOnlySpan<byte> nonce,
            ReadOnlySpan<byte> associated,
            ReadOnlySpan<byte> plaintext,
            Span<byte> ciphertext,
            Span<byte> tag)
        {
            (byte[] sealing, byte[] code) = ReferenceAegis.Seal(key, Masked(nonce), associated, plaintext);
            sealing.CopyTo(ciphertext);
            Assert.Equal(code.Length, tag.Length);
            code.CopyTo(tag);
        }

        public bool TryOpen(
            ReadOnlySpan<byte> nonce,
            ReadOnlySpan<byte> associated,
            ReadOnlySpan<byte> ciphertext,
            ReadOnlySpan<byte> tag,
            Span<byte> plaintext)
        {
            (byte[] text, byte[] code) = ReferenceAegis.Open(key, Masked(nonce), associated, ciphertext);
            if (!code.AsSpan().SequenceEqual(tag)) return false;
            text.CopyTo(plaintext);
            return true;
        }

        public void Dispose() => suite.KeysOut--;

        private byte[] Masked(ReadOnlySpan<byte> nonce)
        {
            byte[] masked = key[16..];
            for (int index = 0; index < nonce.Length; index++) masked[index] ^= nonce[index];
            return masked;
        }
    }
}
