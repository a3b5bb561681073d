namespace QuickSilver.Security;

/// <summary>Chooses what protects a node whose options leave it open.</summary>
internal static class SecurityChoice
{
    /// <summary>The mode of a node: never <see cref="SecurityMode.Auto"/>. Nodes in the memory of one process need no
    /// protection from others. Nodes of one machine have the user's own key. On a network the options name the choice:
    /// <see cref="Validate"/> refuses those that do not.</summary>
    public static SecurityMode Of(QuickSilverOptions options)
    {
        if (options.Transport.Kind == TransportKind.InMemory) return SecurityMode.None;
        SecurityOptions security = options.Security;
        if (security.Mode != SecurityMode.Auto) return security.Mode;
        if (KeyOf(security) is not null) return SecurityMode.PreSharedKey;
        if (HasCertificate(security)) return SecurityMode.Certificates;
        return options.Membership.Mode == MembershipMode.Loopback ? SecurityMode.PreSharedKey : SecurityMode.None;
    }

    /// <summary>The key that the options name; null for none.</summary>
    public static PreSharedKey? KeyOf(SecurityOptions security) =>
        security.Key ?? (security.KeyFile is { Length: > 0 } path ? PreSharedKey.FromFile(path) : null);

    /// <summary>True when the options name a certificate.</summary>
    public static bool HasCertificate(SecurityOptions security) =>
        security.CertificateFile is not null || security.Certificates is not null;

    /// <summary>Reports choices that contradict each other, and keys and certificates that cannot be used.</summary>
    public static void Validate(QuickSilverOptions options, OptionErrors errors)
    {
        SecurityOptions security = options.Security;
        bool hasKey = KeyOf(security) is not null;
        bool hasCertificate = HasCertificate(security);
        if (security.Mode == SecurityMode.None && (hasKey || hasCertificate))
        {
            errors.Add("Security.Mode", "is None, and a key or certificate is given: remove one of the two");
            return;
        }
        if (security.Mode == SecurityMode.Auto && hasKey && hasCertificate)
        {
            errors.Add("Security.Mode", "is Auto, and both a key and a certificate are given: remove one, or set Mode");
            return;
        }
        if (security.Key is not null && security.KeyFile is not null)
            errors.Add("Security.KeyFile", "is set, and UsePreSharedKey gave another key: remove one of the two");
        if (security.CertificateKeyFile is not null && security.CertificateFile is null)
            errors.Add("Security.CertificateKeyFile", "is set, and Security.CertificateFile is not: set both");
        if (options.Transport.Kind == TransportKind.InMemory) return;
        bool isNetwork = options.Membership.Mode != MembershipMode.Loopback;
        if (security.Mode == SecurityMode.PreSharedKey && !hasKey && isNetwork)
            errors.Add(
                "Security.KeyFile", "is not set, and Security.Mode is PreSharedKey: name the cluster's key file");
        else if (security.Mode == SecurityMode.Auto && !hasKey && !hasCertificate && isNetwork)
            errors.AddUndecided("Security.Mode", Undecided(options.Membership.Mode));
        else if (hasKey || Of(options) == SecurityMode.Certificates)
        {
            // The user's own key is made at the start, not by a look at the options.
            _ = SecurityPlan.TryMake(options, null, out string? fault);
            if (fault is not null) errors.Add(fault);
        }
    }

    private static string Undecided(MembershipMode mode) =>
        $"is Auto, which protects nodes of one machine, and Membership.Mode is {mode}. Choose for all nodes: "
        + "Security.KeyFile = \"cluster.key\" with a key that openssl rand -base64 32 makes; "
        + "Security.UseCertificates(...) or Security.CertificateFile; "
        + "or Security.UseNone(), which lets everyone on the network read and forge messages";
}
