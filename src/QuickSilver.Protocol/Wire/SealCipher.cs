namespace QuickSilver.Protocol.Wire;

/// <summary>A cipher that seals datagrams. Frames name it by its number; a higher one is preferred.</summary>
internal enum SealCipher : byte
{
    /// <summary>None: the datagrams of the cluster are not sealed.</summary>
    None = 0,

    /// <summary>ChaCha20-Poly1305: for platforms without AES.</summary>
    ChaCha20Poly1305 = 1,

    /// <summary>AES-256-GCM: what every framework has.</summary>
    Aes256Gcm = 2,

    /// <summary>AEGIS-128L with tags of 32 bytes: a fraction of the cost where the processor has AES.</summary>
    Aegis128L = 3,
}
