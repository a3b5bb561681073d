using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace QuickSilver.Tests.Security;

/// <summary>An authority that issues certificates for tests.</summary>
internal sealed class TestAuthority : IDisposable
{
    private readonly ECDsa _key = ECDsa.Create(ECCurve.NamedCurves.nistP256);

    public TestAuthority(string name = "authority")
    {
        var request = new CertificateRequest($"CN={name}", _key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        DateTimeOffset now = DateTimeOffset.UtcNow;
        Root = request.CreateSelfSigned(now.AddYears(-1), now.AddYears(1));
    }

    public X509Certificate2 Root { get; }

    /// <summary>Issues a certificate with its private key.</summary>
    /// <param name="name">Its only alternative name; null for none.</param>
    /// <param name="from">The begin of its validity, in days from now.</param>
    /// <param name="to">The end of its validity, in days from now.</param>
    /// <param name="uses">Its extended uses; null for none given.</param>
    public X509Certificate2 Issue(string? name, double from = -1, double to = 1, string[]? uses = null)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest($"CN={name ?? "nobody"}", key, HashAlgorithmName.SHA256);
        if (name is not null) request.CertificateExtensions.Add(Names(name));
        if (uses is not null)
        {
            var list = new OidCollection();
            foreach (string use in uses) list.Add(new Oid(use));
            request.CertificateExtensions.Add(new X509EnhancedKeyUsageExtension(list, false));
        }
        DateTimeOffset now = DateTimeOffset.UtcNow;
        using X509Certificate2 issued = request.Create(
            Root, now.AddDays(from), now.AddDays(to), RandomNumberGenerator.GetBytes(8));
        return Usable(issued.CopyWithPrivateKey(key));
    }

    public static X509Certificate2 SelfSigned(string name)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest($"CN={name}", key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(Names(name));
        DateTimeOffset now = DateTimeOffset.UtcNow;
        return Usable(request.CreateSelfSigned(now.AddDays(-1), now.AddDays(1)));
    }

    public void Dispose()
    {
        Root.Dispose();
        _key.Dispose();
    }

    private static X509Extension Names(string name)
    {
        var names = new SubjectAlternativeNameBuilder();
        if (name.Contains("://", StringComparison.Ordinal)) names.AddUri(new Uri(name));
        else if (System.Net.IPAddress.TryParse(name, out System.Net.IPAddress? address)) names.AddIpAddress(address);
        else names.AddDnsName(name);
        return names.Build();
    }

    private static X509Certificate2 Usable(X509Certificate2 certificate) =>
        OperatingSystem.IsWindows()
            ? X509CertificateLoader.LoadPkcs12(certificate.Export(X509ContentType.Pkcs12), null)
            : certificate;
}
