using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace QuickSilver.Security;

/// <summary>
/// Secures connections of the membership: TLS with a certificate at each end, then a proof of the key or a judgement of
/// the certificates. Nothing of the membership is sent or read before. Both sides say what does not fit.
/// <code>
/// node        8 bytes     preface, in clear
/// server      8 bytes     preface, in clear
/// both        TLS 1.3     with certificates of both sides; no resumption
/// key:
///   server    32 bytes    random
///   node      72 bytes    id of the key, 32 random bytes, proof
///   server    33 bytes    fault (0: none), proof
/// certificates:
///   node      1 byte      fault of the server's certificate (0: none)
///   server    1 byte      fault of the node's certificate (0: none)
/// </code>
/// Source: the idea of binding a proof to both certificates is that of channel bindings (RFC 5929,
/// tls-server-end-point), for both ends. Any thread.
/// </summary>
internal abstract class ChannelSecurity
{
    // Linux has TLS 1.3 everywhere. Elsewhere the version of the system decides.
    private static readonly SslProtocols Versions =
        OperatingSystem.IsLinux() ? SslProtocols.Tls13 : SslProtocols.Tls13 | SslProtocols.Tls12;

    /// <summary>The mode that both sides need to have.</summary>
    public abstract SecurityMode Mode { get; }

    /// <summary>The most bytes that the other side may send before it has proven itself.</summary>
    protected abstract int MostBytes { get; }

    /// <summary>Secures a connection that this side has opened. Disposes of nothing but the stream after a
    /// failure.</summary>
    /// <param name="socket">The connected socket.</param>
    /// <param name="host">The host that was called.</param>
    /// <param name="stop">Cancels the handshake.</param>
    /// <exception cref="HandshakeException">The other side is not trusted, or does not trust this one.</exception>
    /// <exception cref="OperationCanceledException">The handshake was cancelled.</exception>
    public Task<SecuredStream> OpenAsNodeAsync(Socket socket, string host, CancellationToken stop) =>
        OpenAsync(socket, host, null, stop);

    /// <summary>Secures a connection that this side has accepted; otherwise as <see cref="OpenAsNodeAsync"/>.</summary>
    /// <param name="socket">The connected socket.</param>
    /// <param name="turns">Limits how many handshakes compute at the same time.</param>
    /// <param name="stop">Cancels the handshake.</param>
    public Task<SecuredStream> OpenAsServerAsync(Socket socket, SemaphoreSlim turns, CancellationToken stop) =>
        OpenAsync(socket, null, turns, stop);

    /// <summary>The certificate of this side, for a new connection.</summary>
    protected abstract SslStreamCertificateContext Certificate { get; }

    /// <summary>Judges the certificate of the other side while TLS has its intermediates at hand.</summary>
    /// <param name="certificate">The certificate.</param>
    /// <param name="sent">The certificates that came with it.</param>
    /// <param name="host">The host that was called; null when the other side is a node.</param>
    protected abstract HandshakeFault Judge(
        X509Certificate2 certificate, X509Certificate2Collection sent, string? host);

    /// <summary>Proves this side to the other and has it prove itself, over the encrypted stream.</summary>
    /// <param name="stream">The stream.</param>
    /// <param name="judgement">The judgement of the other side's certificate.</param>
    /// <param name="isNode">True when this side has opened the connection.</param>
    /// <param name="stop">Cancels the exchange.</param>
    /// <returns>The identity of the other side.</returns>
    protected abstract Task<string> ProveAsync(
        SslStream stream, HandshakeFault judgement, bool isNode, CancellationToken stop);

    private async Task<SecuredStream> OpenAsync(
        Socket socket, string? host, SemaphoreSlim? turns, CancellationToken stop)
    {
        var wire = new HandshakeStream(socket, MostBytes, turns);
        Stream open = wire;
        try
        {
            await ExchangePrefacesAsync(wire, host is not null, stop).ConfigureAwait(false);
            HandshakeFault judgement = HandshakeFault.Untrusted;
            bool JudgeOther(object sender, X509Certificate? other, X509Chain? chain, SslPolicyErrors errors)
            {
                // TLS goes on in any case, so that the other side can be told the reason inside it.
                if (other is not X509Certificate2 certificate) return false;
                judgement = Judge(certificate, chain?.ChainPolicy.ExtraStore ?? [], host);
                return true;
            }
            var stream = new SslStream(wire, leaveInnerStreamOpen: false);
            open = stream;
            await (host is null
                ? stream.AuthenticateAsServerAsync(ServerOptions(JudgeOther), stop)
                : stream.AuthenticateAsClientAsync(NodeOptions(host, JudgeOther), stop)).ConfigureAwait(false);
            string identity = await ProveAsync(stream, judgement, host is not null, stop).ConfigureAwait(false);
            wire.Open();
            return new SecuredStream(stream, identity);
        }
        catch (Exception failure)
        {
            await open.DisposeAsync().ConfigureAwait(false);
            if (Explain(failure) is { } explained) throw explained;
            throw;
        }
    }

    // The server speaks second: a node without security then gets an answer that it understands instead.
    private async Task ExchangePrefacesAsync(HandshakeStream wire, bool isNode, CancellationToken stop)
    {
        byte[] other = new byte[Preface.Bytes];
        if (isNode) await wire.WriteAsync(Preface.Of(Mode), stop).ConfigureAwait(false);
        await ReadPrefaceAsync(wire, other, isNode, stop).ConfigureAwait(false);
        if (!isNode && Preface.IsBegun(other)) await wire.WriteAsync(Preface.Of(Mode), stop).ConfigureAwait(false);
        Preface.Check(other, Mode);
    }

    private static async Task ReadPrefaceAsync(
        HandshakeStream wire, byte[] other, bool isNode, CancellationToken stop)
    {
        int read = 0;
        try
        {
            read = await wire.ReadAsync(other, stop).ConfigureAwait(false);
        }
        catch (IOException) when (!isNode)
        {
            // It reset the connection, as some checks do to save time.
        }
        if (read == 0 && !isNode)
            throw new HandshakeException(HandshakeFault.Probe, "the other side connected and sent nothing");
        await wire.ReadExactlyAsync(other.AsMemory(read), stop).ConfigureAwait(false);
    }

    private static HandshakeException? Explain(Exception failure) => failure switch
    {
        HandshakeException or OperationCanceledException => null,
        { InnerException: HandshakeException inner } => inner,
        EndOfStreamException or IOException or SocketException or ObjectDisposedException => new HandshakeException(
            HandshakeFault.Ended, "the other side ended the connection during the handshake", failure),
        AuthenticationException => new HandshakeException(
            HandshakeFault.Tls, $"TLS has failed: {Innermost(failure).Message.TrimEnd('.')}", failure),
        _ => new HandshakeException(
            HandshakeFault.Tls, $"the handshake has failed: {Innermost(failure).Message.TrimEnd('.')}", failure),
    };

    private static Exception Innermost(Exception failure) => failure.GetBaseException();

    private SslServerAuthenticationOptions ServerOptions(RemoteCertificateValidationCallback judge) => new()
    {
        ServerCertificateContext = Certificate,
        ClientCertificateRequired = true,
        EnabledSslProtocols = Versions,
        AllowRenegotiation = false,
        AllowTlsResume = false,
        CertificateChainPolicy = ChainRules(),
        RemoteCertificateValidationCallback = judge,
    };

    private SslClientAuthenticationOptions NodeOptions(string host, RemoteCertificateValidationCallback judge) => new()
    {
        TargetHost = host,
        ClientCertificateContext = Certificate,
        EnabledSslProtocols = Versions,
        AllowRenegotiation = false,
        AllowTlsResume = false,
        CertificateChainPolicy = ChainRules(),
        RemoteCertificateValidationCallback = judge,
    };

    // The chain that TLS builds by itself judges nothing, and may fetch nothing from addresses in certificates.
    private static X509ChainPolicy ChainRules() => new()
    {
        TrustMode = X509ChainTrustMode.CustomRootTrust,
        RevocationMode = X509RevocationMode.NoCheck,
        DisableCertificateDownloads = true,
        VerificationFlags = X509VerificationFlags.AllFlags,
    };
}
