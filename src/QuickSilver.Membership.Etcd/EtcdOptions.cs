namespace QuickSilver.Membership.Etcd;

/// <summary>How an <see cref="EtcdElection"/> reaches etcd, and for how long it takes leases. Read once, by its
/// constructor; files are read when a connection is made. All nodes of a cluster use the same <see cref="Prefix"/>.
/// </summary>
public sealed class EtcdOptions
{
    /// <summary>The members of etcd: "10.0.0.5:2379", "https://etcd-1:2379" or "http://[fd00::5]:2379". Without a
    /// scheme it is https where a file of certificates is set, else http. While one does not answer, the next is
    /// asked.</summary>
    public IList<string> Endpoints { get; private set; } = [];

    /// <summary>What all keys begin with. A cluster has the keys PREFIX + CLUSTER + "/leader" and "/term".
    /// Default: "quicksilver/".</summary>
    public string Prefix { get; set; } = "quicksilver/";

    /// <summary>How long a lease is valid without a renewal, in whole seconds, rounded up. It is the time without a
    /// server after the serving machine died. etcd grants no shorter lease than its own election takes: two seconds
    /// with its defaults. Default: 5 s.</summary>
    public TimeSpan LeaseDuration { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>How long one member of etcd may take to answer before the next is asked. Default: 1 s.</summary>
    public TimeSpan RequestTimeout { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>The user, where etcd has authentication. It reads and writes keys with <see cref="Prefix"/>. Null
    /// (default): none.</summary>
    public string? User { get; set; }

    /// <summary>The password of <see cref="User"/>.</summary>
    public string? Password { get; set; }

    /// <summary>A PEM file with the authorities of etcd's certificates. Null (default): those of the system.</summary>
    public string? TrustedRootsFile { get; set; }

    /// <summary>A PEM file with the certificate that this process shows. Null (default): none.</summary>
    public string? CertificateFile { get; set; }

    /// <summary>A PEM file with the key of <see cref="CertificateFile"/>. Null (default): the key is in that file.
    /// </summary>
    public string? CertificateKeyFile { get; set; }

    internal bool HasCertificates => TrustedRootsFile is not null || CertificateFile is not null;

    internal EtcdOptions Copy()
    {
        var copy = (EtcdOptions)MemberwiseClone();
        copy.Endpoints = [.. Endpoints];
        return copy;
    }

    /// <summary>What is wrong with them; null if nothing is.</summary>
    internal string? FindFault()
    {
        if (Endpoints.Count == 0) return "Endpoints: is empty: add a member of etcd, such as 10.0.0.5:2379";
        for (int index = 0; index < Endpoints.Count; index++)
        {
            if (EtcdAddress.TryParse(Endpoints[index], HasCertificates) is not { } address)
                return $"Endpoints[{index}]: '{Endpoints[index]}' is not HOST:PORT, such as 10.0.0.5:2379";
            if (HasCertificates && address.Scheme == Uri.UriSchemeHttp)
                return $"Endpoints[{index}]: '{Endpoints[index]}' is http, and a file of certificates is set: "
                    + "write https, or leave the files out";
        }
        if (Prefix is null) return "Prefix: is null";
        if (LeaseDuration < TimeSpan.FromSeconds(1) || LeaseDuration > TimeSpan.FromHours(1))
            return $"LeaseDuration: {LeaseDuration} is not between a second and an hour";
        if (RequestTimeout <= TimeSpan.Zero || RequestTimeout >= LeaseDuration)
            return $"RequestTimeout: {RequestTimeout} is not above zero and below LeaseDuration ({LeaseDuration})";
        if (User is null != Password is null)
            return "User and Password: one is set without the other";
        return CertificateKeyFile is not null && CertificateFile is null
            ? "CertificateKeyFile: is set, and CertificateFile is not: set it, too"
            : null;
    }
}
