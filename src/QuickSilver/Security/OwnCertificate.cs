using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace QuickSilver.Security;

/// <summary>
/// A certificate that this process has made for itself. TLS needs one at each end; the proof of the pre-shared key
/// names both. Nobody trusts it by itself. Made once a process, at first use.
/// </summary>
internal static class OwnCertificate
{
    private static readonly Lazy<SslStreamCertificateContext> Made = new(Make);

    /// <summary>The certificate, as TLS takes it.</summary>
    public static SslStreamCertificateContext Context => Made.Value;

    private static SslStreamCertificateContext Make()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=quicksilver", key, HashAlgorithmName.SHA256);
        DateTimeOffset now = TimeProvider.System.GetUtcNow();
        X509Certificate2 made = request.CreateSelfSigned(now.AddDays(-1), now.AddYears(100));
        // Windows takes no key that lives in memory alone.
        if (OperatingSystem.IsWindows())
            made = X509CertificateLoader.LoadPkcs12(made.Export(X509ContentType.Pkcs12), null);
        return SslStreamCertificateContext.Create(made, additionalCertificates: null, offline: true);
    }
}
