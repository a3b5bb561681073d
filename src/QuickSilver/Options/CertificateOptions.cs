using System.Security.Cryptography.X509Certificates;

namespace QuickSilver;

/// <summary>The certificate of a node, and the authorities that it trusts, for programs that do not keep them in files
/// (<see cref="SecurityOptions.CertificateFile"/>). Set by <see cref="SecurityOptions.UseCertificates"/>.</summary>
public sealed class CertificateOptions
{
    /// <summary>Returns the node's certificate with its private key. Called at the start and for each new connection,
    /// on a pool thread: a certificate that was replaced is used from then on. The caller keeps ownership; a returned
    /// certificate stays usable while the node runs.</summary>
    public Func<X509Certificate2>? CertificateSelector { get; set; }

    /// <summary>The authorities that issue the certificates of the cluster. Those of the system are not trusted. Two of
    /// them let a cluster pass from one to the other.</summary>
    public X509Certificate2Collection TrustedRoots { get; } = [];

    /// <summary>Names of which a membership server's certificate must have one. Empty (default): the host that was
    /// called.</summary>
    public IList<string> ServerNames { get; private set; } = [];

    internal CertificateOptions Copy()
    {
        var copy = new CertificateOptions { CertificateSelector = CertificateSelector, ServerNames = [.. ServerNames] };
        copy.TrustedRoots.AddRange(TrustedRoots);
        return copy;
    }
}
