using System.Text.Json.Serialization;
using QuickSilver.Protocol.Wire;

namespace QuickSilver;

/// <summary>
/// What protects the cluster. One choice covers the connections to the membership server and all datagrams. All nodes
/// of a cluster make the same one. Nodes of one machine need none: they use a key of their user's own. On a network a
/// start fails before a choice is made.
/// <para>
/// The plain properties bind from a configuration section: <c>Security:KeyFile</c> alone turns protection on. Code that
/// holds keys or certificates itself calls <see cref="UsePreSharedKey"/> or <see cref="UseCertificates"/>.
/// </para>
/// </summary>
public sealed class SecurityOptions
{
    /// <summary>What protects the cluster. Default: <see cref="SecurityMode.Auto"/>.</summary>
    public SecurityMode Mode { get; set; } = SecurityMode.Auto;

    /// <summary>File with the cluster's key, or with several of them, one a line: see
    /// <see cref="PreSharedKey.FromFile"/>. Null (default): none.</summary>
    public string? KeyFile { get; set; }

    /// <summary>File with the node's certificate and those of its authority's intermediates, as PEM. Read again when it
    /// has changed. Null (default): none.</summary>
    public string? CertificateFile { get; set; }

    /// <summary>File with the private key of <see cref="CertificateFile"/>, as PEM. Null (default): the same
    /// file.</summary>
    public string? CertificateKeyFile { get; set; }

    /// <summary>File with the authorities that issue the certificates of the cluster, as PEM. Those of the system are
    /// not trusted. Read again when it has changed. Null (default): none.</summary>
    public string? TrustedRootsFile { get; set; }

    /// <summary>Names of which a membership server's certificate must have one: what may serve. Empty (default): the
    /// host that was called.</summary>
    public IList<string> ServerNames { get; private set; } = [];

    /// <summary>The cipher that seals datagrams. A start fails with <see cref="ErrorCode.NoCommonCipher"/> when no
    /// cipher is left that all nodes of the cluster have. Default: <see cref="SecurityCipher.Auto"/>.</summary>
    public SecurityCipher Cipher { get; set; } = SecurityCipher.Auto;

    /// <summary>How long the keys of datagrams serve, at least 1 s; Timeout.InfiniteTimeSpan: until a member comes or
    /// goes, which renews them in any case. The process that serves the membership decides. Default: one hour.
    /// </summary>
    public TimeSpan RotateAfter { get; set; } = TimeSpan.FromHours(1);

    /// <summary>Decides at the membership server whether a node may join or publish to a group. Every process that may
    /// serve needs the same. Called on the server's thread: it answers at once, from memory. An exception counts as
    /// no. Null (default): all nodes of the cluster may enter all groups.</summary>
    [JsonIgnore]
    public Func<AuthorizationRequest, bool>? Authorize { get; set; }

    /// <summary>Whether a node with a certificate may only use a name that is its identity, or begins with it and a
    /// slash ("alice", "alice/2"). A node of another name is refused at its start
    /// (<see cref="ErrorCode.NameNotOfIdentity"/>). Without certificates it has no effect. Read by the serving node.
    /// Default: false.</summary>
    public bool BindNodeNames { get; set; }

    /// <summary>How many nodes with one certificate identity may be in the cluster at a time. One more is refused at
    /// its start (<see cref="ErrorCode.TooManyNodesOfIdentity"/>). Without certificates there is no limit. Raise it
    /// where all nodes share a certificate. Read by the serving node. Default: 256.</summary>
    public int MaxNodesPerIdentity { get; set; } = 256;

    /// <summary>What the platform is said to have, in tests; null: what it has.</summary>
    internal SealCiphers? PlatformCiphers { get; set; }

    internal PreSharedKey? Key { get; private set; }

    internal IReadOnlyList<PreSharedKey> AdditionalKeys { get; private set; } = [];

    internal CertificateOptions? Certificates { get; private set; }

    /// <summary>Protects the cluster with a key that all its nodes hold.</summary>
    /// <param name="key">The key to use.</param>
    /// <param name="accepted">Further keys that are accepted. To replace a key without a stop, first accept the new one
    /// in all processes, then use it and accept the old one, then remove the old one.</param>
    /// <returns>This instance.</returns>
    public SecurityOptions UsePreSharedKey(PreSharedKey key, params ReadOnlySpan<PreSharedKey> accepted)
    {
        ArgumentNullException.ThrowIfNull(key);
        foreach (PreSharedKey one in accepted) ArgumentNullException.ThrowIfNull(one, nameof(accepted));
        Mode = SecurityMode.PreSharedKey;
        Key = key;
        AdditionalKeys = [.. accepted];
        return this;
    }

    /// <summary>Protects the cluster with a certificate for each node.</summary>
    /// <returns>This instance.</returns>
    public SecurityOptions UseCertificates(Action<CertificateOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        Mode = SecurityMode.Certificates;
        Certificates ??= new CertificateOptions();
        configure(Certificates);
        return this;
    }

    /// <summary>Protects nothing. The node logs a warning at every start.</summary>
    /// <returns>This instance.</returns>
    public SecurityOptions UseNone()
    {
        Mode = SecurityMode.None;
        return this;
    }

    internal SecurityOptions Copy()
    {
        var copy = (SecurityOptions)MemberwiseClone();
        copy.ServerNames = [.. ServerNames];
        copy.Certificates = Certificates?.Copy();
        return copy;
    }

    internal void Validate(OptionErrors errors)
    {
        errors.Defined("Security.Mode", Mode);
        errors.Defined("Security.Cipher", Cipher);
        errors.InRange("Security.MaxNodesPerIdentity", MaxNodesPerIdentity, 1, 65_536);
        if (RotateAfter != Timeout.InfiniteTimeSpan)
            errors.AtLeast("Security.RotateAfter", RotateAfter, TimeSpan.FromSeconds(1));
    }
}
