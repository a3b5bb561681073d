using System.Diagnostics;
using System.Security.Cryptography;
using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Security;

/// <summary>
/// A key of AEGIS-128L, in memory that is pinned and zeroed. Of its 32 bytes 16 are the cipher's key. The others mask
/// the nonces: counted nonces would be the same under many keys, and then one search would try all of these at once.
/// <para>
/// Calls libsodium itself: a key object of NSec takes four mappings of memory and some 40 us, and a node has thousands.
/// Copies nothing, allocates nothing, and a wrong tag costs no exception.
/// </para>
/// </summary>
internal sealed unsafe class AegisKey : ISealingKey
{
    private const int CipherKeyBytes = 16;
    private const int CipherNonceBytes = 16;

    private readonly byte[] _bytes = GC.AllocateArray<byte>(ICryptoSuite.KeyBytes, pinned: true);
    private bool _isDisposed;

    /// <summary>Takes a key; its bytes are copied.</summary>
    public AegisKey(ReadOnlySpan<byte> key) => key.CopyTo(_bytes);

    /// <inheritdoc/>
    public void Seal(
        ReadOnlySpan<byte> nonce,
        ReadOnlySpan<byte> associated,
        ReadOnlySpan<byte> plaintext,
        Span<byte> ciphertext,
        Span<byte> tag)
    {
        ThrowIfBad(tag.Length, ciphertext.Length, plaintext.Length);
        byte* masked = stackalloc byte[CipherNonceBytes];
        Mask(nonce, new Span<byte>(masked, CipherNonceBytes));
        fixed (byte* from = plaintext, to = ciphertext, beside = associated, code = tag, key = _bytes)
        {
            _ = AegisLibrary.Encrypt(
                to, code, null, from, (ulong)plaintext.Length, beside, (ulong)associated.Length, null, masked, key);
        }
    }

    /// <inheritdoc/>
    public bool TryOpen(
        ReadOnlySpan<byte> nonce,
        ReadOnlySpan<byte> associated,
        ReadOnlySpan<byte> ciphertext,
        ReadOnlySpan<byte> tag,
        Span<byte> plaintext)
    {
        ThrowIfBad(tag.Length, ciphertext.Length, plaintext.Length);
        byte* masked = stackalloc byte[CipherNonceBytes];
        Mask(nonce, new Span<byte>(masked, CipherNonceBytes));
        fixed (byte* from = ciphertext, to = plaintext, beside = associated, code = tag, key = _bytes)
        {
            // Without a destination the library checks the tag alone, and leaves the text as it is.
            byte none;
            byte* into = plaintext.Length == 0 ? &none : to;
            return AegisLibrary.Decrypt(
                into, null, from, (ulong)ciphertext.Length, code, beside, (ulong)associated.Length, masked, key) == 0;
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _isDisposed = true;
        CryptographicOperations.ZeroMemory(_bytes);
    }

    private void Mask(ReadOnlySpan<byte> nonce, Span<byte> masked)
    {
        Debug.Assert(nonce.Length == ICryptoSuite.NonceBytes, "nonces of the protocol have one length");
        _bytes.AsSpan(CipherKeyBytes).CopyTo(masked);
        for (int index = 0; index < nonce.Length; index++) masked[index] ^= nonce[index];
    }

    // The library is told addresses, and writes what it is told.
    private void ThrowIfBad(int tagBytes, int ciphertextBytes, int plaintextBytes)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        if (tagBytes != SealedHeader.MostTagBytes || ciphertextBytes != plaintextBytes)
            throw new ArgumentException("A tag of AEGIS has 32 bytes, and texts are as long as what is sealed.");
    }
}
