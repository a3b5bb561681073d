using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Security;

/// <summary>
/// The cryptography that a host hands to the protocol: authenticated encryption, key derivation, and secret random
/// bytes. The protocol itself contains none but the hash of the gate (<see cref="SipHash"/>). Core thread only.
/// </summary>
internal interface ICryptoSuite
{
    /// <summary>Bytes of a key or a secret.</summary>
    const int KeyBytes = 32;

    /// <summary>Bytes of a nonce.</summary>
    const int NonceBytes = 12;

    /// <summary>The ciphers that this node has.</summary>
    SealCiphers Ciphers { get; }

    /// <summary>Makes the object that seals and opens with one key. Allocates; the caller disposes of it.</summary>
    /// <param name="cipher">One of <see cref="Ciphers"/>.</param>
    /// <param name="key">The key, <see cref="KeyBytes"/> long; it is copied.</param>
    ISealingKey MakeKey(SealCipher cipher, ReadOnlySpan<byte> key);

    /// <summary>Computes a message authentication code: HMAC-SHA-256.</summary>
    /// <param name="key">The key.</param>
    /// <param name="data">The message.</param>
    /// <param name="mac">Destination of 32 bytes.</param>
    void Mac(ReadOnlySpan<byte> key, ReadOnlySpan<byte> data, Span<byte> mac);

    /// <summary>Derives a key from another: HKDF-Expand with SHA-256 (RFC 5869, section 2.3).</summary>
    /// <param name="key">The key to derive from, uniformly random.</param>
    /// <param name="info">What the derived key is for.</param>
    /// <param name="derived">Destination; at most 8,160 bytes.</param>
    void Expand(ReadOnlySpan<byte> key, ReadOnlySpan<byte> info, Span<byte> derived);

    /// <summary>Fills a span with secret random bytes.</summary>
    void Fill(Span<byte> secret);
}
