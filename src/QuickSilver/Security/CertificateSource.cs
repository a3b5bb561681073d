using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace QuickSilver.Security;

/// <summary>
/// The certificate of a process and the authorities that it trusts, from files or from the application. Files that have
/// changed are read again at the next connection; a fault then leaves what there was. Any thread.
/// </summary>
internal sealed class CertificateSource
{
    private readonly Lock _lock = new();
    private readonly SecurityOptions _options;
    private readonly Action<string>? _onFault;
    private SslStreamCertificateContext? _context;
    private X509Certificate2? _certificate;
    private X509Certificate2Collection _roots = [];
    private string _stamp = "";
    private string _reported = "";

    private CertificateSource(SecurityOptions options, Action<string>? onFault)
    {
        _options = options;
        _onFault = onFault;
        ServerNames = [.. options.ServerNames, .. options.Certificates?.ServerNames ?? []];
    }

    /// <summary>The subject of the certificate, for the log.</summary>
    public string Subject
    {
        get
        {
            lock (_lock) return _certificate?.Subject ?? "";
        }
    }

    /// <summary>Names of which a server's certificate must have one; empty for the host that was called.</summary>
    public IReadOnlyList<string> ServerNames { get; }

    /// <summary>The trusted authorities as of now.</summary>
    public X509Certificate2Collection Roots
    {
        get
        {
            lock (_lock) return _roots;
        }
    }

    /// <summary>The certificate for a new connection, with its intermediates.</summary>
    public SslStreamCertificateContext Context
    {
        get
        {
            lock (_lock)
            {
                string fault = TryRead() ?? "";
                if (fault.Length > 0 && fault != _reported) _onFault?.Invoke(fault);
                _reported = fault;
                return _context!;
            }
        }
    }

    /// <summary>Reads the certificate and the authorities, and tries the private key.</summary>
    /// <param name="options">The options.</param>
    /// <param name="onFault">Receives the fault of files that cannot be read again, once for each fault.</param>
    /// <param name="fault">The fault, beginning with the name of the option; null for none.</param>
    public static CertificateSource? TryOpen(SecurityOptions options, Action<string>? onFault, out string? fault)
    {
        var source = new CertificateSource(options, onFault);
        fault = source.TryRead();
        return fault is null ? source : null;
    }

    /// <summary>A source whose certificate is used as it is, for tests of what the other side says to it.</summary>
    internal static CertificateSource Unchecked(SecurityOptions options)
    {
        var source = new CertificateSource(options, null)
        {
            _roots = [.. options.Certificates!.TrustedRoots],
        };
        source.Take(options.Certificates.CertificateSelector!(), []);
        return source;
    }

    /// <summary>Notes that the certificate was refused: the files are read again, whatever their stamps
    /// say.</summary>
    public void OnRefused()
    {
        lock (_lock) _stamp = "";
    }

    private string? TryRead()
    {
        try
        {
            return _options.Certificates?.CertificateSelector is { } select ? TrySelect(select) : TryReadFiles();
        }
        catch (Exception wrong) when (wrong is CryptographicException or IOException or ArgumentException)
        {
            return $"Security.CertificateFile: cannot be used: {wrong.Message.TrimEnd('.')}";
        }
    }

    private string? TrySelect(Func<X509Certificate2> select)
    {
        const string Option = "Security.UseCertificates";
        X509Certificate2? chosen;
        try
        {
            chosen = select();
        }
        catch (Exception thrown)
        {
            return $"{Option}: CertificateSelector threw: {thrown.Message.TrimEnd('.')}";
        }
        if (chosen is null) return $"{Option}: CertificateSelector returned null";
        if (_context is not null && ReferenceEquals(chosen, _certificate)) return null;
        if (Judge(Option, chosen) is { } fault) return fault;
        if (_options.Certificates!.TrustedRoots.Count == 0 && _options.TrustedRootsFile is null)
            return $"{Option}: TrustedRoots is empty: add the authorities of the cluster's certificates";
        _roots = [.. _options.Certificates.TrustedRoots];
        if (_options.TrustedRootsFile is { } path && TryReadRoots(path, _roots) is { } wrong) return wrong;
        Take(chosen, []);
        return null;
    }

    private string? TryReadFiles()
    {
        if (_options.CertificateFile is not { } path)
            return "Security.CertificateFile: is not set, and Security.Mode is Certificates: set it, "
                + "or call UseCertificates";
        string keyPath = _options.CertificateKeyFile ?? path;
        if (_options.TrustedRootsFile is not { } rootsPath)
            return "Security.TrustedRootsFile: is not set: name the file with the authorities of the cluster's "
                + "certificates";
        string stamp = FileStamp.Of(path) + FileStamp.Of(keyPath) + FileStamp.Of(rootsPath);
        if (_context is not null && stamp == _stamp) return null;
        if (KeyFile.TryReadText(path, FileTrust.Public, out char[] text) is { } unread)
            return $"Security.CertificateFile: {unread}";
        if (KeyFile.TryReadText(keyPath, FileTrust.Shared, out char[] keyText) is { } open)
            return $"Security.Certificate{(_options.CertificateKeyFile is null ? "" : "Key")}File: {open}";
        X509Certificate2 certificate;
        try
        {
            certificate = X509Certificate2.CreateFromPem(text, keyText);
        }
        catch (Exception wrong) when (wrong is CryptographicException or ArgumentException)
        {
            return $"Security.CertificateFile: '{path}' with the key in '{keyPath}' is no certificate with its private "
                + $"key: {wrong.Message.TrimEnd('.')}";
        }
        finally
        {
            Array.Clear(keyText);
        }
        if (Judge("Security.CertificateFile", certificate) is { } fault) return fault;
        var roots = new X509Certificate2Collection();
        if (TryReadRoots(rootsPath, roots) is { } wrongRoots) return wrongRoots;
        var all = new X509Certificate2Collection();
        all.ImportFromPem(text);
        _roots = roots;
        Take(certificate, [.. all.Where(one => one.Thumbprint != certificate.Thumbprint)]);
        _stamp = stamp;
        return null;
    }

    private static string? TryReadRoots(string path, X509Certificate2Collection roots)
    {
        if (KeyFile.TryReadText(path, FileTrust.Public, out char[] text) is { } unread)
            return $"Security.TrustedRootsFile: {unread}";
        int before = roots.Count;
        try
        {
            roots.ImportFromPem(text);
        }
        catch (CryptographicException wrong)
        {
            return $"Security.TrustedRootsFile: '{path}' cannot be read: {wrong.Message.TrimEnd('.')}";
        }
        return roots.Count > before ? null : $"Security.TrustedRootsFile: '{path}' has no certificate";
    }

    private void Take(X509Certificate2 certificate, X509Certificate2Collection intermediates)
    {
        X509Certificate2 usable = certificate;
        // Windows takes no key that lives in memory alone.
        if (OperatingSystem.IsWindows() && _options.CertificateFile is not null)
            usable = X509CertificateLoader.LoadPkcs12(certificate.Export(X509ContentType.Pkcs12), null);
        _context = SslStreamCertificateContext.Create(usable, intermediates, offline: true);
        _certificate = certificate;
    }

    // A key that is there and cannot sign would be noticed by the first peer only.
    private static string? Judge(string option, X509Certificate2 certificate)
    {
        DateTime now = TimeProvider.System.GetUtcNow().UtcDateTime;
        if (certificate.NotAfter.ToUniversalTime() < now)
            return $"{option}: the certificate '{certificate.Subject}' expired on {certificate.NotAfter:u}: renew it";
        if (certificate.NotBefore.ToUniversalTime() > now)
            return $"{option}: the certificate '{certificate.Subject}' is valid from {certificate.NotBefore:u}, and "
                + "this machine's clock is before that: correct the clock";
        if (CertificateJudge.IdentityOf(certificate) is null)
            return $"{option}: the certificate '{certificate.Subject}' has no subject alternative name, which is the "
                + "node's identity: issue one with a DNS name or a URI";
        if (!certificate.HasPrivateKey)
            return $"{option}: the certificate '{certificate.Subject}' comes without its private key";
        return CanSign(certificate)
            ? null
            : $"{option}: the private key of the certificate '{certificate.Subject}' cannot sign: it must be its "
                + "own, of ECDSA or RSA, and usable by this process";
    }

    private static bool CanSign(X509Certificate2 certificate)
    {
        ReadOnlySpan<byte> sample = "QuickSilver tries a key"u8;
        try
        {
            if (certificate.GetECDsaPrivateKey() is { } own)
            {
                using ECDsa key = own;
                using ECDsa other = certificate.GetECDsaPublicKey()!;
                return other.VerifyData(
                    sample, key.SignData(sample, HashAlgorithmName.SHA256), HashAlgorithmName.SHA256);
            }
            if (certificate.GetRSAPrivateKey() is not { } rsa) return false;
            using RSA rsaKey = rsa;
            using RSA rsaOther = certificate.GetRSAPublicKey()!;
            byte[] signature = rsaKey.SignData(sample, HashAlgorithmName.SHA256, RSASignaturePadding.Pss);
            return rsaOther.VerifyData(sample, signature, HashAlgorithmName.SHA256, RSASignaturePadding.Pss);
        }
        catch (CryptographicException)
        {
            return false;
        }
    }
}
