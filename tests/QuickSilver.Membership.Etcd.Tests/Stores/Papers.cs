using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace QuickSilver.Membership.Etcd.Tests.Stores;

/// <summary>An authority, and a certificate of it for both ends of a connection, in files.</summary>
internal sealed class Papers : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("qs-papers-");

    public Papers()
    {
        DateTimeOffset now = DateTimeOffset.UtcNow, begin = now.AddDays(-1), end = now.AddDays(1);
        using var rootKey = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var root = new CertificateRequest("CN=tests", rootKey, HashAlgorithmName.SHA256);
        root.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        root.CertificateExtensions.Add(
            new X509KeyUsageExtension(X509KeyUsageFlags.KeyCertSign | X509KeyUsageFlags.DigitalSignature, true));
        using X509Certificate2 authority = root.CreateSelfSigned(begin, end);

        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=etcd", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddIpAddress(IPAddress.Loopback);
        request.CertificateExtensions.Add(names.Build());
        request.CertificateExtensions.Add(new X509EnhancedKeyUsageExtension(
            [new Oid("1.3.6.1.5.5.7.3.1"), new Oid("1.3.6.1.5.5.7.3.2")], false));
        using X509Certificate2 certificate = request.Create(authority, begin, end, [1, 2, 3, 4]);

        File.WriteAllText(Root, authority.ExportCertificatePem());
        File.WriteAllText(Certificate, certificate.ExportCertificatePem());
        File.WriteAllText(Key, key.ExportPkcs8PrivateKeyPem());
    }

    public string Root => Path.Combine(_folder.FullName, "root.pem");

    public string Certificate => Path.Combine(_folder.FullName, "certificate.pem");

    public string Key => Path.Combine(_folder.FullName, "key.pem");

    public void Dispose() => _folder.Delete(recursive: true);
}
