using System.Globalization;

namespace QuickSilver.Protocol.Wire;

/// <summary>
/// A range of versions of the protocol that a node or a server speaks. A later build speaks the newest version of the
/// build before, so that both are in one cluster while it is upgraded.
/// </summary>
/// <param name="Oldest">The lowest version, at least 1.</param>
/// <param name="Newest">The highest version, at most <see cref="Most"/>.</param>
internal readonly record struct ProtocolVersions(byte Oldest, byte Newest)
{
    /// <summary>The highest version that a datagram can name: the upper bit of the byte is that of sealing.</summary>
    public const byte Most = 127;

    /// <summary>The oldest version that this build speaks.</summary>
    public const byte OldestSpoken = 2;

    /// <summary>The newest version that this build speaks.</summary>
    public const byte NewestSpoken = 2;

    /// <summary>The versions that this build speaks.</summary>
    public static ProtocolVersions Spoken => new(OldestSpoken, NewestSpoken);

    /// <summary>All versions that a datagram can name.</summary>
    public static ProtocolVersions All => new(1, Most);

    /// <summary>True when the range has a version, and no impossible one.</summary>
    public bool IsValid => Oldest >= 1 && Oldest <= Newest && Newest <= Most;

    /// <summary>True when a version is in the range.</summary>
    public bool Contains(byte version) => version >= Oldest && version <= Newest;

    /// <summary>True when some version is in both ranges.</summary>
    public bool Meets(ProtocolVersions other) => Oldest <= other.Newest && other.Oldest <= Newest;

    /// <inheritdoc/>
    public override string ToString() =>
        Oldest == Newest
            ? string.Create(CultureInfo.InvariantCulture, $"version {Oldest}")
            : string.Create(CultureInfo.InvariantCulture, $"versions {Oldest} to {Newest}");
}
