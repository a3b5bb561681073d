using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace QuickSilver.Membership.Etcd;

/// <summary>Reads the files with the certificates of etcd's members and of this process.</summary>
internal static class EtcdCertificates
{
    /// <summary>Reads them.</summary>
    /// <exception cref="IOException">A file cannot be read, or is not valid; the message names the option.</exception>
    public static SslClientAuthenticationOptions Read(EtcdOptions options)
    {
        var tls = new SslClientAuthenticationOptions();
        if (options.TrustedRootsFile is { } roots)
            tls.CertificateChainPolicy = Read("TrustedRootsFile", roots, ReadRoots);
        if (options.CertificateFile is { } file)
            tls.ClientCertificates = [Read("CertificateFile", file, path => ReadOwn(path, options.CertificateKeyFile))];
        return tls;
    }

    private static X509ChainPolicy ReadRoots(string path)
    {
        var policy = new X509ChainPolicy
        {
            TrustMode = X509ChainTrustMode.CustomRootTrust,
            RevocationMode = X509RevocationMode.NoCheck,
        };
        policy.CustomTrustStore.ImportFromPemFile(path);
        return policy.CustomTrustStore.Count > 0
            ? policy
            : throw new CryptographicException("it has no certificate");
    }

    private static X509Certificate2 ReadOwn(string path, string? keyPath)
    {
        using X509Certificate2 read = X509Certificate2.CreateFromPemFile(path, keyPath);
        // Windows shows no certificate whose key it does not keep.
        return X509CertificateLoader.LoadPkcs12(read.Export(X509ContentType.Pkcs12), password: null);
    }

    private static T Read<T>(string option, string path, Func<string, T> read)
    {
        try
        {
            return read(path);
        }
        catch (Exception fault) when (
            fault is IOException or UnauthorizedAccessException or CryptographicException or ArgumentException)
        {
            throw new IOException($"{option}: '{path}' is not valid: {fault.Message.TrimEnd('.')}", fault);
        }
    }
}
