using System.Buffers.Binary;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Security;

/// <summary>
/// How keys follow from the secret of a region view: HKDF-Expand, with what the key is for. A node's number is never
/// given to another process, so its keys in a view are its own.
/// <code>
/// S    secret of the view           drawn by the membership server; members have it
/// G    key of the gate              S, "qs3 gate"
/// S_w  secret of a writer w         S, "qs3 writer" | key of w; a sender that is no member has its own
/// K    key of a lane                S_w, "qs3 lane" | lane | counter >> 24 | name of the cipher
/// K_t  key of a text of several     drawn by its sender, "qs3 text" | name of the cipher
///      views
/// </code>
/// The name of the cipher is in each key that a cipher gets: two ciphers never share a key, and so no space of nonces.
/// </summary>
internal static class KeySchedule
{
    /// <summary>A key of a lane serves for so many counters, as a power of two.</summary>
    public const int CountersOfAKey = 24;

    /// <summary>Derives the key of the gate.</summary>
    public static void Gate(ICryptoSuite suite, ReadOnlySpan<byte> secret, Span<byte> gate) =>
        suite.Expand(secret, "qs3 gate"u8, gate);

    /// <summary>Derives the secret of a writer.</summary>
    /// <param name="suite">The cryptography.</param>
    /// <param name="secret">The secret of the view.</param>
    /// <param name="writer">The <see cref="NodeNumber.Key"/> of the writer.</param>
    /// <param name="derived">Destination.</param>
    public static void Writer(ICryptoSuite suite, ReadOnlySpan<byte> secret, ulong writer, Span<byte> derived)
    {
        Span<byte> info = stackalloc byte[10 + sizeof(ulong)];
        "qs3 writer"u8.CopyTo(info);
        BinaryPrimitives.WriteUInt64LittleEndian(info[10..], writer);
        suite.Expand(secret, info, derived);
    }

    // Longer than each name of a cipher.
    private const int MostName = 32;

    /// <summary>Derives the key of a lane.</summary>
    /// <param name="suite">The cryptography.</param>
    /// <param name="cipher">The cipher that gets the key.</param>
    /// <param name="secret">The secret of the writer; for feedback, of the sender addressed.</param>
    /// <param name="lane">The lane.</param>
    /// <param name="span">The counter, without its low <see cref="CountersOfAKey"/> bits.</param>
    /// <param name="derived">Destination.</param>
    public static void Lane(
        ICryptoSuite suite,
        SealCipher cipher,
        ReadOnlySpan<byte> secret,
        SealLane lane,
        ulong span,
        Span<byte> derived)
    {
        const int fixedBytes = 8 + 1 + sizeof(ulong);
        Span<byte> info = stackalloc byte[fixedBytes + MostName];
        "qs3 lane"u8.CopyTo(info);
        info[8] = (byte)lane;
        BinaryPrimitives.WriteUInt64LittleEndian(info[9..], span);
        suite.Expand(secret, info[..(fixedBytes + WriteName(cipher, info[fixedBytes..]))], derived);
    }

    /// <summary>Derives the key of texts that several views share.</summary>
    /// <param name="suite">The cryptography.</param>
    /// <param name="cipher">The cipher that gets the key.</param>
    /// <param name="drawn">What the sender has drawn.</param>
    /// <param name="derived">Destination.</param>
    public static void Text(ICryptoSuite suite, SealCipher cipher, ReadOnlySpan<byte> drawn, Span<byte> derived)
    {
        const int fixedBytes = 8;
        Span<byte> info = stackalloc byte[fixedBytes + MostName];
        "qs3 text"u8.CopyTo(info);
        suite.Expand(drawn, info[..(fixedBytes + WriteName(cipher, info[fixedBytes..]))], derived);
    }

    private static int WriteName(SealCipher cipher, Span<byte> bytes) =>
        System.Text.Encoding.ASCII.GetBytes(SealCiphers.NameOf(cipher), bytes);
}
