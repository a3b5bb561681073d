using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using QuickSilver.Protocol.Sites;
using QuickSilver.Security;

namespace QuickSilver.WideArea.Links;

/// <summary>
/// Secures one connection between gateways, as <see cref="ChannelSecurity"/> says for certificates. Each end needs a
/// certificate of an authority that the other trusts, for the site that the other expects. Each side says inside TLS
/// what it found, so the one that is refused can say why.
/// </summary>
/// <param name="certificates">The certificate of this gateway, and its authorities.</param>
/// <param name="candidates">Who the other end may be: the one that was called, or each that may call.</param>
internal sealed class GatewayChannel(CertificateSource certificates, IReadOnlyList<StreamPeer> candidates)
    : ChannelSecurity
{
    /// <summary>The candidates that the other end has proven to be.</summary>
    public SiteSet Sites { get; private set; }

    /// <inheritdoc/>
    public override SecurityMode Mode => SecurityMode.Certificates;

    // As for nodes: a certificate of RSA keys with two intermediates has about 5 KB.
    /// <inheritdoc/>
    protected override int MostBytes => 24 << 10;

    /// <inheritdoc/>
    protected override SslStreamCertificateContext Certificate => certificates.Context;

    /// <inheritdoc/>
    protected override HandshakeFault Judge(
        X509Certificate2 certificate, X509Certificate2Collection sent, string? host)
    {
        HandshakeFault fault = host is null
            ? CertificateJudge.OfNode(certificate, sent, certificates.Roots)
            : CertificateJudge.OfServer(
                certificate, sent, certificates.Roots, candidates.Select(static peer => peer.CertificateName));
        if (fault != HandshakeFault.None) return fault;
        SiteSet sites = default;
        foreach (StreamPeer peer in candidates)
        {
            if (CertificateJudge.Matches(certificate, peer.CertificateName)) sites = sites.With(peer.Site);
        }
        Sites = sites;
        return sites.IsEmpty ? HandshakeFault.WrongName : HandshakeFault.None;
    }

    /// <inheritdoc/>
    protected override async Task<string> ProveAsync(
        SslStream stream, HandshakeFault judgement, bool isNode, CancellationToken stop)
    {
        byte[] own = [(byte)judgement];
        byte[] other = new byte[1];
        // The end that has called says first what it found, and goes when it does not like it.
        if (isNode) await stream.WriteAsync(own, stop).ConfigureAwait(false);
        if (isNode) RefuseOther(judgement);
        await stream.ReadExactlyAsync(other, stop).ConfigureAwait(false);
        // Only what is trusted may say so: files are then read again.
        if (other[0] != 0 && judgement == HandshakeFault.None) certificates.OnRefused();
        Refuse((HandshakeFault)other[0], "the other gateway refused this one: its certificate", "");
        if (!isNode) await stream.WriteAsync(own, stop).ConfigureAwait(false);
        RefuseOther(judgement);
        return stream.RemoteCertificate is X509Certificate2 certificate
            ? CertificateJudge.IdentityOf(certificate) ?? ""
            : "";
    }

    private void RefuseOther(HandshakeFault fault) => Refuse(
        fault, "the certificate of the other gateway",
        $": {string.Join(", ", candidates.Select(static peer => peer.CertificateName))}");

    private static void Refuse(HandshakeFault fault, string whose, string names)
    {
        if (fault == HandshakeFault.None) return;
        string what = fault switch
        {
            HandshakeFault.Expired => "has expired, by the clock of the side that judged it",
            HandshakeFault.NotYetValid => "is not valid yet, by the clock of the side that judged it",
            HandshakeFault.WrongUse =>
                "is not for this use: its extended key usage needs server and client authentication",
            HandshakeFault.WrongName => $"has none of the names that are expected{names}",
            HandshakeFault.NoIdentity => "has no subject alternative name",
            _ => "is of no authority that the other side trusts (TrustedRootsFile)",
        };
        throw new HandshakeException(
            fault <= HandshakeFault.NoIdentity ? fault : HandshakeFault.Untrusted, $"{whose} {what}");
    }
}
