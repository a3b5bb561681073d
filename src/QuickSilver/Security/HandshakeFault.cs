namespace QuickSilver.Security;

/// <summary>Why two ends of a connection do not trust each other. The values are bytes on the wire.</summary>
internal enum HandshakeFault : byte
{
    /// <summary>They do.</summary>
    None = 0,

    /// <summary>The other side does not know the key.</summary>
    UnknownKey = 1,

    /// <summary>The proof of the key is wrong: somebody is between the two ends.</summary>
    WrongProof = 2,

    /// <summary>The certificate is of none of the trusted authorities.</summary>
    Untrusted = 3,

    /// <summary>The certificate has expired.</summary>
    Expired = 4,

    /// <summary>The certificate is not valid yet.</summary>
    NotYetValid = 5,

    /// <summary>The certificate is not for this use: of a client, or of a server.</summary>
    WrongUse = 6,

    /// <summary>The certificate has none of the names that a server needs.</summary>
    WrongName = 7,

    /// <summary>The certificate has no name that could be an identity.</summary>
    NoIdentity = 8,

    /// <summary>The other side does not use security, or speaks another protocol.</summary>
    NotSecured = 32,

    /// <summary>The other side uses security in another mode.</summary>
    OtherMode = 33,

    /// <summary>The other side uses another version of the handshake.</summary>
    OtherVersion = 34,

    /// <summary>The other side did not answer in time.</summary>
    Silent = 35,

    /// <summary>The other side ended the connection.</summary>
    Ended = 36,

    /// <summary>The two found no common version or algorithm of TLS, or the other side broke its rules.</summary>
    Tls = 37,

    /// <summary>The other side sent more than a handshake has.</summary>
    TooLong = 38,

    /// <summary>The other side connected, sent nothing, and went.</summary>
    Probe = 39,
}
