using System.Buffers.Binary;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Testing.Security;

/// <summary>
/// Stands in for cryptography where runs need its behaviour and not its strength: keyed 64-bit mixing. Another key,
/// nonce, text or associated byte gives another tag.
/// </summary>
/// <param name="random">Draws secrets.</param>
internal sealed class StandInSuite(SeededRandom random) : ICryptoSuite
{
    /// <inheritdoc/>
    public SealCiphers Ciphers => NodeCiphers.All;

    /// <inheritdoc/>
    public ISealingKey MakeKey(SealCipher cipher, ReadOnlySpan<byte> key) => new Key(cipher, Hash((ulong)cipher, key));

    /// <inheritdoc/>
    public void Mac(ReadOnlySpan<byte> key, ReadOnlySpan<byte> data, Span<byte> mac) => Expand(key, data, mac);

    /// <inheritdoc/>
    public void Expand(ReadOnlySpan<byte> key, ReadOnlySpan<byte> info, Span<byte> derived) =>
        Spread(Hash(Hash(1, key), info), derived);

    /// <inheritdoc/>
    public void Fill(Span<byte> secret) => Spread(random.NextUInt64(), secret);

    private static ulong Hash(ulong state, ReadOnlySpan<byte> bytes)
    {
        state = SeededRandom.Mix(state + (ulong)bytes.Length);
        for (; bytes.Length >= sizeof(ulong); bytes = bytes[sizeof(ulong)..])
            state = SeededRandom.Mix(state ^ BinaryPrimitives.ReadUInt64LittleEndian(bytes)) + 1;
        foreach (byte value in bytes) state = SeededRandom.Mix(state ^ value) + 1;
        return state;
    }

    private static void Spread(ulong state, Span<byte> bytes)
    {
        for (int index = 0; index < bytes.Length; index++)
        {
            if (index % sizeof(ulong) == 0) state = SeededRandom.Mix(state + 1);
            bytes[index] = (byte)(state >> (8 * (index % sizeof(ulong))));
        }
    }

    private sealed class Key(SealCipher cipher, ulong key) : ISealingKey
    {
        public void Seal(
            ReadOnlySpan<byte> nonce,
            ReadOnlySpan<byte> associated,
            ReadOnlySpan<byte> plaintext,
            Span<byte> ciphertext,
            Span<byte> tag)
        {
            if (tag.Length != SealCiphers.TagBytesOf(cipher))
                throw new ArgumentException("The tag is of another cipher.");
            plaintext.CopyTo(ciphertext);
            Turn(nonce, ciphertext);
            Tag(nonce, associated, ciphertext, tag);
        }

        public bool TryOpen(
            ReadOnlySpan<byte> nonce,
            ReadOnlySpan<byte> associated,
            ReadOnlySpan<byte> ciphertext,
            ReadOnlySpan<byte> tag,
            Span<byte> plaintext)
        {
            Span<byte> expected = stackalloc byte[SealCiphers.TagBytesOf(cipher)];
            Tag(nonce, associated, ciphertext, expected);
            if (!tag.SequenceEqual(expected)) return false;
            ciphertext.CopyTo(plaintext);
            Turn(nonce, plaintext);
            return true;
        }

        public void Dispose()
        {
        }

        // The same twice: the first bytes differ, so that what was not opened is not taken for plain.
        private void Turn(ReadOnlySpan<byte> nonce, Span<byte> bytes)
        {
            ulong state = Hash(key, nonce);
            for (int index = 0; index < Math.Min(bytes.Length, sizeof(ulong)); index++)
                bytes[index] ^= (byte)(state >> (8 * index));
        }

        private void Tag(
            ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> associated, ReadOnlySpan<byte> text, Span<byte> tag) =>
            Spread(Hash(Hash(Hash(key, nonce), associated), text), tag);
    }
}
