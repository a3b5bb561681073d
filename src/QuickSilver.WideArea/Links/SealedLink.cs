namespace QuickSilver.WideArea.Links;

/// <summary>
/// A sealed datagram of a link. Numbers are little-endian.
/// <code>
/// 0   1   version: 0xB1
/// 1   1   index of the site that sends
/// 2   16  salt: random, of the sending end's life
/// 18  8   counter: from 1, of the salt
/// 26  8   gate: SipHash-2-4 of what is before it and of the tag
/// 34      the link's datagram, by AES-256-GCM; what is before the gate is authenticated with it
///     16  tag
/// </code>
/// </summary>
internal static class SealedLink
{
    /// <summary>The first byte.</summary>
    public const byte Version = 0xB1;

    /// <summary>Where the site is.</summary>
    public const int SiteAt = 1;

    /// <summary>Where the salt is.</summary>
    public const int SaltAt = 2;

    /// <summary>Bytes of the salt.</summary>
    public const int SaltBytes = 16;

    /// <summary>Where the counter is.</summary>
    public const int CounterAt = SaltAt + SaltBytes;

    /// <summary>Where the gate is.</summary>
    public const int GateAt = CounterAt + 8;

    /// <summary>Where the sealed part begins.</summary>
    public const int HeaderBytes = GateAt + 8;

    /// <summary>Bytes of the tag.</summary>
    public const int TagBytes = 16;

    /// <summary>What sealing adds.</summary>
    public const int Overhead = HeaderBytes + TagBytes;
}
