namespace QuickSilver.Protocol.Wire;

/// <summary>
/// A set of ciphers: those that a node has. One bit for each, by its number. Bits of ciphers that are not known here
/// are kept and mean nothing. Immutable.
/// </summary>
/// <param name="Bits">The set.</param>
internal readonly record struct SealCiphers(byte Bits)
{
    private const SealCipher Best = SealCipher.Aegis128L;

    /// <summary>The set of some ciphers.</summary>
    public static SealCiphers Of(params ReadOnlySpan<SealCipher> ciphers)
    {
        int bits = 0;
        foreach (SealCipher cipher in ciphers) bits |= 1 << (int)cipher;
        return new SealCiphers((byte)bits);
    }

    /// <summary>The ciphers of both sets.</summary>
    public static SealCiphers operator &(SealCiphers first, SealCiphers second) =>
        new((byte)(first.Bits & second.Bits));

    /// <summary>The preferred cipher of the set; none when it has none that is known here.</summary>
    public SealCipher Preferred
    {
        get
        {
            SealCipher cipher = Best;
            while (cipher != SealCipher.None && !Contains(cipher)) cipher--;
            return cipher;
        }
    }

    /// <summary>True when a cipher is in the set.</summary>
    public bool Contains(SealCipher cipher) => IsKnown(cipher) && ((Bits >> (int)cipher) & 1) != 0;

    /// <summary>True for a cipher that has a meaning here.</summary>
    public static bool IsKnown(SealCipher cipher) => cipher is > SealCipher.None and <= Best;

    /// <summary>Bytes of a tag of a cipher.</summary>
    public static int TagBytesOf(SealCipher cipher) =>
        cipher == SealCipher.Aegis128L ? SealedHeader.MostTagBytes : SealedHeader.LeastTagBytes;

    /// <summary>The name of a cipher. Keys are derived with it, so it never changes.</summary>
    public static string NameOf(SealCipher cipher) => cipher switch
    {
        SealCipher.ChaCha20Poly1305 => "ChaCha20-Poly1305",
        SealCipher.Aes256Gcm => "AES-256-GCM",
        SealCipher.Aegis128L => "AEGIS-128L",
        _ => "",
    };
}
