using System.Formats.Asn1;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace QuickSilver.Security;

/// <summary>Judges certificates by given authorities alone. Fetches nothing, and asks nobody about revocation: a node
/// is shut out by <see cref="SecurityOptions.Authorize"/>, or by a new authority.</summary>
internal static class CertificateJudge
{
    private const string ServerUse = "1.3.6.1.5.5.7.3.1";
    private const string ClientUse = "1.3.6.1.5.5.7.3.2";
    private const string AlternativeNames = "2.5.29.17";
    private const int LongestIdentity = 255;

    /// <summary>Judges the certificate of a node.</summary>
    /// <param name="certificate">The certificate.</param>
    /// <param name="sent">The certificates that came with it.</param>
    /// <param name="roots">The trusted authorities.</param>
    public static HandshakeFault OfNode(
        X509Certificate2 certificate, X509Certificate2Collection sent, X509Certificate2Collection roots)
    {
        HandshakeFault fault = JudgeChain(certificate, sent, roots, ClientUse);
        if (fault != HandshakeFault.None) return fault;
        return IdentityOf(certificate) is null ? HandshakeFault.NoIdentity : HandshakeFault.None;
    }

    /// <summary>Judges the certificate of a server, which needs one of the names.</summary>
    public static HandshakeFault OfServer(
        X509Certificate2 certificate, X509Certificate2Collection sent, X509Certificate2Collection roots,
        IEnumerable<string> names)
    {
        HandshakeFault fault = JudgeChain(certificate, sent, roots, ServerUse);
        if (fault != HandshakeFault.None) return fault;
        return names.Any(name => Matches(certificate, name)) ? HandshakeFault.None : HandshakeFault.WrongName;
    }

    /// <summary>True when a certificate is for a host: one of its alternative names is the name, or a wildcard that
    /// covers it.</summary>
    public static bool Matches(X509Certificate2 certificate, string name)
    {
        try
        {
            return certificate.MatchesHostname(name, allowWildcards: true, allowCommonName: false);
        }
        catch (Exception wrong) when (wrong is ArgumentException or CryptographicException)
        {
            return false;
        }
    }

    /// <summary>The identity of a certificate: its first alternative name that is an e-mail address, a host, a URI or
    /// an IP address. Null if it has none that can be shown.</summary>
    public static string? IdentityOf(X509Certificate2 certificate)
    {
        foreach (X509Extension extension in certificate.Extensions)
        {
            if (extension.Oid?.Value == AlternativeNames) return IdentityIn(extension.RawData);
        }
        return null;
    }

    /// <summary>The identity in the encoded alternative names of a certificate; null if there is none, or they are
    /// malformed.</summary>
    internal static string? IdentityIn(byte[] encoded)
    {
        try
        {
            return FirstName(encoded) is { Length: > 0 and <= LongestIdentity } name ? name : null;
        }
        catch (AsnContentException)
        {
            return null;
        }
    }

    private static string? FirstName(byte[] encoded)
    {
        AsnReader names = new AsnReader(encoded, AsnEncodingRules.DER).ReadSequence();
        while (names.HasData)
        {
            Asn1Tag tag = names.PeekTag();
            if (tag is { TagClass: TagClass.ContextSpecific, TagValue: 1 or 2 or 6, IsConstructed: false })
            {
                string text = names.ReadCharacterString(UniversalTagNumber.IA5String, tag);
                return text.Any(static one => one is <= ' ' or > '~') ? null : text;
            }
            if (tag is { TagClass: TagClass.ContextSpecific, TagValue: 7, IsConstructed: false })
            {
                byte[] address = names.ReadOctetString(tag);
                return address.Length is 4 or 16 ? new System.Net.IPAddress(address).ToString() : null;
            }
            names.ReadEncodedValue();
        }
        return null;
    }

    private static HandshakeFault JudgeChain(
        X509Certificate2 certificate, X509Certificate2Collection sent, X509Certificate2Collection roots, string use)
    {
        using var chain = new X509Chain();
        X509ChainPolicy policy = chain.ChainPolicy;
        policy.TrustMode = X509ChainTrustMode.CustomRootTrust;
        policy.CustomTrustStore.AddRange(roots);
        policy.ExtraStore.AddRange(sent);
        policy.RevocationMode = X509RevocationMode.NoCheck;
        policy.DisableCertificateDownloads = true;
        policy.ApplicationPolicy.Add(new Oid(use));
        try
        {
            if (chain.Build(certificate)) return HandshakeFault.None;
        }
        catch (CryptographicException)
        {
            return HandshakeFault.Untrusted;
        }
        X509ChainStatusFlags flags = chain.ChainStatus.Aggregate(
            X509ChainStatusFlags.NoError, static (all, status) => all | status.Status);
        const X509ChainStatusFlags Trust = X509ChainStatusFlags.PartialChain | X509ChainStatusFlags.UntrustedRoot
            | X509ChainStatusFlags.NotSignatureValid;
        if ((flags & Trust) != 0) return HandshakeFault.Untrusted;
        if ((flags & X509ChainStatusFlags.NotTimeValid) != 0)
            return certificate.NotBefore.ToUniversalTime() > TimeProvider.System.GetUtcNow().UtcDateTime
                ? HandshakeFault.NotYetValid : HandshakeFault.Expired;
        return (flags & X509ChainStatusFlags.NotValidForUsage) != 0
            ? HandshakeFault.WrongUse : HandshakeFault.Untrusted;
    }
}
