using System.Security.Cryptography;
using QuickSilver.Protocol.Security;

namespace QuickSilver.Security;

/// <summary>
/// The framework's cryptography for the protocol: AES-256-GCM, or ChaCha20-Poly1305 where the platform lacks it;
/// HMAC and HKDF with SHA-256; the system's generator of secrets. Threads: any, but each key one at a time.
/// </summary>
internal sealed class AesGcmSuite : ICryptoSuite
{
    private readonly bool _isChaCha;
    private readonly Action<byte[]>? _fill;

    /// <summary>Makes a suite.</summary>
    /// <param name="isChaCha">True: ChaCha20-Poly1305; false: AES-256-GCM; null: the first that the platform
    /// has.</param>
    /// <param name="fill">Draws secrets, for tests that repeat; null: the system's generator.</param>
    /// <exception cref="PlatformNotSupportedException">The platform has no such cipher.</exception>
    public AesGcmSuite(bool? isChaCha = null, Action<byte[]>? fill = null)
    {
        _isChaCha = isChaCha ?? !AesGcm.IsSupported;
        _fill = fill;
        bool isSupported = _isChaCha ? ChaCha20Poly1305.IsSupported : AesGcm.IsSupported;
        if (!isSupported) throw new PlatformNotSupportedException($"This platform has no {Name}.");
    }

    /// <summary>Name of the cipher.</summary>
    public string Name => _isChaCha ? "ChaCha20-Poly1305" : "AES-256-GCM";

    /// <inheritdoc/>
    public ISealingKey MakeKey(ReadOnlySpan<byte> key) =>
        _isChaCha ? new Key(null, new ChaCha20Poly1305(key)) : new Key(new AesGcm(key, ICryptoSuite.TagBytes), null);

    /// <inheritdoc/>
    public void Mac(ReadOnlySpan<byte> key, ReadOnlySpan<byte> data, Span<byte> mac) =>
        HMACSHA256.HashData(key, data, mac);

    /// <inheritdoc/>
    public void Expand(ReadOnlySpan<byte> key, ReadOnlySpan<byte> info, Span<byte> derived) =>
        HKDF.Expand(HashAlgorithmName.SHA256, key, derived, info);

    /// <inheritdoc/>
    public void Fill(Span<byte> secret)
    {
        if (_fill is null)
        {
            RandomNumberGenerator.Fill(secret);
            return;
        }
        byte[] drawn = new byte[secret.Length];
        _fill(drawn);
        drawn.CopyTo(secret);
    }

    // The framework's ciphers have the same methods, and no type in common.
    private sealed class Key(AesGcm? aes, ChaCha20Poly1305? chaCha) : ISealingKey
    {
        public void Seal(
            ReadOnlySpan<byte> nonce,
            ReadOnlySpan<byte> associated,
            ReadOnlySpan<byte> plaintext,
            Span<byte> ciphertext,
            Span<byte> tag)
        {
            if (aes is not null) aes.Encrypt(nonce, plaintext, ciphertext, tag, associated);
            else chaCha!.Encrypt(nonce, plaintext, ciphertext, tag, associated);
        }

        public bool TryOpen(
            ReadOnlySpan<byte> nonce,
            ReadOnlySpan<byte> associated,
            ReadOnlySpan<byte> ciphertext,
            ReadOnlySpan<byte> tag,
            Span<byte> plaintext)
        {
            try
            {
                if (aes is not null) aes.Decrypt(nonce, ciphertext, tag, plaintext, associated);
                else chaCha!.Decrypt(nonce, ciphertext, tag, plaintext, associated);
                return true;
            }
            catch (AuthenticationTagMismatchException)
            {
                return false;
            }
        }

        public void Dispose()
        {
            aes?.Dispose();
            chaCha?.Dispose();
        }
    }
}
