namespace QuickSilver.Security;

/// <summary>What protects a node, with its keys at hand.</summary>
/// <param name="Mode">The mode: never <see cref="SecurityMode.Auto"/>.</param>
/// <param name="Channel">Secures connections of the membership; null for <see cref="SecurityMode.None"/>.</param>
/// <param name="Description">The source of keys or certificates, for the log.</param>
/// <param name="IsExposed">True when others on the machine or the network can reach a node without protection.</param>
/// <param name="IsOfUser">True when the key is this user's own, which no other user has.</param>
internal sealed record SecurityPlan(
    SecurityMode Mode, ChannelSecurity? Channel, string Description, bool IsExposed = false, bool IsOfUser = false)
{
    /// <summary>The keys; null for another mode than that of pre-shared keys.</summary>
    public AcceptedKeys? Keys { get; init; }

    /// <summary>No protection, of a node that none can reach.</summary>
    public static SecurityPlan None { get; } = new(SecurityMode.None, null, "none");

    /// <summary>True when connections and datagrams are protected.</summary>
    public bool IsOn => Channel is not null;

    /// <summary>Finds what protects a node, reads its keys, and tries them.</summary>
    /// <param name="options">Valid options of the node, but for the files that they name.</param>
    /// <param name="onFault">Receives the fault of a file that cannot be read again later; null for nobody.</param>
    /// <param name="fault">The fault, beginning with the name of the option; null for none.</param>
    /// <returns>The plan; null after a failure.</returns>
    public static SecurityPlan? TryMake(QuickSilverOptions options, Action<string>? onFault, out string? fault)
    {
        SecurityOptions security = options.Security;
        fault = null;
        switch (SecurityChoice.Of(options))
        {
            case SecurityMode.Certificates:
                CertificateSource? source = CertificateSource.TryOpen(security, onFault, out fault);
                return source is null
                    ? null
                    : new SecurityPlan(
                        SecurityMode.Certificates, new CertificateChannelSecurity(source),
                        $"certificate '{source.Subject}'");
            case SecurityMode.PreSharedKey:
                return TryUseKeys(security, onFault, out fault);
            default:
                return None with { IsExposed = options.Transport.Kind != TransportKind.InMemory };
        }
    }

    private static SecurityPlan? TryUseKeys(SecurityOptions security, Action<string>? onFault, out string? fault)
    {
        PreSharedKey? first = SecurityChoice.KeyOf(security);
        string origin = security.Key is null ? "Security.KeyFile" : "Security.UsePreSharedKey";
        string ownPath = "";
        if (first is null)
        {
            if (LoopbackKey.TryFind(out ownPath) is { } missing)
            {
                fault = $"Security.KeyFile: is not set, and this user's own key cannot be used: {missing}. "
                    + "Set XDG_STATE_HOME to a folder that this user may write to, or set Security.KeyFile";
                return null;
            }
            first = PreSharedKey.OfUser(ownPath);
        }
        var all = new List<PreSharedKey> { first };
        all.AddRange(security.AdditionalKeys);
        AcceptedKeys? keys = AcceptedKeys.TryRead(all, onFault, out fault);
        if (keys is not null)
            return new SecurityPlan(SecurityMode.PreSharedKey, new KeyChannelSecurity(keys), $"{first}")
            {
                IsOfUser = ownPath.Length > 0,
                Keys = keys,
            };
        fault = ownPath.Length == 0
            ? $"{origin}: {fault}"
            : $"Security.KeyFile: is not set, and this user's own key cannot be used: {fault}. Remove '{ownPath}' "
                + "while no node of this user runs, and start again to get a new one";
        return null;
    }
}
