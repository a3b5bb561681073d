using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace QuickSilver.Scenarios.Wide;

/// <summary>The certificate of all gateways of a run, its key and its authority, as files of one folder.</summary>
internal sealed class WideCertificates : IDisposable
{
    /// <summary>The name that the certificate is for.</summary>
    public const string Name = "gateway.example";

    private const string ForServers = "1.3.6.1.5.5.7.3.1";
    private const string ForClients = "1.3.6.1.5.5.7.3.2";
    private static readonly TimeSpan Lasts = TimeSpan.FromDays(1);

    /// <summary>Makes them.</summary>
    public WideCertificates()
    {
        DateTimeOffset now = DateTimeOffset.UtcNow;
        using var ownKey = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        using var rootKey = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var root = new CertificateRequest("CN=gateways", rootKey, HashAlgorithmName.SHA256);
        root.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        using X509Certificate2 authority = root.CreateSelfSigned(now - Lasts, now + Lasts);
        var request = new CertificateRequest($"CN={Name}", ownKey, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddDnsName(Name);
        request.CertificateExtensions.Add(names.Build());
        request.CertificateExtensions.Add(
            new X509EnhancedKeyUsageExtension([new Oid(ForServers), new Oid(ForClients)], false));
        using X509Certificate2 own = request.Create(authority, now - Lasts, now + Lasts, [1]);
        File.WriteAllText(CertificateIn(Folder), own.ExportCertificatePem());
        WriteKey(ownKey.ExportPkcs8PrivateKeyPem());
        File.WriteAllText(RootsIn(Folder), authority.ExportCertificatePem());
    }

    /// <summary>The folder.</summary>
    public string Folder { get; } = Directory.CreateTempSubdirectory("qs-wide-").FullName;

    /// <summary>The certificate in a folder.</summary>
    public static string CertificateIn(string folder) => Path.Combine(folder, "gateway.crt");

    /// <summary>Its key.</summary>
    public static string KeyIn(string folder) => Path.Combine(folder, "gateway.key");

    /// <summary>Its authority.</summary>
    public static string RootsIn(string folder) => Path.Combine(folder, "roots.crt");

    // A gateway takes no key that others may read.
    private void WriteKey(string pem)
    {
        var options = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write };
        if (!OperatingSystem.IsWindows()) options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        using var file = new StreamWriter(KeyIn(Folder), options);
        file.Write(pem);
    }

    /// <inheritdoc/>
    public void Dispose() => Directory.Delete(Folder, recursive: true);
}
