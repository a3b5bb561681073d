using System.Diagnostics;
using System.Security.Cryptography;
using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Security;

/// <summary>
/// A node's cryptography for the protocol: AEGIS-128L by libsodium, AES-256-GCM and ChaCha20-Poly1305 by the framework;
/// HMAC and HKDF with SHA-256; the system's generator of secrets. Threads: any, but each key one at a time.
/// </summary>
internal sealed class CipherSuite : ICryptoSuite
{
    private readonly Action<byte[]>? _fill;

    /// <summary>Makes a suite.</summary>
    /// <param name="ciphers">What the node seals and opens with; some of <see cref="OfPlatform"/>.</param>
    /// <param name="fill">Draws secrets, for tests that repeat; null: the system's generator.</param>
    public CipherSuite(SealCiphers ciphers, Action<byte[]>? fill = null)
    {
        Debug.Assert((ciphers & OfPlatform) == ciphers, "the platform has the ciphers");
        Ciphers = ciphers;
        _fill = fill;
    }

    /// <summary>The ciphers that this platform has. Looks for libsodium at the first call.</summary>
    public static SealCiphers OfPlatform { get; } = FindOfPlatform();

    /// <inheritdoc/>
    public SealCiphers Ciphers { get; }

    /// <inheritdoc/>
    public ISealingKey MakeKey(SealCipher cipher, ReadOnlySpan<byte> key)
    {
        Debug.Assert(Ciphers.Contains(cipher), "views have ciphers that their members have");
        return cipher switch
        {
            SealCipher.Aegis128L => new AegisKey(key),
            SealCipher.Aes256Gcm => new FrameworkKey(new AesGcm(key, SealedHeader.LeastTagBytes), null),
            SealCipher.ChaCha20Poly1305 => new FrameworkKey(null, new ChaCha20Poly1305(key)),
            _ => throw new ArgumentOutOfRangeException(nameof(cipher), cipher, "is no cipher"),
        };
    }

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

    private static SealCiphers FindOfPlatform()
    {
        var found = new List<SealCipher>();
        if (AegisLibrary.Fault is null) found.Add(SealCipher.Aegis128L);
        if (AesGcm.IsSupported) found.Add(SealCipher.Aes256Gcm);
        if (ChaCha20Poly1305.IsSupported) found.Add(SealCipher.ChaCha20Poly1305);
        return SealCiphers.Of([.. found]);
    }
}
