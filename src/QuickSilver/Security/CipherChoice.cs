using QuickSilver.Protocol.Wire;

namespace QuickSilver.Security;

/// <summary>Chooses the ciphers that a node offers to its cluster.</summary>
internal static class CipherChoice
{
    /// <summary>The ciphers of a node: those of the platform, or the one that the options name.</summary>
    /// <param name="options">The options.</param>
    /// <param name="onLesser">Receives why the node lacks the best cipher, and what it takes, if it did not choose
    /// so.</param>
    /// <exception cref="QuickSilverException"><see cref="ErrorCode.CipherUnavailable"/>.</exception>
    public static SealCiphers Of(SecurityOptions options, Action<string, SealCipher> onLesser)
    {
        SealCiphers platform = options.PlatformCiphers ?? CipherSuite.OfPlatform;
        SealCipher asked = OfOption(options.Cipher);
        string fault = AegisLibrary.Fault ?? "it is switched off";
        if (asked != SealCipher.None)
        {
            if (platform.Contains(asked)) return SealCiphers.Of(asked);
            string why = asked == SealCipher.Aegis128L ? $" ({fault})" : "";
            throw Missing($"This platform has no {SealCiphers.NameOf(asked)}{why}.");
        }
        if (platform.Preferred == SealCipher.None) throw Missing("This platform has no cipher to seal datagrams with.");
        if (!platform.Contains(SealCipher.Aegis128L)) onLesser(fault, platform.Preferred);
        return platform;
    }

    /// <summary>The names of ciphers, the preferred one first.</summary>
    public static string Describe(SealCiphers ciphers)
    {
        var names = new List<string>();
        for (SealCipher cipher = ciphers.Preferred; cipher != SealCipher.None; cipher--)
        {
            if (ciphers.Contains(cipher)) names.Add(SealCiphers.NameOf(cipher));
        }
        return string.Join(", ", names);
    }

    /// <summary>The public name of a cipher; null for none.</summary>
    public static SecurityCipher? ToPublic(SealCipher cipher) => cipher switch
    {
        SealCipher.Aegis128L => SecurityCipher.Aegis128L,
        SealCipher.Aes256Gcm => SecurityCipher.Aes256Gcm,
        SealCipher.ChaCha20Poly1305 => SecurityCipher.ChaCha20Poly1305,
        _ => null,
    };

    private static SealCipher OfOption(SecurityCipher cipher) => cipher switch
    {
        SecurityCipher.Aegis128L => SealCipher.Aegis128L,
        SecurityCipher.Aes256Gcm => SealCipher.Aes256Gcm,
        SecurityCipher.ChaCha20Poly1305 => SealCipher.ChaCha20Poly1305,
        _ => SealCipher.None,
    };

    private static QuickSilverException Missing(string what) => new(
        ErrorCode.CipherUnavailable, $"{what} Set Security.Cipher to another, for all nodes of the cluster.");
}
