using System.Buffers.Binary;
using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace QuickSilver.Security;

/// <summary>Connections of nodes that share a key. Each side proves it with a code of what both sides drew and of both
/// certificates. Somebody between the two has another certificate on each side, and so no use for either
/// proof.</summary>
/// <param name="keys">The keys of this process.</param>
internal sealed class KeyChannelSecurity(AcceptedKeys keys) : ChannelSecurity
{
    private const int RandomBytes = 32;
    private const int ProofBytes = 32;
    /// <summary>Length of a node's message, in bytes.</summary>
    internal const int NodeBytes = SecurityKey.IdBytes + RandomBytes + ProofBytes;

    /// <inheritdoc/>
    public override SecurityMode Mode => SecurityMode.PreSharedKey;

    // The preface, a first message of TLS with the key shares of new algorithms (2 KB), a certificate that a node made
    // for itself (400 bytes), and the proof.
    /// <inheritdoc/>
    protected override int MostBytes => 4 << 10;

    /// <inheritdoc/>
    protected override SslStreamCertificateContext Certificate => OwnCertificate.Context;

    /// <inheritdoc/>
    protected override HandshakeFault Judge(
        X509Certificate2 certificate, X509Certificate2Collection sent, string? host) => HandshakeFault.None;

    /// <inheritdoc/>
    protected override async Task<string> ProveAsync(
        SslStream stream, HandshakeFault judgement, bool isNode, CancellationToken stop)
    {
        if (isNode) await ProveNodeAsync(stream, stop).ConfigureAwait(false);
        else await ProveServerAsync(stream, stop).ConfigureAwait(false);
        return "";
    }

    private async Task ProveNodeAsync(SslStream stream, CancellationToken stop)
    {
        SecurityKey key = keys.Current[0];
        byte[] serverRandom = new byte[RandomBytes];
        await stream.ReadExactlyAsync(serverRandom, stop).ConfigureAwait(false);
        byte[] message = new byte[NodeBytes];
        BinaryPrimitives.WriteUInt64LittleEndian(message, key.Id);
        byte[] nodeRandom = RandomNumberGenerator.GetBytes(RandomBytes);
        nodeRandom.CopyTo(message, SecurityKey.IdBytes);
        key.Prove(
            Transcript("qs node"u8, serverRandom, nodeRandom, stream.LocalCertificate, stream.RemoteCertificate),
            message.AsSpan(NodeBytes - ProofBytes));
        await stream.WriteAsync(message, stop).ConfigureAwait(false);
        byte[] answer = new byte[1 + ProofBytes];
        await stream.ReadExactlyAsync(answer, stop).ConfigureAwait(false);
        switch ((HandshakeFault)answer[0])
        {
            case HandshakeFault.None when key.Verify(
                Transcript("qs server"u8, serverRandom, nodeRandom, stream.LocalCertificate, stream.RemoteCertificate),
                answer.AsSpan(1)):
                return;
            case HandshakeFault.UnknownKey:
                keys.OnRefused();
                throw new HandshakeException(
                    HandshakeFault.UnknownKey,
                    "the server has another key: give both the same (Security.KeyFile), "
                    + "or add this node's key to the server's file");
            default:
                throw new HandshakeException(
                    HandshakeFault.WrongProof,
                    "the server could not prove the key: somebody may be between this node and the server");
        }
    }

    private async Task ProveServerAsync(SslStream stream, CancellationToken stop)
    {
        byte[] serverRandom = RandomNumberGenerator.GetBytes(RandomBytes);
        await stream.WriteAsync(serverRandom, stop).ConfigureAwait(false);
        byte[] message = new byte[NodeBytes];
        await stream.ReadExactlyAsync(message, stop).ConfigureAwait(false);
        byte[] answer = Answer(message, keys.Current, serverRandom, stream.RemoteCertificate, stream.LocalCertificate);
        await stream.WriteAsync(answer, stop).ConfigureAwait(false);
        switch ((HandshakeFault)answer[0])
        {
            case HandshakeFault.UnknownKey:
                keys.OnRefused();
                throw new HandshakeException(
                    HandshakeFault.UnknownKey,
                    "the node has another key: give both the same (Security.KeyFile), "
                    + "or add the node's key to the file here");
            case HandshakeFault.WrongProof:
                throw new HandshakeException(
                    HandshakeFault.WrongProof,
                    "the node could not prove the key: somebody may be between it and this server");
        }
    }

    /// <summary>Judges the proof of a node.</summary>
    /// <param name="message">What the node sent.</param>
    /// <param name="keys">The accepted keys.</param>
    /// <param name="serverRandom">What the server drew.</param>
    /// <param name="node">The certificate of the node.</param>
    /// <param name="server">The certificate of the server.</param>
    /// <returns>The server's answer: a fault, or none and the server's own proof.</returns>
    internal static byte[] Answer(
        ReadOnlySpan<byte> message, IReadOnlyList<SecurityKey> keys, byte[] serverRandom, X509Certificate? node,
        X509Certificate? server)
    {
        byte[] answer = new byte[1 + ProofBytes];
        ulong id = BinaryPrimitives.ReadUInt64LittleEndian(message);
        SecurityKey? key = keys.FirstOrDefault(one => one.Id == id);
        if (key is null)
        {
            answer[0] = (byte)HandshakeFault.UnknownKey;
            return answer;
        }
        byte[] nodeRandom = message.Slice(SecurityKey.IdBytes, RandomBytes).ToArray();
        if (key.Verify(Transcript("qs node"u8, serverRandom, nodeRandom, node, server), message[^ProofBytes..]))
            key.Prove(Transcript("qs server"u8, serverRandom, nodeRandom, node, server), answer.AsSpan(1));
        else
            answer[0] = (byte)HandshakeFault.WrongProof;
        return answer;
    }

    /// <summary>What a proof is about.</summary>
    internal static byte[] Transcript(
        ReadOnlySpan<byte> label, byte[] serverRandom, byte[] nodeRandom, X509Certificate? node,
        X509Certificate? server)
    {
        byte[] transcript = new byte[label.Length + (2 * RandomBytes) + (2 * SHA256.HashSizeInBytes)];
        label.CopyTo(transcript);
        Span<byte> rest = transcript.AsSpan(label.Length);
        serverRandom.CopyTo(rest);
        nodeRandom.CopyTo(rest[RandomBytes..]);
        Hash(node, rest[(2 * RandomBytes)..]);
        Hash(server, rest[((2 * RandomBytes) + SHA256.HashSizeInBytes)..]);
        return transcript;
    }

    private static void Hash(X509Certificate? certificate, Span<byte> hash)
    {
        if (certificate is null)
            throw new HandshakeException(HandshakeFault.Tls, "the other side has no certificate");
        SHA256.HashData(certificate.GetRawCertData(), hash);
    }
}
