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
    public ISealingKey MakeKey(ReadOnlySpan<byte> key) => _isChaCha ? new ChaChaKey(key) : new AesKey(key);

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

    private sealed class AesKey(ReadOnlySpan<byte> key) : ISealingKey
    {
        private readonly AesGcm _key = new(key, ICryptoSuite.TagBytes);

        public void Seal(
            ReadOnlySpan<byte> nonce,
            ReadOnlySpan<byte> associated,
            ReadOnlySpan<byte> plaintext,
            Span<byte> ciphertext,
            Span<byte> tag) =>
            _key.Encrypt(nonce, plaintext, ciphertext, tag, associated);

        public bool TryOpen(
            ReadOnlySpan<byte> nonce,
            ReadOnlySpan<byte> associated,
            ReadOnlySpan<byte> ciphertext,
            ReadOnlySpan<byte> tag,
            Span<byte> plaintext)
        {
            try
            {
                _key.Decrypt(nonce, ciphertext, tag, plaintext, associated);
                return true;
            }
            catch (AuthenticationTagMismatchException)
            {
                return false;
            }
        }

        public void Dispose() => _key.Dispose();
    }

    private sealed class ChaChaKey(ReadOnlySpan<byte> key) : ISealingKey
    {
        private readonly ChaCha20Poly1305 _key = new(key);

        public void Seal(
            ReadOnlySpan<byte> nonce,
            ReadOnlySpan<byte> associated,
            ReadOnlySpan<byte> plaintext,
            Span<byte> ciphertext,
            Span<byte> tag) =>
            _key.Encrypt(nonce, plaintext, ciphertext, tag, associated);

        public bool TryOpen(
            ReadOnlySpan<byte> nonce,
            ReadOnlySpan<byte> associated,
            ReadOnlySpan<byte> ciphertext,
            ReadOnlySpan<byte> tag,
            Span<byte> plaintext)
        {
            try
            {
                _key.Decrypt(nonce, ciphertext, tag, plaintext, associated);
                return true;
            }
            catch (AuthenticationTagMismatchException)
            {
                return false;
            }
        }

        public void Dispose() => _key.Dispose();
    }
}
