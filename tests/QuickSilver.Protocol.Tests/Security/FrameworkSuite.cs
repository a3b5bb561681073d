using System.Security.Cryptography;
using QuickSilver.Protocol.Security;

namespace QuickSilver.Protocol.Tests.Security;

/// <summary>The framework's cryptography; secrets are 0, 1, 2, ….</summary>
internal sealed class FrameworkSuite : ICryptoSuite
{
    public int KeysOut { get; private set; }

    public ISealingKey MakeKey(ReadOnlySpan<byte> key)
    {
        KeysOut++;
        return new Key(this, new AesGcm(key, ICryptoSuite.TagBytes));
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
}
