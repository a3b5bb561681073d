using System.Net.Security;
using System.Security.Cryptography.X509Certificates;

namespace QuickSilver.Security;

/// <summary>Connections of nodes that have certificates of authorities that both sides trust. Each side judges the
/// other and says what it found, inside TLS. So the side that is refused can say why, too.</summary>
/// <param name="certificates">The certificate of this process, and its authorities.</param>
internal sealed class CertificateChannelSecurity(CertificateSource certificates) : ChannelSecurity
{
    /// <inheritdoc/>
    public override SecurityMode Mode => SecurityMode.Certificates;

    // A certificate of RSA keys with two intermediates has about 5 KB.
    /// <inheritdoc/>
    protected override int MostBytes => 24 << 10;

    /// <inheritdoc/>
    protected override SslStreamCertificateContext Certificate => certificates.Context;

    /// <inheritdoc/>
    protected override HandshakeFault Judge(
        X509Certificate2 certificate, X509Certificate2Collection sent, string? host) =>
        host is null
            ? CertificateJudge.OfNode(certificate, sent, certificates.Roots)
            : IsOwn(certificate)
            ? HandshakeFault.None
            : CertificateJudge.OfServer(
                certificate, sent, certificates.Roots,
                certificates.ServerNames.Count > 0 ? certificates.ServerNames : [host]);

    /// <inheritdoc/>
    protected override async Task<string> ProveAsync(
        SslStream stream, HandshakeFault judgement, bool isNode, CancellationToken stop)
    {
        byte[] own = [(byte)judgement];
        byte[] other = new byte[1];
        if (isNode)
        {
            await stream.WriteAsync(own, stop).ConfigureAwait(false);
            if (judgement != HandshakeFault.None) certificates.OnRefused();
            Refuse(judgement, "the server's certificate", isNode);
            await stream.ReadExactlyAsync(other, stop).ConfigureAwait(false);
            if (other[0] != 0) certificates.OnRefused();
            Refuse((HandshakeFault)other[0], "the server refused this node: its certificate", isNode);
        }
        else
        {
            await stream.ReadExactlyAsync(other, stop).ConfigureAwait(false);
            Refuse((HandshakeFault)other[0], "the node refused this server: its certificate", isNode);
            await stream.WriteAsync(own, stop).ConfigureAwait(false);
            Refuse(judgement, "the node's certificate", isNode);
        }
        return stream.RemoteCertificate is X509Certificate2 certificate
            ? CertificateJudge.IdentityOf(certificate) ?? ""
            : "";
    }

    // A host calls itself by an address that its certificate need not have; TLS has proven that the other side has the
    // private key of this one's certificate.
    private bool IsOwn(X509Certificate2 certificate) =>
        certificate.RawDataMemory.Span.SequenceEqual(certificates.Context.TargetCertificate.RawDataMemory.Span);

    private static void Refuse(HandshakeFault fault, string whose, bool isNode)
    {
        if (fault == HandshakeFault.None) return;
        string what = fault switch
        {
            HandshakeFault.Expired => "has expired, by the clock of the side that judged it",
            HandshakeFault.NotYetValid => "is not valid yet, by the clock of the side that judged it",
            HandshakeFault.WrongUse =>
                "is not for this use: its extended key usage needs server and client authentication",
            HandshakeFault.WrongName =>
                "has none of the names that a server needs: the host that was called, or Security.ServerNames",
            HandshakeFault.NoIdentity => "has no subject alternative name, which is its identity",
            _ => "is of no authority that the other side trusts (Security.TrustedRootsFile)",
        };
        throw new HandshakeException(fault <= HandshakeFault.NoIdentity ? fault : HandshakeFault.Untrusted,
            $"{whose} {what}");
    }
}
