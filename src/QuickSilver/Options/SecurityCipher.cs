using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>The cipher that seals datagrams.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<SecurityCipher>))]
public enum SecurityCipher
{
    /// <summary><see cref="Aes256Gcm"/> where the platform has it, else <see cref="ChaCha20Poly1305"/>. All nodes of a
    /// cluster must come to the same.</summary>
    Auto,

    /// <summary>AES-256-GCM.</summary>
    Aes256Gcm,

    /// <summary>ChaCha20-Poly1305, for processors without instructions for AES.</summary>
    ChaCha20Poly1305,
}
