using System.Security.Cryptography;
using QuickSilver.Protocol.Security;

namespace QuickSilver.Security;

/// <summary>
/// A key of one of the framework's ciphers, which have the same methods, and no type in common. A wrong tag costs an
/// exception, that is several microseconds and some hundred bytes.
/// </summary>
internal sealed class FrameworkKey(AesGcm? aes, ChaCha20Poly1305? chaCha) : ISealingKey
{
    /// <inheritdoc/>
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

    /// <inheritdoc/>
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

    /// <inheritdoc/>
    public void Dispose()
    {
        aes?.Dispose();
        chaCha?.Dispose();
    }
}
