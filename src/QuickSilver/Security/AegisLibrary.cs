using System.Runtime.InteropServices;
using NSec.Cryptography;
using ArmAes = System.Runtime.Intrinsics.Arm.Aes;
using X86Aes = System.Runtime.Intrinsics.X86.Aes;

namespace QuickSilver.Security;

/// <summary>
/// AEGIS-128L by libsodium, which comes with NSec for Linux, Windows and macOS. NSec finds, checks and initialises the
/// library; calls go to it directly.
/// </summary>
internal static unsafe partial class AegisLibrary
{
    private const string Name = "libsodium";

    private static readonly Lazy<string?> Found = new(Find);

    /// <summary>Why AEGIS cannot be used here; null when it can. Loads the library at the first call.</summary>
    public static string? Fault => Found.Value;

    /// <summary>Encrypts and authenticates; source and destination may be the same memory.</summary>
    [LibraryImport(Name, EntryPoint = "crypto_aead_aegis128l_encrypt_detached")]
    public static partial int Encrypt(
        byte* ciphertext,
        byte* tag,
        ulong* tagLength,
        byte* plaintext,
        ulong plaintextLength,
        byte* associated,
        ulong associatedLength,
        byte* secretNonce,
        byte* nonce,
        byte* key);

    /// <summary>Checks and decrypts; source and destination may be the same memory.</summary>
    /// <returns>0 when the bytes are authentic.</returns>
    [LibraryImport(Name, EntryPoint = "crypto_aead_aegis128l_decrypt_detached")]
    public static partial int Decrypt(
        byte* plaintext,
        byte* secretNonce,
        byte* ciphertext,
        ulong ciphertextLength,
        byte* tag,
        byte* associated,
        ulong associatedLength,
        byte* nonce,
        byte* key);

    // Any fault at all means that the framework's ciphers are used: a library of another build, a missing one, a system
    // that forbids to load it.
    private static string? Find()
    {
        if (!X86Aes.IsSupported && !ArmAes.IsSupported) return "the processor has no instructions for AES";
        try
        {
            int tagBytes = AeadAlgorithm.Aegis128L.TagSize;
            if (tagBytes != Protocol.Wire.SealedHeader.MostTagBytes) return $"its tags have {tagBytes} bytes";
            using var key = new AegisKey(new byte[Protocol.Security.ICryptoSuite.KeyBytes]);
            key.Seal(new byte[Protocol.Security.ICryptoSuite.NonceBytes], [], [], [], new byte[tagBytes]);
            return null;
        }
        catch (Exception fault) when (fault is not OutOfMemoryException)
        {
            return Describe(fault.GetBaseException());
        }
    }

    // The messages of the loader have many lines: all places that it tried.
    private static string Describe(Exception cause) => cause is DllNotFoundException
        ? "the library libsodium cannot be loaded"
        : $"{cause.GetType().Name}: {cause.Message.Split('\n')[0]}";
}
