namespace QuickSilver.Protocol.Security;

/// <summary>
/// One key of authenticated encryption. No two calls of <see cref="Seal"/> may have the same nonce, unless plaintext
/// and associated data are the same as well. Allocates nothing on success. Core thread only.
/// </summary>
internal interface ISealingKey : IDisposable
{
    /// <summary>Encrypts and authenticates.</summary>
    /// <param name="nonce"><see cref="ICryptoSuite.NonceBytes"/> bytes.</param>
    /// <param name="associated">Bytes that are authenticated and not encrypted.</param>
    /// <param name="plaintext">The bytes to encrypt.</param>
    /// <param name="ciphertext">Destination of the same length; may be the same memory.</param>
    /// <param name="tag">Destination, as long as a tag of the cipher.</param>
    void Seal(
        ReadOnlySpan<byte> nonce,
        ReadOnlySpan<byte> associated,
        ReadOnlySpan<byte> plaintext,
        Span<byte> ciphertext,
        Span<byte> tag);

    /// <summary>Checks and decrypts. Never throws for bytes that are not authentic.</summary>
    /// <param name="nonce"><see cref="ICryptoSuite.NonceBytes"/> bytes.</param>
    /// <param name="associated">Bytes that are authenticated and not encrypted.</param>
    /// <param name="ciphertext">The bytes to decrypt.</param>
    /// <param name="tag">The tag, of the length that the cipher's tags have.</param>
    /// <param name="plaintext">Destination of the same length; may be the same memory. Without meaning when the result
    /// is false.</param>
    /// <returns>True when the bytes are authentic.</returns>
    bool TryOpen(
        ReadOnlySpan<byte> nonce,
        ReadOnlySpan<byte> associated,
        ReadOnlySpan<byte> ciphertext,
        ReadOnlySpan<byte> tag,
        Span<byte> plaintext);
}
