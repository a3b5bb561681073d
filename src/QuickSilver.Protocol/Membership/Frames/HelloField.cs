namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// The number of a field in the <see cref="HelloExtensions"/> of a registration. A number is never used for another
/// field. To add a field: give it the next number here, and a property of <see cref="HelloFrame"/> that reads and
/// writes it. Builds that do not know it skip it, so its absence must have a meaning.
/// </summary>
internal enum HelloField : uint
{
    /// <summary>No field has this number.</summary>
    None = 0,

    /// <summary>The ciphers that the node has: a byte, SealCiphers. Absent: AES-256-GCM alone.</summary>
    Ciphers = 1,

    /// <summary>The electorate of a returning node's server (u64). Absent: none is known.</summary>
    Electorate = 2,

    /// <summary>The node takes <see cref="FrameKind.Monitored"/> (no bytes). Absent: it does not.</summary>
    Monitored = 3,
}
