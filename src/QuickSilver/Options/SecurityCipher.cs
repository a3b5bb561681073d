using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>The cipher that seals datagrams.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<SecurityCipher>))]
public enum SecurityCipher
{
    /// <summary>The best that all nodes have that share a region: <see cref="Aegis128L"/>, else
    /// <see cref="Aes256Gcm"/>, else <see cref="ChaCha20Poly1305"/>. The keys of a region change with its members, and
    /// the cipher with them.</summary>
    Auto,

    /// <summary>AES-256-GCM alone, by the framework: on Linux by OpenSSL. One node with it has its regions use it, and
    /// so gets the cluster a cipher of FIPS 140.</summary>
    Aes256Gcm,

    /// <summary>ChaCha20-Poly1305 alone, by the framework, for processors without instructions for AES.</summary>
    ChaCha20Poly1305,

    /// <summary>AEGIS-128L alone, by libsodium, which comes with the package. A fraction of the cost of AES-256-GCM.
    /// Needs a processor with instructions for AES. A node without it cannot be in one cluster with this one.</summary>
    Aegis128L,
}
